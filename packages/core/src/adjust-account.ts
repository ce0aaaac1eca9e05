import { accountOf } from './account-selection.ts';
import { type AccountStatus, accountStatus } from './account-status.ts';
import type {
  AccountSelector,
  AdjustmentNote,
  AdjustmentOrder,
  LimitChange,
} from './adjustment-order.ts';
import type { CallBinder } from './call-binder.ts';
import type { BookKeeping } from './call-books.ts';
import { InvalidArgumentError } from './errors.ts';
import { amountIn } from './unit-amount.ts';
import type { AccountRule, Adjustment } from './usage-sink.ts';

/** Changes an account by hand; the figures afterwards. */
export async function adjustAccount(
  binder: CallBinder,
  { sink, events }: BookKeeping,
  selector: AccountSelector,
  order: AdjustmentOrder,
  note: AdjustmentNote = {},
): Promise<AccountStatus> {
  const { account, identity } = await accountOf(binder, selector);
  const change = changeOf(account.rule, order);
  const { id = crypto.randomUUID(), ...said } = note;
  const details = { identity, ...noted(said) };
  const request = { id, account, change, details };
  const answer = await sink.ask('adjust', (owner) => owner.adjust(request));
  events.emitAll(answer.notices);
  return accountStatus(account, answer.reading);
}

/** @throws InvalidArgumentError for a reason, or a person, that is no text. */
export function noted({ reason, by }: AdjustmentNote): AdjustmentNote {
  for (const text of [reason, by]) {
    if (text === undefined || typeof text === 'string') continue;
    throw new InvalidArgumentError('`reason` and `by` of an adjustment are text.');
  }
  return { ...(reason === undefined ? {} : { reason }), ...(by === undefined ? {} : { by }) };
}

function changeOf(rule: AccountRule, order: AdjustmentOrder): Adjustment {
  if (order.type === 'limit') return limitOf(rule, order.change);
  if (order.type !== 'top-up') return { type: order.type };
  if (rule.unit === 'concurrent') {
    throw new InvalidArgumentError(
      `Budget "${rule.budget}" counts calls at the same time, which are not spent: write ` +
        'setLimit(…, { add: { concurrent: 2 } }).',
    );
  }
  return { type: 'top-up', amount: spendable(rule, amountIn(rule, order.amount, 'a top-up')) };
}

function limitOf(rule: AccountRule, change: LimitChange): Adjustment {
  const { limit, add } = change;
  if ((limit === undefined) === (add === undefined)) {
    throw new InvalidArgumentError(
      'A limit is set by `limit`, which takes the place of the configured one, or by `add`, which ' +
        'goes on top of it. Write one of them.',
    );
  }
  const until = timeOf(change.until);
  if (add !== undefined)
    return { type: 'limit-add', amount: amountIn(rule, add, 'a raise'), until };
  // A limit whose time is over is none.
  if (limit === 'configured') return { type: 'limit', limit: null, until: 0 };
  if (limit === 'unlimited') return { type: 'limit', limit: null, until };
  const amount = amountIn(rule, limit as Exclude<typeof limit, undefined>, 'a limit');
  return { type: 'limit', limit: spendable(rule, amount), until };
}

function spendable({ budget }: AccountRule, amount: number): number {
  if (amount > 0) return amount;
  throw new InvalidArgumentError(
    `0 is nothing to spend on budget "${budget}". Use block() to refuse every call.`,
  );
}

function timeOf(until: number | Date | undefined): number | null {
  if (until === undefined) return null;
  const time = until instanceof Date ? until.getTime() : until;
  if (Number.isSafeInteger(time)) return time;
  throw new InvalidArgumentError(
    `\`until\` is a Date, or a whole number of ms since the epoch; this one is ${until}.`,
  );
}
