import { respondOrDeny, spendBudget } from '@hardcap/ai-sdk';
import { type SpendGuard, toSseEvent } from '@hardcap/core';
import { onTestFinished } from 'vitest';
import { MAJORS, type Major, modelOf } from '../ai-sdk/majors.ts';
import { PRICES } from '../ai-sdk/prices.ts';
import type { Part, Streamed } from '../ai-sdk/sdk.ts';
import type { Reply } from '../wire/reply.ts';
import { startWireServer, type WireServer } from '../wire/wire-server.ts';

const LATEST = MAJORS.at(-1) as Major;

/** A gateway in front of a provider: for whom, and what they are answered. */
export interface Gateway {
  readonly provider: WireServer;
  /** @param hangUp drops the provider when the client goes; without it, the answer is read on. */
  answer(identity: Readonly<Record<string, string>>, hangUp?: AbortSignal): Promise<Response>;
}

/** As somebody would write it with the AI SDK, on a provider that answers so. */
export async function startGateway(guard: SpendGuard, reply: Reply = {}): Promise<Gateway> {
  const provider = await startWireServer({ prices: PRICES, reply });
  onTestFinished(() => provider.close());
  const bare = modelOf(
    LATEST,
    'anthropic messages',
    provider.anthropicBaseUrl,
    'claude-sonnet-4-5',
  );
  const { wrapLanguageModel, streamText } = LATEST.ai;
  const model = wrapLanguageModel({ model: bare, middleware: spendBudget(guard) });
  return {
    provider,
    answer: (identity, abortSignal) => {
      const providerOptions = { hardcap: { identity } };
      const call = { model, providerOptions, prompt: 'Say something.', maxOutputTokens: 2_000 };
      const result = streamText({ ...call, abortSignal, maxRetries: 0, onError() {} });
      return respondOrDeny(result, eventStream);
    },
  };
}

/** Server-sent events, made as they are read: text, what went wrong, and the terminator. */
function eventStream({ fullStream }: Streamed): Response {
  const parts = fullStream[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value: part, done } = await parts.next();
      const text = done ? 'data: [DONE]\n\n' : eventOf(part);
      if (text !== undefined) controller.enqueue(encoder.encode(text));
      if (done) controller.close();
      else if (text === undefined) await this.pull?.(controller);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function eventOf(part: Part): string | undefined {
  if (part.type === 'error') return toSseEvent(part['error']);
  return part.type === 'text-delta' ? `data: ${JSON.stringify(part['text'])}\n\n` : undefined;
}
