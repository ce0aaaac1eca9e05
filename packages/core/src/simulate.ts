/** What a proposed configuration would have made of recorded calls. */
import { type BoundAccount, type BudgetRule, bindBudgets, compileBudget } from './bound-budgets.ts';
import { defineBudgets } from './budget.ts';
import { BudgetExceptions } from './budget-exceptions.ts';
import type { Refusal } from './denial.ts';
import { InvalidArgumentError } from './errors.ts';
import type { GuardConfig } from './guard-config.ts';
import type { Identity } from './identity.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import { MemoryStore } from './memory-store.ts';
import { PeakTable } from './peak-use.ts';
import type { PriceBook, PriceSnapshot } from './price-book.ts';
import { RecentMap } from './recent-map.ts';
import {
  costsMoney,
  quoteFor,
  type ReplayedClaim,
  recordedCost,
  replayedChange,
  replayedClaim,
} from './replayed-call.ts';
import type { SimulatedBudget, SimulateOptions, Simulation } from './simulation.ts';
import type { Charge } from './usage-sink.ts';

export type { PeakUse } from './peak-use.ts';
export type { SimulatedBudget, SimulateOptions, Simulation } from './simulation.ts';

type Draft<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** What became of a call: charges on these accounts, or a refusal by these budgets. */
type PastCall =
  | { readonly accounts: readonly BoundAccount[]; readonly charges: readonly Charge[] }
  | { readonly refusedBy: readonly string[] };

/** How many calls are remembered for what the ledger says of them later. */
const REMEMBERED = 10_000;
const TTL_MS = 86_400_000;

/**
 * Replays recorded calls, one after the other at the times of their entries, under a proposed
 * configuration: who would have been refused, by what, and what that would have saved. Nothing is sent,
 * and no sink is touched. A stream of any length is read once; memory is for the accounts.
 *
 * A refused call is not charged, so it leaves room for later ones, as it would have; that an agent might
 * have gone another way then, nobody knows.
 *
 * @throws ConfigError for budgets that are not valid.
 */
export async function simulate(
  config: Pick<GuardConfig, 'budgets' | 'unbudgeted'>,
  entries: AsyncIterable<LedgerEntry> | Iterable<LedgerEntry>,
  options: SimulateOptions = {},
): Promise<Simulation> {
  const replay = new Replay(config, options);
  for await (const entry of entries) await replay.take(entry);
  return replay.result();
}

class Replay {
  readonly #rules: readonly BudgetRule[];
  readonly #exceptions: BudgetExceptions;
  readonly #allowsUnbound: boolean;
  readonly #prices: PriceBook | undefined;
  readonly #asksHeld: boolean;
  readonly #sink: MemoryStore;
  readonly #peaks: PeakTable;
  readonly #budgets: ReadonlyMap<string, Draft<SimulatedBudget>>;
  readonly #past: RecentMap<PastCall> = new RecentMap(REMEMBERED);
  readonly #totals = { calls: 0, denied: 0, unbound: 0, costNanoUsd: 0, savedNanoUsd: 0 };
  #from: number | null = null;
  #now = Number.NEGATIVE_INFINITY;
  #count = 0;
  #adjustments = 0;

  constructor(config: Pick<GuardConfig, 'budgets' | 'unbudgeted'>, options: SimulateOptions) {
    const { maxAccounts = 1_000 } = options;
    if (!Number.isSafeInteger(maxAccounts) || maxAccounts < 1) {
      throw new InvalidArgumentError(`maxAccounts is a whole number from 1, not ${maxAccounts}.`);
    }
    const budgets = defineBudgets(config.budgets);
    this.#rules = budgets.map(compileBudget);
    this.#exceptions = new BudgetExceptions(budgets, this.#rules);
    this.#allowsUnbound = config.unbudgeted === 'allow';
    this.#prices = options.prices;
    this.#asksHeld = options.ask === 'held';
    this.#sink = new MemoryStore({ now: () => this.#now, ledgerCapacity: 1 });
    this.#peaks = new PeakTable(maxAccounts);
    const none = { denied: 0, savedNanoUsd: 0, unmeasured: 0 };
    this.#budgets = new Map(
      this.#rules.map(({ budget, unit }, place) => {
        const isShadow = budgets[place]?.mode === 'shadow';
        const replayed = unit !== 'concurrent';
        return [budget, { budget, ...none, replayed, ...(isShadow && { shadow: true }) }];
      }),
    );
  }

  async take(entry: LedgerEntry): Promise<void> {
    this.#from ??= entry.at;
    this.#now = Math.max(this.#now, entry.at);
    this.#count += 1;
    // Its calls are replayed on the accounts that paid for it, and a call is by the entry that tells it.
    if (entry.grant !== undefined || entry.apartNanoUsd !== undefined) return;
    if (entry.kind === 'settlement' || entry.kind === 'expiry') this.#call(entry);
    else if (entry.kind === 'adjustment' && entry.change?.type !== 'correction') {
      this.#adjustments += 1;
    } else await this.#correct(entry);
  }

  result(): Simulation {
    return {
      ...this.#totals,
      from: this.#from,
      to: this.#from === null ? null : this.#now,
      budgets: [...this.#budgets.values()],
      accounts: this.#peaks.fullest(),
      accountsLeftOff: this.#peaks.leftOff,
      adjustmentsLeftOut: this.#adjustments,
    };
  }

  #call(entry: LedgerEntry): void {
    if (entry.outcome === 'not-sent') return;
    const cost = recordedCost(entry, this.#prices);
    this.#totals.calls += 1;
    this.#totals.costNanoUsd += cost ?? 0;
    const { identity = {}, provider = '', model = '', price } = entry;
    const who = { ...identity, provider, model };
    const pricedAs = () => namesIn(price ?? quoteFor(entry, this.#prices)?.snapshot);
    const bound = this.#exceptions.applied(bindBudgets(this.#rules, who, pricedAs), who);
    if (bound.length === 0) {
      if (this.#allowsUnbound) return;
      this.#totals.unbound += 1;
      this.#deny(entry, cost, []);
      return;
    }
    const paying = costsMoney(entry, cost)
      ? bound
      : bound.filter(({ rule }) => rule.unit !== 'usd' || rule.blocked);
    const claims = paying.flatMap((account) => this.#claim(account, entry, cost));
    this.#reserve(entry, claims, cost);
  }

  #claim(account: BoundAccount, entry: LedgerEntry, cost: number | null): ReplayedClaim[] {
    const { budget, unit } = account.rule;
    if (unit === 'concurrent') return [];
    const claim = replayedClaim(account, entry, cost, this.#asksHeld);
    if (claim !== undefined) return [claim];
    const counted = this.#budgets.get(budget);
    if (counted !== undefined) counted.unmeasured += 1;
    return [];
  }

  #reserve(entry: LedgerEntry, claims: readonly ReplayedClaim[], cost: number | null): void {
    const id = `replay-${this.#count}`;
    const accounts = claims.map(({ account }) => account);
    const answer = this.#sink.reserve({
      id,
      claims: claims.map(({ account, asked }) => ({ account, amount: asked })),
      ttlMs: TTL_MS,
    });
    const { refusals = [] } = answer;
    for (const { account: key } of refusals) {
      const account = accounts.find((each) => each.key === key);
      if (account !== undefined) this.#peaks.deny(account, this.#now);
    }
    // In the shadow, budgets refuse a call that goes on.
    const refusedBy = this.#refused(refusals, cost);
    if (!answer.admitted) {
      this.#deny(entry, cost, refusedBy);
      return;
    }
    const charges = claims.map(({ account, amount }) => ({ account: account.key, amount }));
    const settled = this.#sink.settle({ id, outcome: 'known', charges, details: {} });
    if (settled.status !== 'settled') return;
    // Copied: what the sink hands out it may go on to use.
    this.#remember(entry, { accounts, charges: settled.charged.map((charge) => ({ ...charge })) });
    this.#note(accounts);
  }

  #refused(refusals: readonly Refusal[], cost: number | null): string[] {
    return refusals.map(({ budget }) => {
      const counted = this.#budgets.get(budget);
      if (counted !== undefined) {
        counted.denied += 1;
        counted.savedNanoUsd += cost ?? 0;
      }
      return budget;
    });
  }

  #deny(entry: LedgerEntry, cost: number | null, refusedBy: readonly string[]): void {
    this.#totals.denied += 1;
    this.#totals.savedNanoUsd += cost ?? 0;
    this.#remember(entry, { refusedBy });
  }

  #save(nano: number, refusedBy: readonly string[]): void {
    this.#totals.savedNanoUsd += nano;
    for (const budget of refusedBy) {
      const counted = this.#budgets.get(budget);
      if (counted !== undefined) counted.savedNanoUsd += nano;
    }
  }

  #remember({ reservation }: LedgerEntry, call: PastCall): void {
    if (reservation !== undefined) this.#past.set(reservation, call);
  }

  /** What the ledger says later of a call. */
  async #correct(entry: LedgerEntry): Promise<void> {
    const change = entry.change?.type === 'correction' ? entry.change.reservation : undefined;
    const reservation = entry.reservation ?? change ?? '';
    const costChange = entry.costChangeNanoUsd ?? 0;
    this.#totals.costNanoUsd += costChange;
    const past = this.#past.get(reservation);
    if (past === undefined) return;
    if ('refusedBy' in past) this.#save(costChange, past.refusedBy);
    else await this.#change(entry, reservation, past.accounts, past.charges);
  }

  async #change(
    entry: LedgerEntry,
    reservation: string,
    accounts: readonly BoundAccount[],
    charges: readonly Charge[],
  ): Promise<void> {
    const [first] = accounts;
    if (first === undefined) return;
    const changes = charges.map((charge, place) => {
      const { rule } = accounts[place] as BoundAccount;
      return { ...charge, amount: replayedChange(rule, entry, charge.amount) };
    });
    const id = `replay-${this.#count}`;
    const correction = { type: 'correction', reservation, charges: changes } as const;
    await this.#sink.adjust({ id, account: first, change: correction, details: {} });
    const amountOf = (place: number): number => changes[place]?.amount ?? 0;
    this.#past.set(reservation, {
      accounts,
      charges: charges.map((charge, place) => ({
        ...charge,
        amount: charge.amount + amountOf(place),
      })),
    });
    this.#note(accounts);
  }

  #note(accounts: readonly BoundAccount[]): void {
    for (const [place, { committed }] of this.#sink.read(accounts).entries()) {
      this.#peaks.note(accounts[place] as BoundAccount, committed, this.#now);
    }
  }
}

/** What a call was priced as. */
function namesIn(price?: PriceSnapshot | null): Identity | undefined {
  return price ? { provider: price.provider, model: price.model } : undefined;
}
