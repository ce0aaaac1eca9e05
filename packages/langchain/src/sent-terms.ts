import { type JsonObject, modelsNamedIn } from '@hardcap/core/adapter';
import { askedReasoning } from './asked-reasoning.ts';
import { callInput } from './call-input.ts';
import { requestsLongCacheWrites } from './input-traits.ts';
import { choicesOf, sentLimit } from './output-limit.ts';
import { askedTier } from './service-tier.ts';

/** What the price of a call depends on beside its messages, to be compared with that of another moment. */
export function sentTerms(params: JsonObject, model: unknown): string {
  const input = callInput([], params);
  return JSON.stringify([
    ...[modelsNamedIn(params, ''), askedTier(params), sentLimit(params, model), choicesOf(params)],
    ...[input.serverState, requestsLongCacheWrites([], params), askedReasoning(params)],
    // Ids that are new with each call are of the same length.
    JSON.stringify(input).length,
  ]);
}
