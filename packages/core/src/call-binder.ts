import { AmbientIdentity } from './ambient-identity.ts';
import { type Binding, BindingMemo } from './binding-memo.ts';
import { type BoundAccount, type BudgetRule, bindBudgets, compileBudget } from './bound-budgets.ts';
import { type Budget, defineBudgets } from './budget.ts';
import type { BudgetExceptions } from './budget-exceptions.ts';
import { CallPrice } from './call-price.ts';
import type { CallRequest } from './call-request.ts';
import { ConfigError } from './errors.ts';
import { checkGuardOptions, type SpendGuardOptions } from './guard-options.ts';
import { checkedIdentity, type Identity } from './identity.ts';

/** Who pays for a call, and with what it is priced. */
export interface BoundCall {
  readonly identity: Identity;
  readonly accounts: readonly BoundAccount[];
  readonly price: CallPrice;
  /** False where no budget binds it, and each call must be bound. */
  readonly isBound: boolean;
}

const NOBODY: Identity = {};

/**
 * @param since a limit that was asked for then, or later, counts however short a time it is good for:
 * ms since the epoch.
 */
export type Excepting = (
  accounts: BoundAccount[],
  identity: Identity,
  since?: number,
) => BoundAccount[];

/** Finds the accounts and the price of a call. */
export class CallBinder {
  readonly ambient: AmbientIdentity;
  readonly options: SpendGuardOptions;
  readonly rules: readonly BudgetRule[];
  readonly #secrets: ReadonlySet<string>;
  memo: BindingMemo;
  /** What budgets with exceptions need is being loaded, or is there; null: no budget has any. */
  readonly exceptions: Promise<BudgetExceptions> | null = null;
  /** Gives the accounts of an identity the terms that it has on them. */
  except: Excepting = (accounts) => accounts;

  /** @throws ConfigError for options and budgets that are not valid, and for USD without prices. */
  constructor(options: SpendGuardOptions, ambient: AmbientIdentity = new AmbientIdentity()) {
    checkGuardOptions(options);
    this.ambient = ambient;
    this.options = { ...options };
    const budgets = defineBudgets(options.budgets);
    this.rules = budgets.map(compileBudget);
    this.#secrets = new Set(['apiKey', ...(options.secrets ?? [])]);
    this.memo = new BindingMemo(this.rules);
    const money = this.rules.find(({ unit }) => unit === 'usd');
    if (money && !options.prices) {
      throw new ConfigError(
        `Budget "${money.budget}" is in USD, and nobody says what models cost. Add ` +
          "`prices: createPriceBook()` from '@hardcap/prices', or limit tokens or requests instead.",
      );
    }
    if (options.limits || budgets.some(isExceptional)) {
      this.exceptions = this.#loadExceptions(budgets);
      // Whoever waits for it is told.
      this.exceptions.catch(() => {});
    }
  }

  /**
   * @param since when limits were first asked for on behalf of the call; nothing if they were not.
   * @throws UnpricedModelError when a budget in USD binds the call and the model has no price.
   */
  bind(request: CallRequest, at: number, since?: number): BoundCall {
    const { provider, model, identity: own = NOBODY } = request;
    // Joined only where there is something to add: most calls bring their whole identity themselves.
    const fallback = this.#fallback(request.defaultIdentity);
    const given = fallback === undefined ? own : { ...fallback, ...own };
    const binding =
      this.memo.find(given, provider, model) ?? this.#bindAnew(given, request, at, since);
    const { identity, accounts, countsMoney } = binding;
    const { prices, unbudgeted } = this.options;
    const price = new CallPrice(prices, request, at, countsMoney && !prices?.passesUnpriced);
    const isCounted = price.quote === null ? !countsMoney : !price.isFree;
    const isBound = accounts.length > 0 || unbudgeted === 'allow';
    return {
      identity,
      accounts: isCounted ? accounts : accounts.filter(bindsFree),
      price,
      isBound,
    };
  }

  #bindAnew(given: Identity, request: CallRequest, at: number, since?: number): Binding {
    const { provider, model } = request;
    const { prices } = this.options;
    const identity = this.checked({ ...given, provider, model });
    const asked: { price?: CallPrice } = {};
    const pricedAs = (): Identity | undefined => {
      asked.price ??= new CallPrice(prices, request, at, false);
      return asked.price.name;
    };
    const accounts = this.except(bindBudgets(this.rules, identity, pricedAs), identity, since);
    const countsMoney = accounts.some(({ rule }) => rule.unit === 'usd');
    // A copy, since the caller may change its object and use it again.
    const binding = { given: { ...given }, provider, model, identity, accounts, countsMoney };
    // A model without a price now may have one by the next call, and be known by its name.
    const isNamed = asked.price === undefined || asked.price.name !== undefined;
    if (isNamed || prices === undefined) this.memo.remember(binding);
    return binding;
  }

  /** An identity as a call made here and now would have it, without what the call itself adds. */
  identityOf(identity: Identity = NOBODY): Identity {
    return this.checked({ ...this.#fallback(), ...identity });
  }

  /** An identity as it may be shown: checked, with secrets hashed. */
  checked(identity: Identity): Identity {
    return checkedIdentity(identity, this.#secrets);
  }

  async #loadExceptions(budgets: readonly Budget[]): Promise<BudgetExceptions> {
    const { exceptionsFor } = await import('./on-demand.ts');
    return exceptionsFor(this, budgets);
  }

  /** What is known where a call says nothing: of its context, of its adapter, of the guard. */
  #fallback(ofAdapter?: Identity): Identity | undefined {
    const ambient = this.ambient.get();
    if (ambient === undefined && ofAdapter === undefined) return this.options.identity;
    return { ...this.options.identity, ...ofAdapter, ...ambient };
  }

  /** @throws MissingIdentityError that says what is missing. */
  async refuseUnbound({ model }: CallRequest, identity: Identity): Promise<never> {
    const { unboundError } = await import('./on-demand.ts');
    throw unboundError(this.rules, model, identity);
  }
}

function isExceptional({ overrides, exempt, mode, onSinkError }: Budget): boolean {
  return (overrides ?? exempt ?? mode ?? onSinkError) !== undefined;
}

/** What costs no money, or is not to be counted, budgets of money have no say in, unless they are blocked. */
function bindsFree({ rule }: BoundAccount): boolean {
  return rule.unit !== 'usd' || rule.blocked;
}
