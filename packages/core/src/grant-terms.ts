import { type BoundAccount, type BudgetRule, unitAndLimit } from './bound-budgets.ts';
import { type BudgetLimit, parseLimit } from './budget-limit.ts';
import { InvalidArgumentError } from './errors.ts';
import { compileWindow } from './window.ts';

/** What a grant counts: the unit of the budgets that pay for it. */
export type GrantUnit = Pick<BudgetRule, 'unit' | 'tokenCount'>;

/** What every process must know of a grant to make calls on it. */
export interface GrantTerms extends GrantUnit {
  readonly id: string;
  /** How often it may be divided further. */
  readonly depth: number;
  /** Keys of the accounts that it was taken from, and those that these were taken from. */
  readonly funded: readonly string[];
}

const WINDOW = compileWindow('total');
const UNITS: readonly unknown[] = ['usd', 'tokens', 'requests'];
const TOKEN_COUNTS: readonly unknown[] = ['total', 'input', 'output', 'uncached'];

/**
 * The account of a grant. What may be spent on it is set in the sink, so that nobody can make a grant
 * by writing a token: without that, its limit is 0. Its key has its unit, so that neither can be changed.
 */
export function grantAccount({
  id,
  unit,
  tokenCount,
}: Pick<GrantTerms, 'id' | keyof GrantUnit>): BoundAccount {
  const counted = unit === 'tokens' ? `|tokens=${tokenCount}` : unit === 'usd' ? '' : `|${unit}`;
  return {
    key: `grant|grant=${id}${counted}`,
    rule: {
      budget: 'grant',
      per: ['grant'],
      unit,
      limit: 0,
      tokenCount,
      blocked: false,
      window: WINDOW,
      attribute: 'reserve',
      onExpiry: 'charge',
      onUnknown: 'charge',
      thresholds: [1_000_000],
      match: [],
    },
  };
}

/** What the account of a grant counts by; undefined for other accounts. */
export function grantRule(account: string, unit: GrantUnit['unit']): BudgetRule | undefined {
  const [, id, tokenCount = 'total'] =
    /^grant\|grant=([0-9a-f-]{36})(?:\|tokens=(\w+))?/.exec(account) ?? [];
  if (id === undefined || !TOKEN_COUNTS.includes(tokenCount)) return undefined;
  return grantAccount({ id, unit, tokenCount: tokenCount as GrantUnit['tokenCount'] }).rule;
}

/**
 * How much is asked for, and of what.
 *
 * @throws InvalidArgumentError for what is no amount.
 */
export function grantedAmount(limit: BudgetLimit): GrantUnit & { readonly amount: number } {
  const parsed = parseLimit(limit);
  if ('problem' in parsed) {
    throw new InvalidArgumentError(`\`limit\` of a grant: ${parsed.problem}`);
  }
  const { limit: amount, unit, tokenCount } = unitAndLimit({ limit: parsed });
  if (amount !== null && UNITS.includes(unit)) return { amount, unit, tokenCount };
  throw new InvalidArgumentError(
    '`limit` of a grant is an amount: write { usd: "1.00" }, { tokens: 50000 } or { requests: 20 }.',
  );
}

/** @throws InvalidArgumentError for what is no token. */
export function parseToken(token: string): GrantTerms {
  try {
    const { id, depth, funded, unit, tokenCount } = JSON.parse(token) as GrantTerms;
    const isSound = /^[0-9a-f-]{36}$/.test(id) && Number.isSafeInteger(depth) && depth >= 0;
    const isCounted = UNITS.includes(unit) && TOKEN_COUNTS.includes(tokenCount);
    const isText = (key: unknown): boolean => typeof key === 'string';
    if (isSound && isCounted && funded.every(isText))
      return { id, depth, funded, unit, tokenCount };
  } catch {
    // What it is instead does not matter.
  }
  throw new InvalidArgumentError(
    'This is no token of a grant. Give `token` of a grant as it was, to guard.grant(token).',
  );
}
