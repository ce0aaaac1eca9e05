import { derived } from './chat-model.ts';

type Request = (body: unknown, streaming: unknown) => Promise<unknown>;

/** What sends a request, perhaps again and again. */
interface Caller {
  call(callable: () => Promise<unknown>): Promise<unknown>;
}

/** A model of Mistral's package, which makes an `AsyncCaller` for each request. */
interface HidingModel {
  readonly maxRetries?: number | undefined;
  completionWithRetry: Request;
}

export function hidesCaller(sender: object): sender is HidingModel {
  const model = sender as Partial<HidingModel> & { _llmType?(): string };
  return typeof model.completionWithRetry === 'function' && model._llmType?.() === 'mistral_ai';
}

/** A member that sends the requests of such a model once each, and again as the given caller does. */
export function revealedCaller(model: HidingModel, caller: Caller): Record<string, Request> {
  return {
    completionWithRetry(this: object, ...given) {
      const once = derived(this, { maxRetries: 0 });
      return caller.call(() => model.completionWithRetry.apply(once, given));
    },
  };
}
