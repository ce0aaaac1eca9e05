import type { Decimal } from './pico-rate.ts';
import type { RateOverride } from './rate-override.ts';

/**
 * Everything is keyed by `provider/model`, the provider as your framework names it: `openai/gpt-5.1`,
 * `azure/my-deployment`, `openrouter/qwen/qwen3-32b`.
 */
export interface PriceBookOptions {
  /** Your own prices, in place of the table's. They hold for dated snapshots of a model as well. */
  readonly overrides?: Readonly<Record<string, RateOverride>>;
  /**
   * Models under names of your own, such as an Azure deployment or the ARN of an inference profile:
   * `{ 'azure/my-deployment': 'openai/gpt-5.1' }`. With a `*` at both ends, all models of a provider:
   * `{ 'my-proxy/*': 'openai/*' }`.
   */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Models that cost nothing, which USD budgets do not stop; a `*` may end a name: `ollama/*`. */
  readonly free?: readonly string[];
  /**
   * What becomes of a model without a certain price. It is charged at a ceiling: write the most that a
   * token can cost, as every kind of input, cached or not, is charged at `input`. Or its calls pass
   * `uncounted` by budgets in USD: these then say nothing of what they cost.
   *
   * @default such a model is refused with an UnpricedModelError
   */
  readonly unknownModel?: 'uncounted' | { readonly ceiling: CeilingRates };
  /**
   * Factors on the table's token rates, for what it does not know: a regional endpoint, a discount. A
   * `*` may end a name: `{ 'azure/*': '1.1' }`. The longest name counts; one without a `*` is also that
   * of its dated snapshots. With a tier of service behind it, a factor is for calls at that tier alone,
   * on top of the other: `{ 'openai/*@priority': '2' }`.
   */
  readonly multipliers?: Readonly<Record<string, Decimal>>;
}

/** USD per million tokens. */
export interface CeilingRates {
  readonly input: Decimal;
  readonly output: Decimal;
}
