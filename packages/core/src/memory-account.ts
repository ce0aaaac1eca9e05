import type { Refusal } from './denial.ts';
import { denialsToday, tallied } from './denial-tally.ts';
import { isInForce, type LimitChange } from './limit-change.ts';
import { refusalOf, rolledOver } from './policy.ts';
import { lookedBackMs, spansBefore } from './rollover.ts';
import { crossedThresholds, reachesAny } from './threshold.ts';
import type { Account, AccountReading, AccountRule, SinkNotice } from './usage-sink.ts';
import type { Window, WindowSpan } from './window.ts';
import { WindowCounters } from './window-counters.ts';

const NO_NOTICES: readonly SinkNotice[] = [];

/** What the memory sink knows of one account. */
export class MemoryAccount {
  readonly key: string;
  /** The terms that came with the latest call. */
  rule: AccountRule;
  /** Open holds that count in whatever window is current. */
  floating = 0;
  blocked = false;
  /** Tally of the calls that it refused. */
  denials = 0;
  /** What replaces the limit of the rule, and what is added to it. */
  newLimit: LimitChange | null = null;
  raise: LimitChange | null = null;
  current: WindowCounters;
  /** Other windows that still matter: with open holds, left before their end, or rolled over. */
  readonly past: Map<string, WindowCounters> = new Map();
  /** The window of which the rest is rolled over into the current one. */
  #before: WindowCounters | null = null;
  // Counted apart from what they hold: a hold of nothing keeps the account, too.
  #openHolds = 0;

  constructor(account: Account, now: number) {
    this.key = account.key;
    this.rule = account.rule;
    this.current = new WindowCounters(account.rule.window, account.rule.window.at(now));
  }

  /** Makes the window of `now` current, under the terms that came with a call. */
  at(rule: AccountRule, now: number): WindowCounters {
    this.rule = rule;
    const span = rule.window.at(now);
    if (span.id !== this.current.span.id) this.#turnTo(rule.window, span, now);
    if (rule.window.kind === 'rolling') this.current.advance(span);
    return this.current;
  }

  #turnTo(window: Window, span: WindowSpan, now: number): void {
    // A window that a changed configuration left before its end may be returned to.
    this.past.set(this.current.span.id, this.current);
    this.current = this.past.get(span.id) ?? new WindowCounters(window, span);
    this.past.delete(span.id);
    this.#before = null;
    this.lookBack();
    this.#forgetPast(now);
  }

  /** Finds the window of which the rest is rolled over among those that are past. */
  lookBack(): void {
    const { current, past, rule } = this;
    if (rule.rollover === undefined) return;
    const [last, earlier] = spansBefore(rule.window, current.span);
    const before = past.get(last.id);
    if (before?.isUsed) {
      before.next = current;
      this.#before = before;
    } else if (past.get(earlier.id)?.isUsed) this.#before = new WindowCounters(rule.window, last);
  }

  #forgetPast(now: number): void {
    for (const [id, counters] of this.past) if (this.#isDone(counters, now)) this.past.delete(id);
  }

  #isDone(counters: WindowCounters, now: number): boolean {
    return counters.isOver(now - lookedBackMs(this.rule, counters.span));
  }

  /** The counters of the window that a time was in, under the terms of the latest call. */
  windowOf(time: number): WindowCounters {
    const { window } = this.rule;
    const span = window.at(time);
    if (span.id === this.current.span.id) return this.current;
    return this.past.get(span.id) ?? new WindowCounters(window, span, false);
  }

  /** Begins a hold; null stands for whatever window is current. */
  beginHold(counters: WindowCounters | null, amount: number): void {
    this.#openHolds += 1;
    this.current.isUsed = true;
    this.changeHold(counters, amount);
  }

  endHold(counters: WindowCounters | null, amount: number): void {
    this.#openHolds -= 1;
    this.changeHold(counters, -amount);
  }

  /** Raises or lowers what is held. */
  changeHold(counters: WindowCounters | null, by: number): void {
    if (counters === null) this.floating += by;
    else counters.held += by;
  }

  /** Open holds that count against a window. */
  heldIn(counters: WindowCounters): number {
    return counters.held + this.floating;
  }

  /** The limit in force: the rule's, as changed by hand, and what was rolled over. */
  limitIn(counters: WindowCounters, rule: AccountRule, now: number): number | null {
    const base = this.#baseOf(rule, now);
    if (base === null) return null;
    const raise = isInForce(this.raise, now) ? (this.raise.to ?? 0) : 0;
    return base + counters.topUp + raise + this.rolledInto(counters, rule, now);
  }

  /** The limit that the rest of a window is measured by. */
  #baseOf(rule: AccountRule, now: number): number | null {
    return isInForce(this.newLimit, now) ? this.newLimit.to : rule.limit;
  }

  /** What of the limit was left by the window before; it is gone when the window is over. */
  rolledInto(counters: WindowCounters, rule: AccountRule, now: number): number {
    const before = this.#before;
    if (before === null || counters !== this.current) return 0;
    if (now >= (counters.span.endsAt as number)) return 0;
    const base = this.#baseOf(rule, now) ?? 0;
    return rolledOver(base, before.committed + before.held, rule.rollover ?? 0);
  }

  /** The limit for calls: of a window that is over, without what the next one has used of its rest. */
  boundIn(counters: WindowCounters, rule: AccountRule, now: number): number | null {
    const limit = this.limitIn(counters, rule, now);
    const { next } = counters;
    if (next === null || limit === null) return limit;
    const base = this.#baseOf(rule, now) as number;
    const lent = next.committed + next.held - (limit - counters.topUp + next.topUp);
    return lent > 0 ? Math.max(0, base - lent) : limit;
  }

  /**
   * Why a request does not fit a window, with every figure; undefined when it fits.
   *
   * @param ownHold what the request holds already, and asks to hold as a part of the amount.
   */
  refuse(
    counters: WindowCounters,
    rule: AccountRule,
    requested: number,
    now: number,
    ownHold = 0,
  ): Refusal | undefined {
    const limit = this.boundIn(counters, rule, now);
    const { committed } = counters;
    const held = this.heldIn(counters) - ownHold;
    const kind =
      this.blocked || rule.blocked ? 'blocked' : refusalOf({ limit, committed, held, requested });
    if (kind === undefined) return undefined;
    // An account that may spend nothing, or less than this, will not open for it in any window.
    const neverFits = limit === 0 || requested > (limit as number);
    const opensAt =
      kind === 'blocked' || kind === 'held' || neverFits
        ? null
        : this.#opensAt(counters, rule, limit as number, requested);
    return {
      budget: rule.budget,
      account: this.key,
      unit: rule.unit,
      limit,
      ...(rule.rollover && { rollover: this.rolledInto(counters, rule, now) }),
      committed,
      held,
      requested,
      kind,
      ...(rule.shadow && { shadow: true }),
      resetsAt: counters.span.endsAt ?? opensAt,
      retryAfterMs: opensAt === null ? null : Math.max(0, opensAt - now),
    };
  }

  /** When enough spend has left the window for the request to fit; null when none ever leaves. */
  #opensAt(
    counters: WindowCounters,
    rule: AccountRule,
    limit: number,
    requested: number,
  ): number | null {
    const { window } = rule;
    if (window.kind !== 'rolling') return counters.span.endsAt;
    let committed = counters.committed;
    for (const [slot, amount] of [...counters.slots].sort(([a], [b]) => a - b)) {
      committed -= amount;
      if (committed < limit && committed + requested <= limit) {
        return window.slotLeavesAt(slot);
      }
    }
    return null;
  }

  /** Marks and returns the thresholds that the settled spend of a window has newly reached. */
  cross(counters: WindowCounters, committedBefore: number, now: number): readonly SinkNotice[] {
    const limit = this.limitIn(counters, this.rule, now);
    const { budget, unit, window, thresholds } = this.rule;
    const { committed, fired, span } = counters;
    if (limit === null || !reachesAny(thresholds, limit, committed)) return NO_NOTICES;
    // A rolling window never starts anew, so a threshold counts again once spend has fallen below it.
    const before = window.kind === 'rolling' ? committedBefore : null;
    const crossed = crossedThresholds({ thresholds, limit, before, committed, fired });
    const account = this.key;
    const base = { account, budget, unit, committed, limit, window: span, at: now };
    return crossed.map((threshold) => ({ type: 'threshold-crossed', ...base, threshold }));
  }

  read(rule: AccountRule, now: number): AccountReading {
    const counters = this.at(rule, now);
    return {
      account: this.key,
      limit: this.limitIn(counters, rule, now),
      ...(rule.rollover && { rollover: this.rolledInto(counters, rule, now) }),
      blocked: this.blocked || rule.blocked,
      committed: counters.committed,
      held: this.heldIn(counters),
      window: counters.span,
      denials: denialsToday(this.denials, now),
    };
  }

  /** Counts a refusal. */
  deny(now: number): void {
    this.denials = tallied(this.denials, now);
    this.current.isUsed = true;
  }

  /** True when forgetting the account loses nothing: its window is over and nothing hangs on it. */
  isOver(now: number): boolean {
    if (this.#openHolds > 0 || this.blocked) return false;
    if (isInForce(this.newLimit, now) || isInForce(this.raise, now)) return false;
    this.#forgetPast(now);
    if (this.past.size > 0) return false;
    // Calls at the same time settle to nothing, so without any there is nothing to remember.
    return this.rule.unit === 'concurrent'
      ? this.current.topUp === 0
      : this.#isDone(this.current, now);
  }
}
