import { type BoundAccount, bindBudgets, unitAndLimit } from './bound-budgets.ts';
import { parseLimit } from './budget-limit.ts';
import type { CallBinder } from './call-binder.ts';
import type { BookKeeping } from './call-books.ts';
import { denialOf } from './denial.ts';
import { BudgetExceededError, InvalidArgumentError } from './errors.ts';
import { Grant } from './grant.ts';
import { type GrantTerms, grantAccount, parseToken } from './grant-terms.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Identity } from './identity.ts';
import { RecentMap } from './recent-map.ts';

/** What is asked of the budgets of an identity for somebody else to spend. */
export interface GrantRequest {
  /** Who pays: its budgets in USD hold the whole slice. */
  readonly from?: Identity;
  readonly limit: { readonly usd: string };
  /** How often it may be divided further. @default 0 */
  readonly depth?: number;
}

/** How many grants a process knows at least. */
const REMEMBERED = 10_000;

export interface GrantContext {
  binder: CallBinder;
  readonly keeping: BookKeeping;
  readonly heartbeat: Heartbeat;
  readonly now: () => number;
}

/** The grants that a guard has made, or was given. */
export class Grants {
  readonly #context: GrantContext;
  readonly #known: RecentMap<GrantTerms> = new RecentMap(REMEMBERED);
  /** Those that this guard holds, by the key of their account. */
  readonly #held: RecentMap<Grant> = new RecentMap(REMEMBERED);

  constructor(context: GrantContext) {
    this.#context = context;
    const { binder, keeping } = context;
    this.adopt(binder);
    const { onEnd } = keeping;
    keeping.onEnd = (accounts) => {
      onEnd?.(accounts);
      for (const { key } of accounts) this.#held.get(key)?.callEnded();
    };
  }

  /** Pays for calls that are bound by this from here on. */
  adopt(binder: CallBinder): void {
    const { except } = binder;
    binder.except = (accounts, identity) => this.#applied(except(accounts, identity), identity);
    this.#context.binder = binder;
  }

  /** A grant that another process has made. */
  join(token: string): Grant {
    const terms = parseToken(token);
    this.#known.set(terms.id, terms);
    return new Grant(this.#context, terms, {}, []);
  }

  /** @throws BudgetExceededError where the budgets cannot carry it. */
  async make({ from = {}, limit, depth = 0 }: GrantRequest): Promise<Grant> {
    const { binder, keeping, heartbeat } = this.#context;
    const amount = amountOf(limit);
    const identity = binder.identityOf(from);
    const parents = binder
      .except(bindBudgets(binder.rules, identity), identity)
      .filter(({ rule }) => rule.unit === 'usd');
    const above = this.#known.get(identity['grant'] ?? '');
    checkDepth(depth, above, parents);
    const id = crypto.randomUUID();
    const funded = [...parents.map(({ key }) => key), ...(above?.funded ?? [])];
    const terms = { id, depth, funded };
    const claims = parents.map((account) => ({ account, amount }));
    const details = () => ({ identity, grant: id, costNanoUsd: 0 });
    const answer = await keeping.sink.reserve({ id, claims, ttlMs: keeping.ttlMs, details });
    keeping.events.emitAll(answer.notices);
    if (!answer.admitted) {
      const denial = denialOf(answer.refusals);
      const { at } = answer;
      keeping.events.emit({ type: 'denied', denial, id, identity, provider: '', model: '', at });
      throw new BudgetExceededError(denial);
    }
    const grant = new Grant(this.#context, terms, from, claims);
    await grant.fund(amount);
    this.#known.set(id, terms);
    this.#held.set(grantAccount(id).key, grant);
    heartbeat.add(grant);
    return grant;
  }

  /** The accounts of a call: those that pay for its grant have paid already. */
  #applied(accounts: BoundAccount[], identity: Identity): BoundAccount[] {
    const id = identity['grant'];
    if (id === undefined) return accounts;
    const terms = this.#known.get(id);
    if (terms === undefined) {
      throw new InvalidArgumentError(
        `This process knows no grant ${JSON.stringify(id)}. Give its token to guard.grant(token) first.`,
      );
    }
    return [...accounts.filter(({ key }) => !terms.funded.includes(key)), grantAccount(id)];
  }
}

function amountOf(limit: GrantRequest['limit']): number {
  const parsed = parseLimit(limit);
  if ('problem' in parsed)
    throw new InvalidArgumentError(`\`limit\` of a grant: ${parsed.problem}`);
  const { limit: amount, unit } = unitAndLimit({ limit: parsed });
  if (unit === 'usd' && amount !== null) return amount;
  throw new InvalidArgumentError('`limit` of a grant is an amount: write { usd: "1.00" }.');
}

function checkDepth(
  depth: number,
  above: GrantTerms | undefined,
  parents: readonly BoundAccount[],
): void {
  if (parents.length === 0) {
    throw new InvalidArgumentError(
      'No budget in USD binds `from`, so there is nothing to grant from. Name its dimensions.',
    );
  }
  const most = above === undefined ? Number.MAX_SAFE_INTEGER : above.depth - 1;
  if (Number.isSafeInteger(depth) && depth >= 0 && depth <= most) return;
  throw new InvalidArgumentError(
    above === undefined
      ? `\`depth\` is a whole number from 0; this one is ${depth}.`
      : `Grant ${above.id} has \`depth\` ${above.depth}: it cannot be divided to ${depth} below it.`,
  );
}
