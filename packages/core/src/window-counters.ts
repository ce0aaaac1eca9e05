import type { Window, WindowSpan } from './window.ts';

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
  /** How often the settled spend was set to 0 by hand. */
  resets = 0;
  /** Whether a call was admitted or refused in it, or it was adjusted; a look at it does not count. */
  isUsed = false;
  /** The window that got what this one left, where that is rolled over. */
  next: WindowCounters | null = null;
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
