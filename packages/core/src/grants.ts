import { BindingMemo } from './binding-memo.ts';
import { type BoundAccount, bindBudgets } from './bound-budgets.ts';
import type { CallBinder } from './call-binder.ts';
import type { BookKeeping } from './call-books.ts';
import { denialOf } from './denial.ts';
import { BudgetExceededError, InvalidArgumentError } from './errors.ts';
import { exceptedAccounts } from './excepted-accounts.ts';
import { Grant } from './grant.ts';
import { grantReservation } from './grant-reservation.ts';
import {
  type GrantTerms,
  type GrantUnit,
  grantAccount,
  grantedAmount,
  parseToken,
} from './grant-terms.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Identity } from './identity.ts';
import { RecentMap } from './recent-map.ts';

/** What is asked of the budgets of an identity for somebody else to spend. */
export interface GrantRequest {
  /** Who pays: its budgets in the unit of the limit hold the whole slice. */
  readonly from?: Identity;
  readonly limit:
    | { readonly usd: string }
    /** Held by the budgets that count tokens in the same way. @default count 'total' */
    | { readonly tokens: number; readonly count?: 'total' | 'input' | 'output' | 'uncached' }
    | { readonly requests: number };
  /** How often it may be divided further. @default 0 */
  readonly depth?: number;
}

/** How many grants a process knows at least, beside those that it keeps alive or uses. */
const REMEMBERED = 10_000;

/** What a guard has that grants need. */
export interface GrantOptions {
  binder: CallBinder;
  readonly keeping: BookKeeping;
  readonly heartbeat: Heartbeat;
  readonly now: () => number;
}

export interface GrantContext extends GrantOptions {
  /** A grant that is kept alive is not to be forgotten. */
  readonly keep: (grant: Grant) => void;
}

/** The grants that a guard has made, or was given. */
export class Grants {
  readonly #context: GrantContext;
  readonly #known: RecentMap<GrantTerms> = new RecentMap(REMEMBERED);
  /** Those that this guard holds, by the key of their account. */
  readonly #held: RecentMap<Grant> = new RecentMap(REMEMBERED);

  constructor(options: GrantOptions) {
    const { binder, keeping } = options;
    this.#context = { ...options, keep: (grant) => this.#keep(grant) };
    // Who was bound before there were grants was bound without.
    binder.memo = new BindingMemo(binder.options.limits === undefined ? binder.rules : []);
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
    binder.except = (accounts, identity, since) => {
      return this.#applied(except(accounts, identity, since), identity);
    };
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
    const { amount, unit, tokenCount } = grantedAmount(limit);
    const identity = binder.identityOf(from);
    const bound = bindBudgets(binder.rules, identity);
    const parents = (await exceptedAccounts(binder, bound, identity)).filter(
      ({ rule }) => rule.unit === unit && rule.tokenCount === tokenCount,
    );
    const above = this.#known.get(identity['grant'] ?? '');
    checkParents(parents, above, { unit, tokenCount });
    checkDepth(depth, above);
    const id = crypto.randomUUID();
    const funded = [...parents.map(({ key }) => key), ...(above?.funded ?? [])];
    const terms = { id, depth, funded, unit, tokenCount };
    // Whatever a budget says of calls: what children have spent by then must not be free again.
    const claims = parents.map(({ key, rule }) => {
      return { account: { key, rule: { ...rule, onExpiry: 'charge' as const } }, amount };
    });
    const details = () => ({ identity, costNanoUsd: 0 });
    const { ttlMs } = keeping;
    const request = { id: grantReservation(id), claims, ttlMs, details };
    const answer = await keeping.sink.reserve(request);
    keeping.events.emitAll(answer.notices);
    if (!answer.admitted) {
      const denial = denialOf(answer.refusals);
      const { at } = answer;
      keeping.events.emit({ type: 'denied', denial, id, identity, provider: '', model: '', at });
      throw new BudgetExceededError(denial);
    }
    const grant = new Grant(this.#context, terms, from, claims);
    await grant.fund(amount).catch((error: unknown) => {
      keeping.sink.releaseDoubtful(request);
      throw error;
    });
    this.#keep(grant);
    heartbeat.add(grant);
    return grant;
  }

  #keep(grant: Grant): void {
    this.#known.set(grant.id, grant.terms);
    this.#held.set(grantAccount(grant.terms).key, grant);
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
    // The latest that are used are the last to be forgotten.
    this.#known.set(id, terms);
    return [...accounts.filter(({ key }) => !terms.funded.includes(key)), grantAccount(terms)];
  }
}

function checkParents(
  parents: readonly BoundAccount[],
  above: GrantTerms | undefined,
  { unit, tokenCount }: GrantUnit,
): void {
  const counted = (of: GrantUnit): string =>
    of.unit === 'usd' ? 'USD' : of.unit === 'tokens' ? `tokens (${of.tokenCount})` : of.unit;
  if (above !== undefined && (above.unit !== unit || above.tokenCount !== tokenCount)) {
    throw new InvalidArgumentError(
      `Grant ${above.id} is of ${counted(above)}, and can be divided into that alone.`,
    );
  }
  if (parents.length > 0) return;
  throw new InvalidArgumentError(
    `No budget in ${counted({ unit, tokenCount })} binds \`from\`, so there is nothing to grant from. ` +
      'Name its dimensions.',
  );
}

function checkDepth(depth: number, above: GrantTerms | undefined): void {
  const most = above === undefined ? Number.MAX_SAFE_INTEGER : above.depth - 1;
  if (Number.isSafeInteger(depth) && depth >= 0 && depth <= most) return;
  throw new InvalidArgumentError(
    above === undefined
      ? `\`depth\` is a whole number from 0; this one is ${depth}.`
      : `Grant ${above.id} has \`depth\` ${above.depth}: it cannot be divided to ${depth} below it.`,
  );
}
