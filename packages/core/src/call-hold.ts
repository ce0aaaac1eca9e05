import type { BoundAccount } from './bound-budgets.ts';
import { ceilingAmount, chargedAmount, outputWithinAmount } from './call-amounts.ts';
import type { CallPrice } from './call-price.ts';
import { denialOf, type Refusal } from './denial.ts';
import { BudgetExceededError, type HardcapError, ReservationMismatchError } from './errors.ts';
import type { TokenUsage } from './usage.ts';
import type { Claim, ExtendAnswer } from './usage-sink.ts';

export interface BoundClaim extends Claim {
  readonly account: BoundAccount;
}

interface Extending {
  /** Of the reservation. */
  readonly id: string;
  extend(claims: readonly Claim[]): Promise<ExtendAnswer>;
}

/** How many output tokens a growing hold takes at a time. */
const SLICE_TOKENS = 256;
/** How often other calls may get in between asking what is left and taking it. */
const MAX_ATTEMPTS = 4;

/** What an open call holds on its accounts, and how much output that pays for. */
export class CallHold {
  readonly #inputTokens: number;
  readonly #price: CallPrice;
  readonly #books: Extending;
  #claims: readonly BoundClaim[];
  #earlyInput: TokenUsage | null = null;
  // Reckoned at the first chunk: a call that does not stream never asks.
  #room: number | null = null;

  constructor(
    claims: readonly BoundClaim[],
    inputTokens: number,
    price: CallPrice,
    books: Extending,
  ) {
    this.#claims = claims;
    this.#inputTokens = inputTokens;
    this.#price = price;
    this.#books = books;
  }

  /** The output tokens up to which the hold suffices; infinite when no account counts them. */
  get room(): number {
    this.#room ??= this.#outputWithin(({ amount }) => amount);
    return this.#room;
  }

  get claims(): readonly BoundClaim[] {
    return this.#claims;
  }

  /** From here on the input counts as what the provider reported instead of as its bound. */
  replaceInput(usage: TokenUsage): void {
    this.#earlyInput = usage;
    this.#room = null;
  }

  /**
   * Extends the hold to so many output tokens and a slice beyond, or else as far as the budgets go.
   * Undefined when the hold suffices now, otherwise why not.
   */
  async grow(produced: number): Promise<HardcapError | undefined> {
    let target = produced + SLICE_TOKENS;
    let refusals: readonly Refusal[] = [];
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const claims = this.#claimsFor(target);
      const answer = await this.#books.extend(claims);
      if (answer.status === 'extended') {
        this.#claims = claims;
        this.#room = null;
        return undefined;
      }
      if (answer.status !== 'refused') {
        const ended = answer.status === 'never-held' ? 'forgotten by the sink' : answer.first;
        return new ReservationMismatchError(this.#books.id, ended);
      }
      refusals = answer.refusals;
      if (target === produced) break;
      // What was produced is asked for at last, so that the refusal is about what is missing.
      target = Math.max(produced, this.#outputFitting(refusals));
    }
    return new BudgetExceededError(denialOf(refusals));
  }

  #claimsFor(outputTokens: number): BoundClaim[] {
    return this.#claims.map((held) => {
      const { account } = held;
      if (!countsTokens(account)) return held;
      const { amount, inputTokens } = this.#input(account);
      const size = { inputTokens, outputTokens };
      const ceiling = amount + ceilingAmount(account.rule, size, this.#price.rates);
      return { account, amount: Math.max(held.amount, ceiling) };
    });
  }

  /** The output tokens for which the hold could be raised, going by the figures of a refusal. */
  #outputFitting(refusals: readonly Refusal[]): number {
    return this.#outputWithin(({ account, amount }) => {
      const refusal = refusals.find(({ account: key }) => key === account.key);
      if (refusal === undefined) return Number.MAX_SAFE_INTEGER;
      if (refusal.kind === 'blocked') return amount;
      return Math.max(amount, (refusal.limit ?? 0) - refusal.committed - refusal.held);
    });
  }

  #outputWithin(available: (claim: BoundClaim) => number): number {
    let output = Number.POSITIVE_INFINITY;
    for (const claim of this.#claims) {
      const { account } = claim;
      if (!countsTokens(account)) continue;
      const { amount, inputTokens } = this.#input(account);
      const left = available(claim) - amount;
      const { rates } = this.#price;
      output = Math.min(output, outputWithinAmount(account.rule, left, inputTokens, rates));
    }
    return output;
  }

  /** What the input comes to: an amount, once the provider has reported it, or tokens to be priced. */
  #input({ rule }: BoundAccount): { amount: number; inputTokens: number } {
    const early = this.#earlyInput;
    const amount =
      early === null ? 'hold' : chargedAmount(rule, early, this.#price.costOf(early) ?? null);
    return amount === 'hold'
      ? { amount: 0, inputTokens: this.#inputTokens }
      : { amount, inputTokens: 0 };
  }
}

/** In money or in tokens. */
export function countsTokens(account: BoundAccount): boolean {
  return account.rule.unit === 'usd' || account.rule.unit === 'tokens';
}
