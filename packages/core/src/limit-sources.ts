import { isPending } from './awaitable.ts';
import { type BoundAccount, type BudgetRule, unitAndLimit } from './bound-budgets.ts';
import { parseLimit } from './budget-limit.ts';
import { ConfigError, HardcapError } from './errors.ts';
import type { EventPort } from './event.ts';
import type { Identity } from './identity.ts';
import { inTime } from './in-time.ts';
import type { LimitSource, SourcedLimit } from './limit-source.ts';
import { RecentMap } from './recent-map.ts';

/** The latest answers that are kept, at least. */
const REMEMBERED = 10_000;
const TTL_MS = 60_000;
const TIMEOUT_MS = 1_000;
/** After a failure for which no call has to wait, it is asked again so much later. */
const RETRY_MS = 5_000;
const TIMES = ['ttlMs', 'timeoutMs'] as const;
const FIELDS: readonly string[] = ['resolve', 'onError', ...TIMES];

/** What an answer changes of the rule of a budget; nothing where the budget has the say. */
type SourcedTerms = Partial<Pick<BudgetRule, 'limit' | 'blocked' | 'limitFrom'>>;

interface Answer {
  readonly terms: SourcedTerms;
  /** When it was given, and how long it counts: ms since the epoch. */
  readonly at: number;
  readonly until: number;
}

/** Limits that come from elsewhere, as long as they count. */
export class LimitSources {
  readonly #sources: ReadonlyMap<string, LimitSource>;
  readonly #now: () => number;
  readonly #answers: RecentMap<Answer> = new RecentMap(REMEMBERED);
  readonly #asked: Map<string, Promise<void>> = new Map();
  /** Where failures are told; the guard sets it. */
  events: EventPort | null = null;

  /** @throws ConfigError for a budget that there is not, and for what is no source. */
  constructor(
    sources: Readonly<Record<string, LimitSource>>,
    rules: readonly BudgetRule[],
    now: () => number,
  ) {
    this.#sources = new Map(Object.entries(sources));
    this.#now = now;
    for (const [budget, source] of this.#sources) check(budget, source, rules);
  }

  /**
   * The account under the limit that it has now.
   *
   * @param pending takes a promise where that has to be asked for first.
   * @param since an answer from then on counts: who waits for several may come when one is old again.
   */
  applied(
    account: BoundAccount,
    identity: Identity,
    pending: Promise<void>[],
    since: number = Number.POSITIVE_INFINITY,
  ): BoundAccount {
    const { key, rule } = account;
    const source = this.#sources.get(rule.budget);
    if (source === undefined) return account;
    const answer = this.#answers.get(key);
    if (answer !== undefined && (this.#now() < answer.until || since <= answer.at)) {
      return { key, rule: { ...rule, ...answer.terms } };
    }
    pending.push(this.#ask(account, source, identity));
    return account;
  }

  /** One question at a time for each account. */
  #ask(account: BoundAccount, source: LimitSource, identity: Identity): Promise<void> {
    const { key } = account;
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const answered = this.#load(account, source, identity).finally(() => this.#asked.delete(key));
    this.#asked.set(key, answered);
    return answered;
  }

  async #load({ key, rule }: BoundAccount, source: LimitSource, identity: Identity): Promise<void> {
    const { ttlMs = TTL_MS, timeoutMs = TIMEOUT_MS, onError = 'deny' } = source;
    const who = rule.per.map((dimension) => [dimension, identity[dimension]]);
    const keep = (terms: SourcedTerms, forMs: number): void => {
      const at = this.#now();
      this.#answers.set(key, { terms, at, until: at + forMs });
    };
    try {
      const asked = source.resolve(Object.fromEntries(who));
      const limit = asked && isPending(asked) ? await inTime(asked, timeoutMs) : asked;
      keep(termsOf(limit, rule), ttlMs);
    } catch (error) {
      const { budget } = rule;
      const at = this.#now();
      this.events?.emit({ type: 'limit-unavailable', budget, account: key, error, at });
      if (onError !== 'default') throw unavailable(budget, key, error);
      keep(this.#answers.get(key)?.terms ?? {}, Math.min(ttlMs, RETRY_MS));
    }
  }
}

/** @throws ConfigError for what is no limit of the budget. */
function termsOf(limit: SourcedLimit | undefined, rule: BudgetRule): SourcedTerms {
  if (limit === undefined) return {};
  const limitFrom = 'limits';
  if ('block' in Object(limit)) return { blocked: true, limitFrom };
  const parsed = parseLimit(limit);
  if ('problem' in parsed) throw new ConfigError(parsed.problem);
  const { unit, tokenCount, limit: amount } = unitAndLimit({ limit: parsed });
  const isCounted = !('count' in parsed) || tokenCount === rule.tokenCount;
  if (unit === rule.unit && isCounted) return { limit: amount, limitFrom };
  throw new ConfigError(
    `it answered in ${unit}${isCounted ? '' : ` (${tokenCount})`}, and the budget counts ` +
      `${rule.unit}${rule.unit === 'tokens' ? ` (${rule.tokenCount})` : ''}.`,
  );
}

function unavailable(budget: string, account: string, error: unknown): HardcapError {
  const reason = error instanceof Error ? error.message : String(error);
  return new HardcapError(
    'LIMIT_UNAVAILABLE',
    `The limit of budget "${budget}" for account ${account} could not be had from \`limits\`: ${reason} ` +
      "Nothing was held. Try again later, or write `onError: 'default'` to go by the budget meanwhile.",
    { cause: error },
  );
}

function check(budget: string, source: LimitSource, rules: readonly BudgetRule[]): void {
  const where = `limits.${budget}`;
  if (!rules.some((rule) => rule.budget === budget)) {
    const names = rules.map((rule) => `"${rule.budget}"`).join(', ');
    throw new ConfigError(`${where}: there is no such budget. There are ${names || 'none'}.`);
  }
  if (typeof source?.resolve !== 'function') {
    throw new ConfigError(`${where}: write { resolve: (identity) => limit }.`);
  }
  const unknown = Object.keys(source).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw new ConfigError(`${where} has no field "${unknown}". It has ${FIELDS.join(', ')}.`);
  }
  for (const time of TIMES) {
    const ms = source[time] ?? 1;
    if (Number.isSafeInteger(ms) && ms > 0 && ms < 2 ** 31) continue;
    throw new ConfigError(`${where}.${time}: write a whole number of milliseconds, not ${ms}.`);
  }
  if (['deny', 'default', undefined].includes(source.onError)) return;
  throw new ConfigError(`${where}.onError: write deny or default, not ${source.onError}.`);
}
