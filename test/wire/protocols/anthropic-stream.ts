import { chunksOf } from '../chunks-of.ts';
import type { Generation, Part } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';
import { anthropicStopReason } from './anthropic-stop-reason.ts';
import { anthropicThinking } from './anthropic-thinking.ts';
import { anthropicEarlyUsage, anthropicFinalUsage } from './anthropic-usage.ts';
import type { Chunk, StreamScript } from './protocol.ts';
import { serverSentEvent } from './server-sent-event.ts';

export const SIGNATURE = 'EqQBCkYIBxgCKkB3aXJl';

export function anthropicStream(generation: Generation): StreamScript {
  const usesTool = generation.reply.toolUseInputTokens !== undefined;
  return {
    head: () =>
      event('message_start', { message: emptyMessage(generation) }) +
      (usesTool ? serverTool(generation) : ''),
    *chunks() {
      const first = usesTool ? 1 : 0;
      for (const [n, part] of generation.parts.entries()) {
        yield* block(generation, part, first + n);
      }
    },
    tail: () =>
      event('message_delta', {
        delta: {
          stop_reason: anthropicStopReason(generation),
          stop_sequence: null,
          stop_details: null,
        },
        usage: anthropicFinalUsage(generation),
      }) + event('message_stop'),
    error: () =>
      event('error', { error: { details: null, type: 'overloaded_error', message: 'Overloaded' } }),
  };
}

function event(type: string, fields: JsonObject = {}): string {
  return serverSentEvent({ type, ...fields }, type);
}

/** What the provider has run by itself; its results are not shown here. */
function serverTool({ suffix }: Generation): string {
  const call = { type: 'server_tool_use', id: `srvtoolu_${suffix}`, name: 'web_fetch', input: {} };
  return (
    event('content_block_start', { index: 0, content_block: call }) +
    event('content_block_stop', { index: 0 })
  );
}

function emptyMessage(generation: Generation): JsonObject {
  return {
    model: generation.model,
    id: `msg_${generation.suffix}`,
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: anthropicEarlyUsage(generation),
  };
}

function* block({ request, reply }: Generation, part: Part, index: number): Generator<Chunk> {
  const isThinking = part.kind === 'reasoning';
  const visible = !isThinking || anthropicThinking(request.body).visible;
  const deltaEvent = (delta: JsonObject) => event('content_block_delta', { index, delta });
  const signature = { type: 'signature_delta', signature: SIGNATURE };
  // A ping and a delta without content, as the real one sends them: a client has to cope.
  const opening =
    event('content_block_start', { index, content_block: emptyBlock(part) }) +
    (index === 0 ? event('ping') : '') +
    (part.kind === 'tool-call' ? deltaEvent(delta(part, '')) : '');
  const closing =
    (isThinking ? deltaEvent(signature) : '') + event('content_block_stop', { index });

  for (const group of chunksOf(part.tokens, reply.tokensPerChunk)) {
    const text =
      (group.isFirst ? opening : '') +
      (visible ? deltaEvent(delta(part, group.text)) : '') +
      (group.isLast ? closing : '');
    const output = isThinking ? 0 : group.count;
    yield { text, output, reasoning: group.count - output, visible };
  }
}

function emptyBlock(part: Part): JsonObject {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'tool-call':
      return { type: 'tool_use', id: `toolu_${part.suffix}`, name: part.name, input: {} };
  }
}

function delta(part: Part, text: string): JsonObject {
  switch (part.kind) {
    case 'reasoning':
      return { type: 'thinking_delta', thinking: text };
    case 'text':
      return { type: 'text_delta', text };
    case 'tool-call':
      return { type: 'input_json_delta', partial_json: text };
  }
}
