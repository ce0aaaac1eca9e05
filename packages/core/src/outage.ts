import type { BoundClaim } from './call-hold.ts';
import { CallWithoutSink } from './call-without-sink.ts';
import type { Refusal } from './denial.ts';
import { refusalOf } from './policy.ts';
import { RecentMap } from './recent-map.ts';
import type { Account, AccountReading, ReserveRequest } from './usage-sink.ts';

/** The most calls that may be open, or wait to be charged, without the sink. */
const MAX_CALLS = 10_000;

/** A request of the guard: its claims have the terms of their budgets. */
export interface BoundReserveRequest extends ReserveRequest {
  readonly claims: readonly BoundClaim[];
}

/**
 * What a process knows by itself while the sink is away: whom the sink had refused, and what was
 * admitted since.
 */
export class Outage {
  readonly #now: () => number;
  /** What accounts were last refused; null where something was admitted since. */
  readonly #refused: RecentMap<Refusal | null> = new RecentMap(MAX_CALLS);
  /** Calls that the sink knows, and which may grow without it. */
  readonly #known: RecentMap<CallWithoutSink> = new RecentMap(MAX_CALLS);
  readonly #unknown: Map<string, CallWithoutSink> = new Map();
  /** Those of which nobody tells the sink any more what they cost. */
  readonly #lost: Set<string> = new Set();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** On the guard's clock, in ms since the epoch. */
  get now(): number {
    return this.#now();
  }

  call(id: string): CallWithoutSink | undefined {
    return this.#unknown.get(id) ?? this.#known.get(id);
  }

  /** Remembers what the sink has decided on a call: by account, and whether it may do without the sink. */
  decided(
    request: BoundReserveRequest,
    refusals: readonly Refusal[],
    isAdmitted: boolean,
    mayDoWithout: boolean,
  ): void {
    for (const id of this.#lost) this.#giveUp(id);
    for (const { account } of request.claims) {
      if (account.rule.withoutSink === undefined) continue;
      const refusal = refusals.find((each) => each.account === account.key);
      if (refusal !== undefined) this.#refused.set(account.key, refusal);
      else if (isAdmitted) this.#forget(account.key);
    }
    if (isAdmitted && mayDoWithout) {
      this.#known.set(request.id, new CallWithoutSink(request, true));
    }
  }

  /** Remembers what the sink says of an account, as after a change by hand. */
  read({ key, rule }: Account, reading: AccountReading): void {
    const { limit, blocked, committed, held, window } = reading;
    const before = this.#refused.get(key);
    const requested = before?.requested ?? 0;
    const figures = { limit, committed, held, requested };
    const kind = blocked ? 'blocked' : before ? refusalOf(figures) : undefined;
    if (kind === undefined) {
      this.#forget(key);
      return;
    }
    const names = { budget: rule.budget, account: key, unit: rule.unit, kind } as const;
    const times = { resetsAt: window.endsAt, retryAfterMs: null };
    this.#refused.set(key, { ...before, ...names, ...figures, ...times });
  }

  /** Why claims are refused without the sink; nothing where they are not. */
  refusals(claims: readonly BoundClaim[]): Refusal[] {
    return claims.flatMap((claim) => this.#sticky(claim) ?? this.#beyondEmergency(claim) ?? []);
  }

  /** False where there is no room for one more. */
  keep(call: CallWithoutSink): boolean {
    if (this.#unknown.size >= MAX_CALLS) return false;
    this.#unknown.set(call.request.id, call);
    return true;
  }

  /** The sink has it, with everything that it holds. */
  isHeld(call: CallWithoutSink): void {
    this.#unknown.delete(call.request.id);
    this.#known.set(call.request.id, call);
  }

  /** The sink has ended it: what was refused only for what open calls hold may fit now. */
  ended(id: string): void {
    for (const { account } of this.call(id)?.request.claims ?? []) {
      if (this.#refused.get(account.key)?.kind === 'held') this.#forget(account.key);
    }
    this.#unknown.delete(id);
  }

  /** Counts as long as the sink is away. */
  lost(id: string): void {
    if (this.#unknown.has(id)) this.#lost.add(id);
  }

  /** Counts no more, and is known if it is settled again all the same. */
  #giveUp(id: string): void {
    const call = this.#unknown.get(id);
    this.#lost.delete(id);
    this.#unknown.delete(id);
    if (call === undefined) return;
    call.unknown.clear();
    this.#known.set(id, call);
  }

  #forget(account: string): void {
    if (this.#refused.get(account)) this.#refused.set(account, null);
  }

  /** Who was refused before the sink went away stays refused until the window ends. */
  #sticky({ account: { key, rule }, amount: requested }: BoundClaim): Refusal | undefined {
    if (rule.shadow) return undefined;
    if (rule.blocked) {
      const { budget, unit, limit } = rule;
      const figures = { limit, committed: 0, held: 0, requested, kind: 'blocked' } as const;
      return { budget, account: key, unit, ...figures, resetsAt: null, retryAfterMs: null };
    }
    const refusal = this.#refused.get(key);
    if (!refusal || refusal.kind === 'blocked') return refusal ?? undefined;
    if (refusal.resetsAt !== null && refusal.resetsAt <= this.now) return undefined;
    if (refusal.kind === 'too-large' && requested < refusal.requested) return undefined;
    return refusal;
  }

  #beyondEmergency({ account: { key, rule }, amount: requested }: BoundClaim): Refusal | undefined {
    const limit = rule.withoutSink?.limit ?? null;
    if (limit === null) return undefined;
    let committed = 0;
    let held = 0;
    for (const { unknown, isSettled } of this.#unknown.values()) {
      const amount = unknown.get(key) ?? 0;
      if (isSettled) committed += amount;
      else held += amount;
    }
    const kind = refusalOf({ limit, committed, held, requested });
    if (kind === undefined) return undefined;
    const { budget, unit } = rule;
    const figures = { limit, committed, held, requested, kind, limitFrom: 'emergencyLimit' };
    return { budget, account: key, unit, ...figures, resetsAt: null, retryAfterMs: null };
  }
}
