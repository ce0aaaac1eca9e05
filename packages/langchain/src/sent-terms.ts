import { type JsonObject, modelsNamedIn } from '@hardcap/core/adapter';
import { choicesOf, sentLimit } from './output-limit.ts';
import { askedTier } from './service-tier.ts';

/** What the price of a call depends on beside its input, to be compared with that of another moment. */
export function sentTerms(params: JsonObject, model: unknown): string {
  const models = modelsNamedIn(params, '');
  return JSON.stringify([models, askedTier(params), sentLimit(params, model), choicesOf(params)]);
}
