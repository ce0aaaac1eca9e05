import type { BoundClaim } from './call-hold.ts';
import type { BoundReserveRequest } from './outage.ts';
import type { Claim, SettleRequest } from './usage-sink.ts';

/** An open call that may go on while the sink is away, and what of it the sink does not know. */
export class CallWithoutSink {
  /** As it was first asked for: what a sink that has the call under its id has. */
  readonly request: BoundReserveRequest;
  /** False where the sink has not answered it. */
  isKnown: boolean;
  isSettled = false;
  /** By account: what was admitted, or has been spent, beyond what the sink holds. */
  readonly unknown: Map<string, number> = new Map();
  readonly #amounts: Map<string, number>;

  constructor(request: BoundReserveRequest, isKnown: boolean) {
    this.request = request;
    this.isKnown = isKnown;
    this.#amounts = amountsOf(request.claims);
    if (!isKnown) for (const [key, amount] of this.#amounts) this.unknown.set(key, amount);
  }

  /** The sink holds these now. */
  held(claims: readonly Claim[]): void {
    this.isKnown = true;
    this.unknown.clear();
    for (const { account, amount } of claims) this.#amounts.set(account.key, amount);
  }

  /** What these are more than now, where they are. */
  growth(claims: readonly BoundClaim[]): BoundClaim[] {
    return claims
      .map(({ account, amount }) => ({ account, amount: amount - this.#amount(account.key) }))
      .filter(({ amount }) => amount > 0);
  }

  /** Goes on with so much more, which the sink does not know of. */
  grow(growth: readonly BoundClaim[]): void {
    for (const { account, amount } of growth) {
      this.unknown.set(account.key, (this.unknown.get(account.key) ?? 0) + amount);
      this.#amounts.set(account.key, this.#amount(account.key) + amount);
    }
  }

  /** What it costs counts from here on, until the sink knows. */
  settled({ charges }: SettleRequest): void {
    this.isSettled = true;
    if (this.isKnown) return;
    for (const { account, amount } of charges) {
      if (amount !== 'hold') this.unknown.set(account, amount);
    }
  }

  /** It was not sent. */
  released(): void {
    this.unknown.clear();
  }

  /**
   * A settlement that can be carried out as it is: with what the call holds here, where the sink holds
   * less; and where it may hold nothing, it says so.
   */
  marked(request: SettleRequest): SettleRequest {
    if (this.isKnown && this.unknown.size === 0) return request;
    const charges = request.charges.map(({ account, amount }) => {
      return { account, amount: amount === 'hold' ? this.#amount(account) : amount };
    });
    const { details } = request;
    return {
      ...request,
      charges,
      details: this.isKnown ? details : { ...details, withoutSink: true },
    };
  }

  #amount(key: string): number {
    return this.#amounts.get(key) ?? 0;
  }
}

function amountsOf(claims: readonly Claim[]): Map<string, number> {
  return new Map(claims.map(({ account, amount }) => [account.key, amount]));
}
