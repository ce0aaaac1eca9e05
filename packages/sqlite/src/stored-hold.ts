import type { Hold, WindowCounters } from '@hardcap/core/sink';
import type { StoredAccount } from './account-table.ts';
import type { OpenAccounts } from './open-accounts.ts';
import type { RuleTable } from './rule-table.ts';

/** A hold on an account that is stored. */
export interface StoredHold extends Hold {
  readonly stored: StoredAccount;
}

/** What is written of a hold: rows by their ids, and no names, since every reservation has some. */
type HoldText = readonly [
  account: number,
  window: number | null,
  paysAt: number | null,
  reserved: number,
  amount: number,
  rule: number,
  expired?: readonly [amount: number, window: number, slot: number | null, resets: number],
];

export function encodeHolds(
  holds: readonly StoredHold[],
  accounts: OpenAccounts,
  rules: RuleTable,
  at: number,
): string {
  const idOf = (hold: StoredHold, counters: WindowCounters) =>
    accounts.windowOf(hold.stored, counters, at).id;
  const texts = holds.map((hold): HoldText => {
    const { stored, rule, counters, paysAt, reserved, amount, expired } = hold;
    const window = counters === null ? null : idOf(hold, counters);
    const open = [stored.id, window, paysAt, reserved, amount, rules.idOf(rule)] as const;
    if (expired === null) return open;
    const { amount: charged, slot, resets } = expired;
    return [...open, [charged, idOf(hold, expired.counters), slot, resets]];
  });
  return JSON.stringify(texts);
}

export function decodeHolds(
  text: string | null,
  accounts: OpenAccounts,
  rules: RuleTable,
  at: number,
): StoredHold[] {
  const texts: readonly HoldText[] = text === null ? [] : JSON.parse(text);
  return texts.map(([account, window, paysAt, reserved, amount, rule, ended]) => {
    const stored = accounts.get(account, at);
    const counters = (id: number) => accounts.window(stored, id, at);
    return {
      stored,
      account: stored.account,
      rule: rules.get(rule),
      counters: window === null ? null : counters(window),
      paysAt,
      reserved,
      amount,
      expired:
        ended === undefined
          ? null
          : { amount: ended[0], counters: counters(ended[1]), slot: ended[2], resets: ended[3] },
    };
  });
}
