import type { Claim, ReleaseAnswer, Resolution, SettleAnswer, SettleRequest } from '@hardcap/core';
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

/** A call that was asked for in the store, and whether it is held there. */
interface StoredCall {
  readonly claims: readonly Claim[];
  /** When it expires, by all that is known; null where it is not known to be held. */
  readonly expiresAt: number | null;
}

interface StoredEnd {
  readonly status: (ReleaseAnswer | SettleAnswer)['status'];
  readonly at: number;
  readonly first?: Resolution;
}

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
  /** Calls that have ended since a time, and those before. */
  #ended: Map<string, EndedCall> = new Map();
  #endedBefore: Map<string, EndedCall> = new Map();
  #endedFrom = 0;
  /** No call of the store that has not been looked at expires before that. */
  #storedUntil: number = Number.POSITIVE_INFINITY;
  #askedAt = 0;
  readonly #inStore: Map<string, StoredCall> = new Map();

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
    // To drop the oldest one by one would take ever longer: a Map keeps the place of what was deleted.
    const isOver =
      this.#ended.size >= MOST_REMEMBERED / 2 || at >= this.#endedFrom + this.#rememberedMs;
    if (isOver) {
      this.#endedBefore = this.#ended;
      this.#ended = new Map();
      this.#endedFrom = at;
    }
    this.#ended.set(id, { first, at });
  }

  /** How a call has ended; undefined where that is not remembered. */
  endedAs(id: string, at: number): Resolution | undefined {
    const ended = this.#ended.get(id) ?? this.#endedBefore.get(id);
    return ended !== undefined && at < ended.at + this.#rememberedMs ? ended.first : undefined;
  }

  isInStore(id: string): boolean {
    return this.#inStore.has(id);
  }

  /** The store is asked for a call, or has it. */
  toStore(id: string, claims: readonly Claim[], expiresAt: number | null): void {
    if (this.#inStore.size >= MOST_REMEMBERED) {
      const [oldest = ''] = this.#inStore.keys();
      this.#inStore.delete(oldest);
    }
    this.open.delete(id);
    const before = this.#inStore.get(id);
    if (before !== undefined && before.expiresAt !== null) return;
    this.#inStore.set(id, { claims, expiresAt });
    this.#storedUntil = Math.min(this.#storedUntil, expiresAt ?? Number.POSITIVE_INFINITY);
  }

  /** As if there had never been such a call. */
  forget(id: string): void {
    this.open.delete(id);
    this.#inStore.delete(id);
  }

  /** The store has refused a call: it may be asked for again. */
  refused(id: string): void {
    if (this.#inStore.get(id)?.expiresAt === null) this.#inStore.delete(id);
  }

  /** The store has given a call a new life, and new totals of what it holds. */
  extended(id: string, asked: readonly Claim[], expiresAt: number): void {
    const stored = this.#inStore.get(id);
    if (stored === undefined) return;
    const named = new Set(asked.map(({ account }) => account.key));
    const claims = [...asked, ...stored.claims.filter(({ account }) => !named.has(account.key))];
    this.#inStore.set(id, { claims, expiresAt });
    this.#storedUntil = Math.min(this.#storedUntil, expiresAt);
  }

  /** Whether calls of this process have expired in the store since it was last asked: it has news then. */
  hasExpiredInStore(at: number): boolean {
    if (at < this.#storedUntil) return false;
    let hasExpired = false;
    this.#storedUntil = Number.POSITIVE_INFINITY;
    for (const { expiresAt } of this.#inStore.values()) {
      if (expiresAt === null || expiresAt <= this.#askedAt) continue;
      hasExpired ||= expiresAt <= at;
      if (expiresAt > at) this.#storedUntil = Math.min(this.#storedUntil, expiresAt);
    }
    this.#askedAt = at;
    return hasExpired;
  }

  /** The store has ended a call, or says how it had ended. */
  endedInStore(id: string, { status, at, first = 'expired' }: StoredEnd): void {
    const how =
      status === 'released' ? 'released' : status === 'already-resolved' ? first : 'settled';
    // What has expired can still be settled, and of what was never held nothing is known.
    if (how === 'expired' || status === 'never-held') return;
    this.#inStore.delete(id);
    this.end(id, how, at);
  }

  /** Accounts of a call of the store that may cost more than it holds; empty where it surely does not. */
  uncovered({ id, charges }: Pick<SettleRequest, 'id' | 'charges'>, at: number): string[] {
    const { claims = [], expiresAt = null } = this.#inStore.get(id) ?? {};
    const isHeld = expiresAt !== null && at < expiresAt;
    const dearer = charges.filter(({ account, amount }) => {
      if (amount === 'hold') return !isHeld;
      const claim = claims.find(({ account: { key } }) => key === account);
      return !isHeld || claim === undefined || amount > claim.amount;
    });
    const keys = dearer.map(({ account }) => account);
    return isHeld ? keys : [...keys, ...claims.map(({ account }) => account.key)];
  }
}

/** Whether claims are what a call was first asked for. */
export function isSameCall({ parts }: DrawnCall, claims: readonly Claim[]): boolean {
  return (
    claims.length === parts.length &&
    claims.every(({ account, amount }) =>
      parts.some(({ lease, reserved }) => lease.account.key === account.key && reserved === amount),
    )
  );
}
