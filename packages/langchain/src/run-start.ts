import type { SpendGuard } from '@hardcap/core';
import { asObject, type JsonObject, listAt, numberAt, objectAt } from '@hardcap/core/adapter';
import { excludesCache } from './anthropic-package.ts';
import { channelOf } from './call-channel.ts';
import { callRequestOf } from './call-request-of.ts';
import { checkOptions } from './check-options.ts';
import { modelName } from './model-name.ts';
import { ObservedRun } from './observed-run.ts';
import { outputLimit, sentLimit } from './output-limit.ts';
import { reserved } from './reserved.ts';
import type { ModelName, SpendBudgetOptions } from './spend-budget-options.ts';
import { valueFor } from './spend-budget-options.ts';

/** What a callback is told when a call starts. */
export interface RunStart {
  /** What the model is serialised as. */
  readonly serialized: unknown;
  readonly messages: readonly unknown[];
  readonly extraParams: unknown;
  readonly metadata: unknown;
  readonly isChat: boolean;
}

/** Reserves for a call that is about to be made. @throws BudgetExceededError when a budget refuses. */
export async function reserveRun(
  start: RunStart,
  guard: SpendGuard,
  options: SpendBudgetOptions,
): Promise<ObservedRun> {
  const { messages, metadata } = start;
  checkOptions(objectAt(start.extraParams, 'options') ?? {});
  const params = paramsOf(start);
  const name = nameOf(start, options);
  const { tokens: limit, modelTokens } = outputLimit(params, objectAt(start.serialized, 'kwargs'));
  const isSaid = sentLimit(params, undefined) !== undefined;
  const stated = isSaid ? limit : (limit ?? numberAt(asObject(metadata), 'ls_max_tokens'));
  const request = await callRequestOf(
    {
      name,
      messages,
      params,
      maxOutputTokens: stated,
      // It sends no limit, so that the option only says what the price book may not know.
      modelOutputTokens: modelTokens ?? valueFor(options.maxOutputTokens, name),
      // Nothing that a callback can do reaches the wire.
      minOutputTokens: undefined,
      channel: channelOf(metadata),
    },
    options,
  );
  const spend = await reserved(guard, request);
  const longCacheWrites = request.longCacheWrites === true;
  const call = { spend, name, longCacheWrites, serviceTier: request.serviceTier };
  return new ObservedRun(
    { ...call, excludesCache: excludesCache(name, metadata) },
    start.isChat && !UNCUT.test(name.provider),
  );
}

/**
 * Mistral's package does not wait for the callback of a token, and Google's leave the connection open
 * when one throws: the provider would go on, and nobody would hear what it bills.
 */
const UNCUT = /^(?:mistral|google)/;

/** What the model says it sends, with the tier that Google's package has in a header for Vertex. */
function paramsOf({ extraParams, serialized }: RunStart): JsonObject {
  const params = objectAt(extraParams, 'invocation_params') ?? {};
  const serviceTier =
    params['serviceTier'] ??
    objectAt(extraParams, 'options')?.['serviceTier'] ??
    objectAt(serialized, 'kwargs')?.['service_tier'];
  return serviceTier === undefined ? params : { ...params, serviceTier };
}

function nameOf(start: RunStart, options: SpendBudgetOptions): ModelName {
  const kind = listAt(asObject(start.serialized), 'id')[2];
  const name = modelName({
    lsParams: start.metadata,
    invocationParams: objectAt(start.extraParams, 'invocation_params'),
    model: objectAt(start.serialized, 'kwargs'),
    kind: typeof kind === 'string' ? kind : undefined,
  });
  const { provider = name.provider } = options;
  return { ...name, provider };
}
