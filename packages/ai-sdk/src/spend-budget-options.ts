import type { Estimate, Identity, Json } from '@hardcap/core';
import type { ModelId } from './middleware.ts';
import type { ModelCall } from './model-call.ts';

/** A value for all models, or found for each; undefined says nothing about a model. */
export type PerModel<Value> = Value | ((model: ModelId) => Value | undefined);

/** Options of `spendBudget`. */
export interface SpendBudgetOptions {
  /**
   * Who pays, where neither `providerOptions.hardcap` nor `guard.withIdentity` says: a record, or a
   * function that is asked before each call.
   */
  readonly identity?:
    | Identity
    | ((call: ModelId & { readonly params: ModelCall }) => Identity | PromiseLike<Identity>);
  /** How much a call holds before it is sent. @default the guard's, which is 'ceiling' */
  readonly estimate?: Estimate;
  /**
   * A call that does not fit as a whole is sent with a lower output limit, if so many tokens of
   * visible output remain. @default 256
   */
  readonly minOutputTokens?: number;
  /** How the input is counted: see `inputBound` of `@hardcap/core/input-bound`. @default 'balanced' */
  readonly inputEstimator?: 'balanced' | 'strict';
  /**
   * The output limit that calls without one are sent with. For models whose maximum the price book
   * does not know: their calls would have to hold the whole context window.
   */
  readonly maxOutputTokens?: PerModel<number>;
  /**
   * The most input tokens the model takes. Bounds a call with parts that cannot be counted from
   * here: files, server-side tools, previous responses. Where neither this nor the price book says
   * it, such a call is refused. @default what the price book knows
   */
  readonly contextWindow?: PerModel<number>;
  /**
   * What the reader of a stream gets when it is cut: an `error` part with the
   * `BudgetExceededError`, or a stream that ends with finish reason `length`. @default 'error'
   */
  readonly onCut?: 'error' | 'length';
  /** Written into the ledger beside every call. */
  readonly tags?: Readonly<Record<string, Json>>;
}

/** Options of `spendBudgetForEmbeddings`. */
export type EmbeddingBudgetOptions = Pick<
  SpendBudgetOptions,
  'identity' | 'estimate' | 'inputEstimator' | 'contextWindow' | 'tags'
>;

/** The parameters of a call, as the SDK gives them to its model: `text`, `audio`, `size`, `values`. */
export type CallParameters = Readonly<Record<string, unknown>>;

/** What is billed by the piece. */
export interface PieceOptions {
  /**
   * What one image costs in USD, or one call for speech, a transcription, a ranking or a video:
   * `'0.04'`, or a function of the model and the call. For models that are billed neither by tokens nor
   * tell what they cost. The price book has to know them all the same.
   */
  readonly pieceCost?: string | ((model: ModelId, call: CallParameters) => string | undefined);
}

/** Options of `spendBudgetForImages`. */
export interface ImageBudgetOptions extends EmbeddingBudgetOptions, PieceOptions {
  /** The most output tokens of one image. @default known for `gpt-image-1` alone */
  readonly imageTokens?: PerModel<number>;
}

/** Options of `withSpendBudget`, for all kinds of models. */
export interface SpendBudgetForAllOptions extends SpendBudgetOptions, ImageBudgetOptions {}

export function valueFor<Value extends string | number>(
  option: PerModel<Value> | undefined,
  model: ModelId,
): Value | undefined {
  return typeof option === 'function' ? option(model) : option;
}
