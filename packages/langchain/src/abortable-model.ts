import { asObject } from '@hardcap/core/adapter';
import { type ChatModel, derived } from './chat-model.ts';

type Request = (body: unknown, options: unknown) => Promise<unknown>;

interface GoogleClient {
  readonly generateContent?: Request;
  readonly generateContentStream?: Request;
}

/**
 * The model, hearing a signal while it waits for its provider. All do that hear the signal of their
 * call; but the packages of Anthropic and Google of LangChain 0.3 keep it from the request of a
 * stream, and Google's of both majors from that of a whole answer.
 */
export function abortableModel(model: ChatModel, signal: AbortSignal): ChatModel {
  const withSignal = (options: unknown) => ({ ...asObject(options), signal });
  const own: Record<string, unknown> = {};
  const { createStreamWithRetry: request, client } = model as {
    readonly createStreamWithRetry?: Request;
    readonly client?: GoogleClient;
  };
  if (typeof request === 'function') {
    own['createStreamWithRetry'] = (body: unknown, options: unknown) =>
      request.call(model, body, withSignal(options));
  }
  if (typeof client?.generateContentStream === 'function') {
    own['client'] = derived(client, googleRequests(client, withSignal));
  }
  return Object.keys(own).length === 0 ? model : derived(model, own);
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
