import { type AccountRule, ConfigError } from '@hardcap/core';

/** How a process leases blocks of accounts that it uses a lot. */
export interface LeaseOptions {
  /** Names of the budgets whose accounts may be leased. @default all of them */
  readonly budgets?: readonly string[];
  /** An account is leased once so many calls within `syncMs` used it, alone or with others like it. @default 16 */
  readonly after?: number;
  /** A block is at most this share of what is left of its account. @default 1 / 32 */
  readonly share?: number;
  /** A block is for at most so many calls of the mean size. @default no such limit */
  readonly maxCalls?: number;
  /**
   * How often the store is told what calls cost, and asked what is left, in ms. What others change by
   * hand is seen by then at the latest. @default 1_000
   */
  readonly syncMs?: number;
  /** After so long a block whose process has died expires, in ms. @default 30_000 */
  readonly ttlMs?: number;
}

/** The same with nothing left out. */
export interface LeaseTerms extends Required<Omit<LeaseOptions, 'budgets'>> {
  readonly budgets: ReadonlySet<string> | null;
  /** A block is worth it from so many calls of the mean size on. */
  readonly leastCalls: number;
}

const LEAST_CALLS = 4;

const NAMES: readonly string[] = ['budgets', 'after', 'share', 'maxCalls', 'syncMs', 'ttlMs'];
/** A timer that is longer fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** @throws ConfigError for options that cannot be kept, or that there are not. */
export function leaseTerms(options: LeaseOptions): LeaseTerms {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigError('redis: `leases` is an object; write {} for the defaults.');
  }
  for (const name of Object.keys(options)) {
    check(NAMES.includes(name), name, 'no option', `only ${NAMES.join(', ')}`);
  }
  const { budgets, after = 16, share = 1 / 32, syncMs = 1_000, ttlMs = 30_000 } = options;
  const { maxCalls = Number.POSITIVE_INFINITY } = options;
  check(isWhole(after, 1), 'after', after, 'a whole number of calls from 1 on');
  check(share > 0 && share <= 0.5, 'share', share, 'a share from above 0 to 0.5, such as 1 / 32');
  check(maxCalls >= LEAST_CALLS, 'maxCalls', maxCalls, `a number from ${LEAST_CALLS} on`);
  const isTimer = isWhole(syncMs, 10) && syncMs <= LONGEST_TIMER_MS;
  check(isTimer, 'syncMs', syncMs, `whole milliseconds from 10 to ${LONGEST_TIMER_MS}`);
  // Several attempts have to fit, so that a block outlives a failed one.
  const least = 5 * syncMs;
  check(
    isWhole(ttlMs, least),
    'ttlMs',
    ttlMs,
    `whole milliseconds from ${least}, 5 times \`syncMs\``,
  );
  check(budgets?.length !== 0, 'budgets', budgets, 'names of budgets, or leave it out for all');
  return {
    budgets: budgets === undefined ? null : new Set(budgets),
    leastCalls: LEAST_CALLS,
    after,
    share,
    maxCalls,
    syncMs,
    ttlMs,
  };
}

function check(isRight: boolean, name: string, value: unknown, advice: string): void {
  if (isRight) return;
  const shown = typeof value === 'number' ? String(value) : JSON.stringify(value);
  throw new ConfigError(`redis: \`leases.${name}\` is ${shown}. Give ${advice}.`);
}

function isWhole(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}

/**
 * Whether accounts of a rule may be leased: those of which a block means the same to every call until
 * its window is over.
 */
export function isLeasable(rule: AccountRule, { budgets }: LeaseTerms): boolean {
  const { limit, window, attribute } = rule;
  const isPlain = !rule.blocked && rule.shadow !== true && rule.rollover === undefined;
  if (!isPlain || limit === null || attribute !== 'reserve' || window.kind === 'rolling')
    return false;
  return budgets === null || budgets.has(rule.budget);
}
