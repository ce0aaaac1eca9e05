import type { Estimate, Identity, Json } from '@hardcap/core';

/** A model by the names that it is priced by. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/** A value for all models, or found for each; undefined says nothing about a model. */
export type PerModel<Value> = Value | ((model: ModelName) => Value | undefined);

/** Options of `withSpendBudget`, and of everything that guards a model. */
export interface SpendBudgetOptions {
  /**
   * Who pays, where neither the metadata of the run nor `guard.withIdentity` says: a record, or a
   * function that is asked before each call.
   */
  readonly identity?: Identity | ((model: ModelName) => Identity | PromiseLike<Identity>);
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
   * The output limit that calls without one are sent with. For models whose maximum neither the
   * model object nor the price book knows: their calls would have to hold the whole context window.
   * A handler sends nothing: there it is that maximum.
   */
  readonly maxOutputTokens?: PerModel<number>;
  /**
   * The most input tokens the model takes. Bounds a call with parts that cannot be counted from
   * here: files, server-side tools, previous responses. Where neither this nor the price book says
   * it, such a call is refused.
   *
   * @default what the price book knows
   */
  readonly contextWindow?: PerModel<number>;
  /**
   * How long a call waits, in ms, where a budget refuses it only because of what open calls hold:
   * they give back what they do not use when they settle.
   *
   * @default the guard's
   */
  readonly waitForHeadroomMs?: number;
  /**
   * The provider that bills, where it is not the one that the class of the model stands for: a
   * gateway behind `ChatOpenAI`, say.
   *
   * @default what the model says
   */
  readonly provider?: string;
  /** Written into the ledger beside every call. */
  readonly tags?: Readonly<Record<string, Json>>;
}

export function valueFor<Value extends string | number>(
  option: PerModel<Value> | undefined,
  model: ModelName,
): Value | undefined {
  return typeof option === 'function' ? option(model) : option;
}
