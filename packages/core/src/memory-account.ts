import type { Refusal } from './denial.ts';
import { refusalOf } from './policy.ts';
import { crossedThresholds, reachesAny } from './threshold.ts';
import type { Account, AccountReading, AccountRule, Adjustment, SinkNotice } from './usage-sink.ts';
import type { Window, WindowSpan } from './window.ts';

const NO_NOTICES: readonly SinkNotice[] = [];

/** Amounts by start of rolling slot; in other windows the only slot is `null`. */
export type SlotAmounts = Map<number | null, number>;

/** The counters of one window of an account. */
export class WindowCounters {
  readonly window: Window;
  span: WindowSpan;
  /** False for counters made when their window was over, which never saw what it had spent before. */
  readonly isWhole: boolean;
  committed = 0;
  /** Open holds that belong to this window; those that belong to none are the account's `floating`. */
  held = 0;
  topUp = 0;
  denials = 0;
  /** How often the settled spend was set to 0 by hand. */
  resets = 0;
  /** Thresholds already noticed, in parts per million. */
  readonly fired: Set<number> = new Set();
  /** Of a rolling window: settled spend by start of slot. */
  readonly slots: Map<number, number> = new Map();
  // What entries charged that the ledger no longer keeps: by slot, and where there is none.
  readonly #foldedSlots: Map<number, number> = new Map();
  #folded = 0;
  #oldestSlot = Number.POSITIVE_INFINITY;

  constructor(window: Window, span: WindowSpan, isWhole = true) {
    this.window = window;
    this.span = span;
    this.isWhole = isWhole;
  }

  /** The rolling slot that a time belongs to; null in other windows. */
  slotAt(now: number): number | null {
    return this.window.kind === 'rolling' ? this.window.slotOf(now) : null;
  }

  /** Adds settled spend. In a rolling window a slot that has already left counts no more. */
  charge(amount: number, slot: number | null): void {
    if (slot === null) {
      this.committed += amount;
      return;
    }
    if (slot < (this.span.startsAt as number)) return;
    this.committed += amount;
    this.slots.set(slot, (this.slots.get(slot) ?? 0) + amount);
    if (slot < this.#oldestSlot) this.#oldestSlot = slot;
  }

  /** Keeps what an entry charged that the ledger is about to drop. */
  fold(amount: number, slot: number | null): void {
    if (slot === null) this.#folded += amount;
    else this.#foldedSlots.set(slot, (this.#foldedSlots.get(slot) ?? 0) + amount);
  }

  /** What dropped entries add up to. */
  folded(): SlotAmounts {
    return new Map<number | null, number>(this.#foldedSlots).set(null, this.#folded);
  }

  /** Replaces what is counted; `null` is the slot of a window that has none. */
  restore(slots: SlotAmounts, held: number): void {
    this.slots.clear();
    this.#oldestSlot = Number.POSITIVE_INFINITY;
    this.committed = 0;
    this.held = held;
    for (const [slot, amount] of slots) this.charge(amount, slot);
  }

  /** Moves a rolling window on: spend of the slots that have left it no longer counts. */
  advance(span: WindowSpan): void {
    this.span = span;
    const startsAt = span.startsAt as number;
    if (this.#oldestSlot >= startsAt) return;
    this.#oldestSlot = Number.POSITIVE_INFINITY;
    for (const slot of this.#foldedSlots.keys()) {
      if (slot < startsAt) this.#foldedSlots.delete(slot);
    }
    for (const [slot, amount] of this.slots) {
      if (slot < startsAt) {
        this.slots.delete(slot);
        this.committed -= amount;
      } else if (slot < this.#oldestSlot) this.#oldestSlot = slot;
    }
  }

  /** True when nothing it counts can matter any more. */
  isOver(now: number): boolean {
    if (this.held > 0) return false;
    if (this.window.kind === 'rolling') {
      this.advance(this.window.at(now));
      return this.slots.size === 0 && this.topUp === 0;
    }
    return this.span.endsAt !== null && this.span.endsAt <= now;
  }
}

/** A change of the limit by hand. */
export interface LimitChange {
  readonly to: number | null;
  readonly until: number | null;
}

function isInForce(change: LimitChange | null, now: number): change is LimitChange {
  return change !== null && (change.until === null || now < change.until);
}

/** What the memory sink knows of one account. */
export class MemoryAccount {
  readonly key: string;
  /** The terms that came with the latest call. */
  rule: AccountRule;
  /** Open holds that count in whatever window is current. */
  floating = 0;
  blocked = false;
  /** What replaces the limit of the rule, and what is added to it. */
  newLimit: LimitChange | null = null;
  raise: LimitChange | null = null;
  current: WindowCounters;
  /** Other windows that still matter: with open holds, or left before their end. */
  readonly past: Map<string, WindowCounters> = new Map();
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
    this.#forgetPast(now);
  }

  #forgetPast(now: number): void {
    for (const [id, counters] of this.past) if (counters.isOver(now)) this.past.delete(id);
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

  /** The limit in force: the rule's, as changed by hand. */
  limitIn(counters: WindowCounters, rule: AccountRule, now: number): number | null {
    const base = isInForce(this.newLimit, now) ? this.newLimit.to : rule.limit;
    if (base === null) return null;
    const raise = isInForce(this.raise, now) ? (this.raise.to ?? 0) : 0;
    return base + counters.topUp + raise;
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
    const limit = this.limitIn(counters, rule, now);
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

  /** Applies everything but what is a charge. */
  adjust(change: Exclude<Adjustment, { type: 'reset' | 'correction' }>): void {
    if (change.type === 'top-up') this.current.topUp += change.amount;
    else if (change.type === 'block') this.blocked = true;
    else if (change.type === 'unblock') this.blocked = false;
    else if (change.type === 'limit') this.newLimit = { to: change.limit, until: change.until };
    else this.raise = { to: change.amount, until: change.until };
  }

  read(rule: AccountRule, now: number): AccountReading {
    const counters = this.at(rule, now);
    return {
      account: this.key,
      limit: this.limitIn(counters, rule, now),
      blocked: this.blocked || rule.blocked,
      committed: counters.committed,
      held: this.heldIn(counters),
      window: counters.span,
      denials: counters.denials,
    };
  }

  /** True when forgetting the account loses nothing: its window is over and nothing hangs on it. */
  isOver(now: number): boolean {
    if (this.#openHolds > 0 || this.blocked) return false;
    if (isInForce(this.newLimit, now) || isInForce(this.raise, now)) return false;
    this.#forgetPast(now);
    if (this.past.size > 0) return false;
    // Calls at the same time settle to nothing, so without any there is nothing to remember.
    return this.rule.unit === 'concurrent' ? this.current.topUp === 0 : this.current.isOver(now);
  }
}
