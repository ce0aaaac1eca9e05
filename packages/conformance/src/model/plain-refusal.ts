import { type Account, type Refusal, WindowedSpendBudgetPolicy } from '@hardcap/core';
import type { PlainBooks } from './plain-books.ts';

export interface Asking {
  readonly account: Account;
  readonly requested: number;
  /** What the asking call holds already, as a part of that. */
  readonly own: number;
  /** A time of the window that will pay. */
  readonly time: number;
  readonly now: number;
}

/** Why a request does not fit, as the policy has it; undefined where it fits. */
export function plainRefusal(books: PlainBooks, asking: Asking): Refusal | undefined {
  const { account, requested, own, time, now } = asking;
  const { key, rule } = account;
  const span = rule.window.at(time);
  const limit = books.bound(account, span, now);
  const committed = books.committed(account, span);
  const held = books.held(account, span) - own;
  const shadow = rule.shadow ? ({ shadow: true } as const) : {};
  const names = { budget: rule.budget, account: key, unit: rule.unit, ...shadow };
  const rollover = rule.rollover && { rollover: books.rolledInto(account, span, now) };
  const figures = { ...names, limit, ...rollover, committed, held, requested };
  if (books.isBlocked(account)) {
    return { ...figures, kind: 'blocked', resetsAt: span.endsAt, retryAfterMs: null };
  }
  if (limit === null) return undefined;
  // 0 is a limit for a sink, and no limit for the policy.
  const policy = new WindowedSpendBudgetPolicy({ limit: limit || 1, window: rule.window.spec });
  const question = { spent: limit === 0 ? 1 : committed, held, pending: requested, now };
  const { kind, retryAfterMs } = policy.check(question);
  if (kind === undefined) return undefined;
  if (kind === 'held' || requested > limit || limit === 0) {
    return { ...figures, kind, resetsAt: span.endsAt, retryAfterMs: null };
  }
  const opensAt = rule.window.kind === 'rolling' ? rolledOutAt(books, asking, limit) : span.endsAt;
  const isCurrent = span.id === rule.window.at(now).id;
  const wait = isCurrent && rule.window.kind !== 'rolling' ? retryAfterMs : waitFor(opensAt, now);
  return { ...figures, kind, resetsAt: opensAt, retryAfterMs: wait };
}

function waitFor(opensAt: number | null, now: number): number | null {
  return opensAt === null ? null : Math.max(0, opensAt - now);
}

/** When enough has left a rolling window; null when that never happens. */
function rolledOutAt(books: PlainBooks, asking: Asking, limit: number): number | null {
  const { account, requested, now } = asking;
  const { window } = account.rule;
  if (window.kind !== 'rolling') return null;
  const slots = books.charges.flatMap((charge) =>
    charge.account === account.key && charge.slot !== null ? [charge.slot] : [],
  );
  const fits = slots.map(window.slotLeavesAt).filter((time) => {
    const committed = books.committed(account, window.at(time));
    return time > now && committed < limit && committed + requested <= limit;
  });
  return fits.length === 0 ? null : Math.min(...fits);
}
