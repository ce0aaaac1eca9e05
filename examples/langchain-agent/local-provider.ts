import type { Reply } from '@hardcap/test/wire/reply.ts';
import type { WireRequest } from '@hardcap/test/wire/wire-request.ts';
import { startWireServer, type WireServer } from '@hardcap/test/wire/wire-server.ts';

export const MODEL = 'gpt-5.1';

// Pico-USD per token: the list price of the model, kept apart from what hardcap goes by.
const PRICE = {
  input: 1_250_000,
  cacheRead: 125_000,
  cacheWrite5m: 1_250_000,
  cacheWrite1h: 1_250_000,
  output: 10_000_000,
};
const BYTES_PER_TOKEN = 4.8;
const PAGES = 4;

/** A server on this machine that speaks OpenAI's protocol and keeps a provider's books. */
export function localProvider(): Promise<WireServer> {
  return startWireServer({ prices: { [MODEL]: PRICE }, reply });
}

/** Reads some pages, and then answers. */
function reply({ body }: WireRequest): Reply {
  const sent = JSON.stringify(body);
  const inputTokens = Math.ceil(sent.length / BYTES_PER_TOKEN);
  const read = sent.split('"role":"tool"').length - 1;
  if (read >= PAGES) return { inputTokens, text: 'It is well spent on coffee.' };
  const toolCalls = [{ name: 'readPage', arguments: { page: read + 1 } }];
  return { inputTokens, outputTokens: 40, reasoningTokens: 900, toolCalls };
}
