import type { BoundAccount } from './bound-budgets.ts';
import { chargedAmount, outputWithinAmount } from './call-amounts.ts';
import type { CallPrice } from './call-price.ts';
import type { HardcapError } from './errors.ts';
import type { TokenUsage } from './usage.ts';
import type { Claim, ExtendAnswer } from './usage-sink.ts';

export interface BoundClaim extends Claim {
  readonly account: BoundAccount;
}

/** The books of a call, as far as extending goes. */
export interface Extending {
  /** Of the reservation. */
  readonly id: string;
  extend(claims: readonly Claim[]): Promise<ExtendAnswer>;
}

/** What an open call holds on its accounts, and how much output that pays for. */
export class CallHold {
  readonly #inputTokens: number;
  readonly price: CallPrice;
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
    this.price = price;
    this.#books = books;
  }

  /** The output tokens up to which the hold suffices; infinite when no account counts them. */
  get room(): number {
    this.#room ??= this.outputWithin(({ amount }) => amount);
    return this.#room;
  }

  get claims(): readonly BoundClaim[] {
    return this.#claims;
  }

  /** The sink holds these now. */
  set claims(claims: readonly BoundClaim[]) {
    this.#claims = claims;
    this.#room = null;
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
    const { growHold } = await import('./on-demand.ts');
    return growHold(this, this.#books, produced);
  }

  /** The output tokens for which amounts would suffice. */
  outputWithin(available: (claim: BoundClaim) => number): number {
    let output = Number.POSITIVE_INFINITY;
    for (const claim of this.#claims) {
      const { account } = claim;
      if (!countsTokens(account)) continue;
      const { amount, inputTokens } = this.inputOf(account);
      const left = available(claim) - amount;
      const { rates } = this.price;
      output = Math.min(output, outputWithinAmount(account.rule, left, inputTokens, rates));
    }
    return output;
  }

  /** What the input comes to: an amount, once the provider has reported it, or tokens to be priced. */
  inputOf({ rule }: BoundAccount): { amount: number; inputTokens: number } {
    const early = this.#earlyInput;
    const amount =
      early === null ? 'hold' : chargedAmount(rule, early, this.price.costOf(early) ?? null);
    return amount === 'hold'
      ? { amount: 0, inputTokens: this.#inputTokens }
      : { amount, inputTokens: 0 };
  }
}

/** In money or in tokens. */
export function countsTokens(account: BoundAccount): boolean {
  return account.rule.unit === 'usd' || account.rule.unit === 'tokens';
}
