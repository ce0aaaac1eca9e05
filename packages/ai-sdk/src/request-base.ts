import type { CallRequest, Identity } from '@hardcap/core';
import type { HardcapCallOptions } from './call-channel.ts';
import type { ModelId } from './middleware.ts';
import type { SpendBudgetOptions } from './spend-budget-options.ts';

/** What a call of any kind says of itself beside its size. */
export type RequestBase = Pick<
  CallRequest,
  'provider' | 'model' | 'estimate' | 'identity' | 'defaultIdentity' | 'operationId' | 'tags'
>;

export async function requestBase(
  params: object,
  { provider, modelId }: ModelId,
  channel: HardcapCallOptions = {},
  options: Pick<SpendBudgetOptions, 'identity' | 'estimate' | 'tags'>,
): Promise<RequestBase> {
  const { identity, operationId } = channel;
  const { estimate } = options;
  const defaultIdentity = await identityFor(params, { provider, modelId }, options);
  const tags = { ...options.tags, ...channel.tags };
  return {
    provider,
    model: modelId,
    ...(estimate === undefined ? {} : { estimate }),
    ...(identity === undefined ? {} : { identity }),
    ...(defaultIdentity === undefined ? {} : { defaultIdentity }),
    ...(operationId === undefined ? {} : { operationId }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
  };
}

async function identityFor(
  params: object,
  model: ModelId,
  { identity }: Pick<SpendBudgetOptions, 'identity'>,
): Promise<Identity | undefined> {
  return typeof identity === 'function' ? identity({ ...model, params }) : identity;
}
