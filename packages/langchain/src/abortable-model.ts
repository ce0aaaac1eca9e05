import { asObject } from '@hardcap/core/adapter';
import { type ChatModel, derived } from './chat-model.ts';

/**
 * The model, hearing a signal while it waits for its provider. All do that hear the signal of their
 * call; but Anthropic's package of LangChain 0.3 keeps it from the request of a stream.
 */
export function abortableModel(model: ChatModel, signal: AbortSignal): ChatModel {
  const request = (model as { readonly createStreamWithRetry?: unknown }).createStreamWithRetry;
  if (typeof request !== 'function') return model;
  return derived(model, {
    createStreamWithRetry: (body: unknown, options: unknown) =>
      request.call(model, body, { ...asObject(options), signal }) as unknown,
  });
}
