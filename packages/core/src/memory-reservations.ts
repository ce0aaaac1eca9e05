import { Chain, type Link } from './chain.ts';
import type { Hold } from './memory-hold.ts';
import type { EntryDetails } from './sink-entry.ts';
import type { ReserveRequest, Resolution } from './usage-sink.ts';

/** Holds on the accounts of one call, under one id. */
export class Reservation implements Link {
  readonly id: string;
  holds: readonly Hold[];
  details: (() => EntryDetails) | undefined;
  ttlMs: number;
  expiresAt: number;
  /** Those that live as long; null once it has ended. */
  queue: Chain<Reservation> | null = null;
  /** Null while it is open. */
  resolution: Resolution | null = null;
  previous: Link | null = null;
  next: Link | null = null;

  constructor(request: ReserveRequest, holds: readonly Hold[], now: number) {
    this.id = request.id;
    this.holds = holds;
    this.details = request.details;
    this.ttlMs = request.ttlMs;
    this.expiresAt = now + request.ttlMs;
  }
}

/** The most expired reservations that a late settlement is still awaited for. */
const MAX_AWAITED = 10_000;

/**
 * Open reservations in the order of their expiry, and what became of the latest others.
 *
 * All are in one of two generations of a map. When the younger is full, the older is dropped with
 * everything in it that has ended, so that forgetting costs nothing per reservation.
 */
export class ReservationTable {
  readonly #remembered: number;
  #young: Map<string, Reservation> = new Map();
  #old: Map<string, Reservation> = new Map();
  // Renewing moves a reservation to the end of its queue, so each queue is in order of expiry.
  readonly #queues: Map<number, Chain<Reservation>> = new Map();
  #lastTtlMs = 0;
  #lastQueue: Chain<Reservation> | null = null;
  readonly #awaited: Chain<Reservation> = new Chain();
  #awaitedCount = 0;
  #openCount = 0;
  #earliestExpiry = Number.POSITIVE_INFINITY;

  constructor(remembered: number) {
    this.#remembered = remembered;
  }

  /** How many are open. */
  get size(): number {
    return this.#openCount;
  }

  /** Open or ended; undefined when it was never made, or has ended and is forgotten. */
  get(id: string): Reservation | undefined {
    return this.#young.get(id) ?? this.#old.get(id);
  }

  *open(): Generator<Reservation> {
    for (const queue of this.#queues.values()) yield* queue;
  }

  add(reservation: Reservation): void {
    const kept = this.#openCount + this.#awaitedCount;
    if (this.#young.size >= this.#remembered + kept) this.#turnOver();
    this.#young.set(reservation.id, reservation);
    this.#openCount += 1;
    this.#enqueue(reservation);
  }

  renew(reservation: Reservation, ttlMs: number, now: number): void {
    reservation.queue?.remove(reservation);
    reservation.ttlMs = ttlMs;
    reservation.expiresAt = now + ttlMs;
    this.#enqueue(reservation);
  }

  /** Ends a reservation. An expired one keeps its holds: a late settlement may still come. */
  resolve(reservation: Reservation, resolution: Resolution): void {
    if (reservation.resolution === 'expired') {
      this.#awaited.remove(reservation);
      this.#awaitedCount -= 1;
    } else {
      reservation.queue?.remove(reservation);
      reservation.queue = null;
      this.#openCount -= 1;
    }
    reservation.resolution = resolution;
    if (resolution === 'expired') this.#await(reservation);
    else {
      reservation.holds = NO_HOLDS;
      reservation.details = undefined;
    }
  }

  /** At most `limit` reservations that have expired by now. */
  due(now: number, limit: number): readonly Reservation[] {
    if (now < this.#earliestExpiry) return NONE;
    const due: Reservation[] = [];
    this.#earliestExpiry = Number.POSITIVE_INFINITY;
    for (const [ttlMs, queue] of this.#queues) {
      for (const reservation of queue) {
        if (reservation.expiresAt > now || due.length === limit) {
          this.#earliestExpiry = Math.min(this.#earliestExpiry, reservation.expiresAt);
          break;
        }
        due.push(reservation);
      }
      if (queue.first !== null) continue;
      this.#queues.delete(ttlMs);
      if (this.#lastQueue === queue) this.#lastQueue = null;
    }
    return due;
  }

  #enqueue(reservation: Reservation): void {
    // Most often all live as long as each other.
    const last = this.#lastTtlMs === reservation.ttlMs ? this.#lastQueue : null;
    const queue = last ?? this.#queueOf(reservation.ttlMs);
    queue.append(reservation);
    reservation.queue = queue;
    if (reservation.expiresAt < this.#earliestExpiry) this.#earliestExpiry = reservation.expiresAt;
  }

  #queueOf(ttlMs: number): Chain<Reservation> {
    let queue = this.#queues.get(ttlMs);
    if (queue === undefined) {
      queue = new Chain();
      this.#queues.set(ttlMs, queue);
    }
    this.#lastTtlMs = ttlMs;
    this.#lastQueue = queue;
    return queue;
  }

  #await(reservation: Reservation): void {
    this.#awaited.append(reservation);
    this.#awaitedCount += 1;
    const oldest = this.#awaited.first;
    if (this.#awaitedCount > MAX_AWAITED && oldest !== null) this.giveUp(oldest);
  }

  /** Awaits no late settlement of an expired reservation any more. */
  giveUp(reservation: Reservation): void {
    this.#awaited.remove(reservation);
    this.#awaitedCount -= 1;
    reservation.holds = NO_HOLDS;
  }

  #turnOver(): void {
    this.#old = this.#young;
    this.#young = new Map();
    for (const reservation of this.open()) this.#young.set(reservation.id, reservation);
    for (const reservation of this.#awaited) this.#young.set(reservation.id, reservation);
  }
}

const NONE: readonly Reservation[] = [];
const NO_HOLDS: readonly Hold[] = [];
