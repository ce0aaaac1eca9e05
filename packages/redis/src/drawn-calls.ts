import type { Claim, Resolution } from '@hardcap/core';
import type { Lease } from './lease.ts';

/** What a call has of a lease. */
export interface DrawnPart {
  readonly lease: Lease;
  amount: number;
  /** What it was first asked for. */
  readonly reserved: number;
}

/** A call that was admitted here, of which the store knows nothing yet. */
export interface DrawnCall {
  readonly id: string;
  readonly parts: readonly DrawnPart[];
  /** On the clock of the server. */
  readonly admittedAt: number;
  expiresAt: number;
  /** The store may know of it: it was asked to make it a reservation of its own. */
  isDoubtful: boolean;
}

/** So many calls are remembered that have ended, or are in the store. */
const MOST_REMEMBERED = 50_000;

interface EndedCall {
  readonly first: Resolution;
  readonly at: number;
}

/** The calls of this process by id: those that were drawn, and those that the store knows. */
export class DrawnCalls {
  readonly open: Map<string, DrawnCall> = new Map();
  /** No drawn call expires before that. */
  earliest: number = Number.POSITIVE_INFINITY;
  readonly #rememberedMs: number;
  /** Those that have ended longest ago first. */
  readonly #ended: Map<string, EndedCall> = new Map();
  /** Ids that were asked for in the store, and whether they are held there. */
  readonly #inStore: Map<string, boolean> = new Map();

  constructor(rememberedMs: number) {
    this.#rememberedMs = rememberedMs;
  }

  add(call: DrawnCall): void {
    this.open.set(call.id, call);
    this.expireAt(call, call.expiresAt);
  }

  expireAt(call: DrawnCall, expiresAt: number): void {
    call.expiresAt = expiresAt;
    if (expiresAt < this.earliest) this.earliest = expiresAt;
  }

  /** Those whose time is over. */
  expired(at: number): DrawnCall[] {
    const expired: DrawnCall[] = [];
    this.earliest = Number.POSITIVE_INFINITY;
    for (const call of this.open.values()) {
      if (call.expiresAt <= at) expired.push(call);
      this.earliest = Math.min(this.earliest, call.expiresAt);
    }
    return expired;
  }

  /** Notices that a call has ended. */
  end(id: string, first: Resolution, at: number): void {
    this.open.delete(id);
    for (const [oldest, ended] of this.#ended) {
      const isOver = this.#ended.size >= MOST_REMEMBERED || ended.at + this.#rememberedMs <= at;
      if (!isOver) break;
      this.#ended.delete(oldest);
    }
    this.#ended.set(id, { first, at });
  }

  /** How a drawn call has ended; undefined where that is not remembered. */
  endedAs(id: string, at: number): Resolution | undefined {
    const ended = this.#ended.get(id);
    return ended !== undefined && at < ended.at + this.#rememberedMs ? ended.first : undefined;
  }

  isInStore(id: string): boolean {
    return this.#inStore.has(id);
  }

  /** The store is asked for a call, or has it. */
  toStore(id: string, isHeld: boolean): void {
    if (this.#inStore.size >= MOST_REMEMBERED) {
      const [oldest = ''] = this.#inStore.keys();
      this.#inStore.delete(oldest);
    }
    this.#inStore.set(id, isHeld || this.#inStore.get(id) === true);
    this.open.delete(id);
  }

  /** The store has refused a call: it may be asked for again. */
  refused(id: string): void {
    if (this.#inStore.get(id) === false) this.#inStore.delete(id);
  }

  /** Forgets about what has ended in the store: that knows how. */
  endedInStore(id: string): void {
    this.#inStore.delete(id);
  }
}

/** Whether claims are what a call was first asked for. */
export function isSameCall({ parts }: DrawnCall, claims: readonly Claim[]): boolean {
  return (
    claims.length === parts.length &&
    claims.every(({ account, amount }) =>
      parts.some(
        ({ lease, reserved }) => lease.account.key === account.key && reserved === amount,
      ),
    )
  );
}
