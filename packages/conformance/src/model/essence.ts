import type {
  Account,
  AdjustAnswer,
  Charge,
  ExtendAnswer,
  Overshoot,
  Refusal,
  ReserveAnswer,
  SettleAnswer,
  SinkEntry,
  SinkNotice,
} from '@hardcap/core';

interface Refused {
  readonly at: number;
  readonly refusals: readonly Refusal[];
}

/**
 * What of an answer every sink must agree on. The contract leaves some things open, all of them about
 * windows that are over, or about limits that changed under a rolling window.
 */
export class Essence {
  readonly #accounts: ReadonlyMap<string, Account>;
  /** Keys of accounts whose limit was changed. */
  readonly changed: Set<string> = new Set();

  constructor(accounts: readonly Account[]) {
    this.#accounts = new Map(accounts.map((account) => [account.key, account]));
  }

  /** An answer without its notices, which may be told by another call. */
  ofAnswer(answer: { readonly at: number; readonly notices: readonly SinkNotice[] }): unknown {
    const { notices: _, ...rest } = answer as
      | ReserveAnswer
      | ExtendAnswer
      | SettleAnswer
      | AdjustAnswer;
    if ('refusals' in rest) {
      const { at, refusals = [] } = rest;
      return { ...rest, refusals: this.#refusals({ at, refusals }) };
    }
    if ('charged' in rest) return { ...rest, ...this.#charged(rest.charged, rest) };
    return rest;
  }

  /** Expiries that one call found are in no order. */
  ofEntries(entries: readonly SinkEntry[]): unknown[] {
    const found = (entry: SinkEntry) => (entry.kind === 'expiry' ? entry.at : Number.NaN);
    const inOrder: SinkEntry[] = [];
    for (const entry of entries) {
      let place = inOrder.length;
      const isBefore = (other: SinkEntry | undefined) =>
        other !== undefined && found(other) === found(entry) && entry.id < other.id;
      while (isBefore(inOrder[place - 1])) place -= 1;
      inOrder.splice(place, 0, entry);
    }
    return inOrder.map((entry) => {
      const overshoot = 'overshoot' in entry ? entry.overshoot : [];
      const { charged, ...rest } = this.#charged(entry.charges, { ...entry, overshoot });
      return { ...entry, charges: charged, ...('overshoot' in entry ? rest : {}) };
    });
  }

  /** Expiries by id; thresholds by account, window and share. */
  ofNotices(notices: readonly SinkNotice[]): string[] {
    const names = notices.flatMap((notice) => {
      if (notice.type === 'store-reset') return notice.type;
      if (notice.type === 'reservation-expired') return `${notice.id} expired`;
      const { account, window, threshold, at } = notice;
      const isOpen = this.#isRolling(account)
        ? this.changed.has(account)
        : this.#isForgettable(account, window.id, at);
      return isOpen ? [] : `${account} ${window.id} ${threshold}`;
    });
    return names.toSorted();
  }

  #refusals({ at, refusals }: Refused): unknown[] {
    // In a window that is over nothing will ever fit, and a new call needs not wait for its end.
    return refusals.map((refusal) => {
      const isOver = refusal.resetsAt !== null && refusal.resetsAt <= at;
      return isOver ? { ...refusal, retryAfterMs: null } : refusal;
    });
  }

  #charged(
    charges: readonly Charge[],
    { at, overshoot }: { readonly at: number; readonly overshoot: readonly Overshoot[] },
  ): { readonly charged: unknown[]; readonly overshoot: unknown[] } {
    const forgettable = charges.filter(({ account, window }) => {
      return this.#isForgettable(account, window, at);
    });
    const gone = charges.filter(({ account, slot }) => {
      const startsAt = this.#accounts.get(account)?.rule.window.at(at).startsAt ?? null;
      return slot !== null && startsAt !== null && slot < startsAt;
    });
    const isLeftOpen = (key: string) =>
      [...forgettable, ...gone].some(({ account }) => account === key);
    return {
      // What a late settlement charges to a slot that has gone counts nowhere.
      charged: charges.map((charge) =>
        gone.includes(charge) ? { ...charge, amount: 'gone' } : charge,
      ),
      overshoot: overshoot.filter(({ account }) => !isLeftOpen(account)),
    };
  }

  #isRolling(key: string): boolean {
    return this.#accounts.get(key)?.rule.window.kind === 'rolling';
  }

  /** A window that is over, and no hold belongs to: a sink need not remember what was spent in it. */
  #isForgettable(key: string, window: string, at: number): boolean {
    const { rule } = this.#accounts.get(key) ?? {};
    if (rule === undefined || rule.attribute === 'reserve') return false;
    return rule.window.at(at).id !== window;
  }
}
