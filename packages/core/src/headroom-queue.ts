import type { Reservation } from './call-admission.ts';
import type { Denial } from './denial.ts';
import type { Account } from './usage-sink.ts';

/** The most calls that wait; one more is denied at once. */
const MAX_WAITING = 1_000;
/** How often it is looked for what calls of other processes have given back, in ms. */
const POLL_MS = 500;

/** A call that is refused for what open calls hold. */
export interface WaitingCall {
  readonly id: string;
  /** Keys of its accounts. */
  readonly accounts: readonly string[];
  /** Of several calls, that with the highest is asked for first; of equals, the oldest. */
  readonly priority: number;
  readonly waitMs: number;
  readonly denial: Denial;
  /** Asks for it again. */
  readonly ask: () => Promise<Reservation>;
}

interface Waiter extends WaitingCall {
  latest: Denial;
  isOver: boolean;
  readonly end: (outcome: Reservation | Promise<never>) => void;
}

/**
 * Calls that wait until open ones settle. Those with an account of a call that has settled are asked
 * for again, in their order and one at a time; where an account refuses one, the others that need it
 * are not asked for, so that a small call takes nothing from a large one before it.
 */
export class HeadroomQueue {
  readonly #waiting: Map<string, Waiter> = new Map();
  readonly #freed: Set<string> = new Set();
  #isServing = false;
  #asked: Waiter | null = null;
  #poll: unknown = null;

  /** What becomes of a call: it is admitted, or denied when its time is up or waiting is in vain. */
  wait(call: WaitingCall): Promise<Reservation> {
    const { denial } = call;
    if (this.#waiting.size >= MAX_WAITING) return Promise.resolve({ admitted: false, denial });
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#timeIsUp(waiter), call.waitMs);
      const end = (outcome: Reservation | Promise<never>): void => {
        clearTimeout(timer);
        this.#waiting.delete(call.id);
        if (this.#waiting.size === 0) this.#stopPolling();
        resolve(outcome);
      };
      const waiter: Waiter = { ...call, latest: denial, isOver: false, end };
      this.#waiting.set(call.id, waiter);
      this.#poll ??= setInterval(() => this.#lookAround(), POLL_MS);
    });
  }

  /** These hold less now. */
  freed(accounts: readonly Account[]): void {
    if (this.#waiting.size === 0) return;
    for (const { key } of accounts) this.#freed.add(key);
    if (!this.#isServing) void this.#serve();
  }

  #lookAround(): void {
    for (const { accounts } of this.#waiting.values()) {
      for (const key of accounts) this.#freed.add(key);
    }
    if (!this.#isServing) void this.#serve();
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#freed.size > 0) {
      const freed = new Set(this.#freed);
      this.#freed.clear();
      const full = new Set<string>();
      for (const waiter of this.#inOrder()) {
        const { accounts } = waiter;
        if (waiter.isOver || !accounts.some((key) => freed.has(key))) continue;
        if (accounts.some((key) => full.has(key))) continue;
        for (const { account } of await this.#ask(waiter)) full.add(account);
      }
    }
    this.#isServing = false;
  }

  /** Who refused; nobody where the call has ended its wait. */
  async #ask(waiter: Waiter): Promise<Denial['refusals']> {
    this.#asked = waiter;
    try {
      const reservation = await waiter.ask();
      if (!reservation.admitted && reservation.denial.retryable && !waiter.isOver) {
        waiter.latest = reservation.denial;
        return waiter.latest.refusals;
      }
      waiter.end(reservation);
    } catch (error) {
      waiter.end(Promise.reject(error));
    } finally {
      this.#asked = null;
    }
    return [];
  }

  #inOrder(): Waiter[] {
    return [...this.#waiting.values()].sort((one, other) => other.priority - one.priority);
  }

  #timeIsUp(waiter: Waiter): void {
    waiter.isOver = true;
    // One that is being asked for may yet be admitted.
    if (this.#asked !== waiter) waiter.end({ admitted: false, denial: waiter.latest });
  }

  #stopPolling(): void {
    clearInterval(this.#poll as never);
    this.#poll = null;
  }
}
