import { createOpenAI, type OpenAIProvider } from '@ai-sdk/openai';
import type { Exchange } from '@hardcap/test/wire/exchange.ts';
import type { Reply } from '@hardcap/test/wire/reply.ts';
import type { WireRequest } from '@hardcap/test/wire/wire-request.ts';
import { startWireServer } from '@hardcap/test/wire/wire-server.ts';

export const MODEL = 'gpt-5.1';

/** The provider the demo talks to, and what can be known of its side. */
export interface DemoProvider {
  readonly openai: OpenAIProvider;
  /** For another process; null for the real one. */
  readonly baseUrl: string | null;
  /** Null where the provider keeps its books to itself. */
  readonly books: ProviderBooks | null;
  close(): Promise<void>;
}

export interface ProviderBooks {
  readonly exchanges: readonly Exchange[];
  billedNanoUsd(): number;
}

/** The real one: needs OPENAI_API_KEY, and costs what it says. */
export function liveProvider(): DemoProvider {
  return { openai: createOpenAI(), baseUrl: null, books: null, close: async () => {} };
}

// Pico-USD per token: the list price of the model, kept apart from what hardcap goes by.
const PRICE = {
  input: 1_250_000,
  cacheRead: 125_000,
  cacheWrite5m: 1_250_000,
  cacheWrite1h: 1_250_000,
  output: 10_000_000,
};
const BYTES_PER_TOKEN = 4.8;

/** A server on this machine that speaks OpenAI's protocol and keeps a provider's books. */
export async function localProvider(): Promise<DemoProvider> {
  const server = await startWireServer({ prices: { [MODEL]: PRICE }, reply });
  const baseUrl = server.openaiBaseUrl;
  const openai = createOpenAI({ apiKey: 'none', baseURL: baseUrl });
  return { openai, baseUrl, books: server, close: () => server.close() };
}

/** An agent gets one more page to read, for ever; a stream does not end; a question gets an answer. */
function reply(request: WireRequest): Reply {
  const inputTokens = Math.ceil(JSON.stringify(request.body).length / BYTES_PER_TOKEN);
  if (request.body['tools'] === undefined && !request.streaming) {
    return { inputTokens, outputTokens: 200, reasoningTokens: 400, pace: { everyMs: 1 } };
  }
  if (request.streaming) {
    return { inputTokens, outputTokens: 20_000, ignoreOutputLimit: true, pace: { everyMs: 1 } };
  }
  const url = `https://example.org/page/${inputTokens}`;
  const toolCalls = [{ name: 'readPage', arguments: { url } }];
  return { inputTokens, outputTokens: 40, reasoningTokens: 900, toolCalls };
}
