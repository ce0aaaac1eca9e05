import { asObject } from '@hardcap/core/adapter';
import { type ChatModel, derived } from './chat-model.ts';

type Send = (body: unknown, options: unknown) => Promise<unknown>;

interface GoogleClient {
  readonly generateContent?: Send;
  readonly generateContentStream?: Send;
}

/**
 * The model, hearing a signal while it waits for its provider. All do that hear the signal of their
 * call; but the packages of Anthropic and Google of LangChain 0.3 keep it from the request of a
 * stream, Google's of both majors from that of a whole answer, and Mistral's from all.
 */
export function abortableModel(model: ChatModel, signal: AbortSignal): ChatModel {
  const withSignal = (options: unknown) => ({ ...asObject(options), signal });
  const own: Record<string, unknown> = {};
  const { createStreamWithRetry: request, client } = model as {
    readonly createStreamWithRetry?: Send;
    readonly client?: GoogleClient;
  };
  if (typeof request === 'function') {
    own['createStreamWithRetry'] = (body: unknown, options: unknown) =>
      request.call(model, body, withSignal(options));
  }
  if (typeof client?.generateContentStream === 'function') {
    own['client'] = derived(client, googleRequests(client, withSignal));
  }
  if (model._llmType() === 'mistral_ai') own['httpClient'] = mistralClient(model, signal);
  return Object.keys(own).length === 0 ? model : derived(model, own);
}

interface HttpClient {
  request(request: Request): Promise<Response>;
}

/** Mistral's package hands a signal to nothing; it makes a client of its own unless the model has one. */
function mistralClient(model: object, signal: AbortSignal): HttpClient {
  const { httpClient } = model as { readonly httpClient?: HttpClient };
  return {
    request: (given) => {
      const request = new Request(given, { signal: AbortSignal.any([given.signal, signal]) });
      return httpClient === undefined ? fetch(request) : httpClient.request(request);
    },
  };
}

function googleRequests(
  { generateContent, generateContentStream }: GoogleClient,
  withSignal: (options: unknown) => object,
): object {
  return {
    generateContent(this: unknown, body: unknown, options: unknown) {
      return generateContent?.call(this, body, withSignal(options));
    },
    async generateContentStream(this: unknown, body: unknown, options: unknown) {
      const result = await generateContentStream?.call(this, body, withSignal(options));
      // It comes to the same end as the stream, and nobody listens: Node would end the process.
      (asObject(result)?.['response'] as Promise<unknown> | undefined)?.catch(() => {});
      return result;
    },
  };
}
