import {
  type AccountStatus,
  type BudgetExceededError,
  type Identity,
  SinkUnavailableError,
  type SpendGuard,
} from '@hardcap/core';
import { recentDenials } from './recent-denials.ts';

/** Who a run is: by its own word, which beats the context, and by default, which does not. */
export interface RunIdentity {
  readonly given: Identity | undefined;
  readonly byDefault: Identity | undefined;
}

/**
 * The latest denial of a guard that somebody else's run cannot have met: all accounts that refused are
 * of the identity of this run, or of a part of it. Other tenants' figures are nobody's business.
 */
export async function latestOwnDenial(
  guard: SpendGuard,
  run: RunIdentity,
): Promise<BudgetExceededError | undefined> {
  const denials = recentDenials(guard);
  if (denials.length === 0) return undefined;
  const own = await ownDimensions(guard, run);
  return denials.find(({ denial }) =>
    denial.refusals.every(({ account }) => isOwn(dimensionsIn(account), own)),
  );
}

/** The accounts of an identity; none where the sink is away, which is for budgets to judge. */
export async function accountsOf(guard: SpendGuard, identity: Identity): Promise<AccountStatus[]> {
  try {
    return await guard.status(identity);
  } catch (error) {
    if (SinkUnavailableError.isInstance(error)) return [];
    throw error;
  }
}

/** The values of dimensions, as account keys have them. */
type Dimensions = ReadonlyMap<string, string>;

async function ownDimensions(guard: SpendGuard, run: RunIdentity): Promise<Dimensions> {
  const { given = {}, byDefault = {} } = run;
  const found = async (identity: Identity): Promise<[string, string][]> =>
    (await accountsOf(guard, identity)).flatMap(({ account }) => [...dimensionsIn(account)]);
  const own = new Map(await found(given));
  const further = Object.entries(byDefault).filter(([dimension]) => !own.has(dimension));
  if (further.length === 0) return own;
  return new Map([...(await found({ ...Object.fromEntries(further), ...given })), ...own]);
}

/** Set by each call, and the same for everybody. */
const OF_THE_CALL: ReadonlySet<string> = new Set(['model', 'provider']);

/** `user-daily|user=u1` has the user `u1`. */
function dimensionsIn(account: string): Dimensions {
  const [, ...dimensions] = account.split('|');
  const pairs = dimensions.map((pair): [string, string] => {
    const end = pair.indexOf('=');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });
  return new Map(pairs.filter(([dimension]) => !OF_THE_CALL.has(dimension)));
}

function isOwn(refused: Dimensions, own: Dimensions): boolean {
  const known = [...refused].filter(([dimension]) => own.has(dimension));
  const isPart = known.length > 0 || refused.size === 0;
  return isPart && known.every(([dimension, value]) => own.get(dimension) === value);
}
