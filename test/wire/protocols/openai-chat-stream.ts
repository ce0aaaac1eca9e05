import { chunksOf, type TokenGroup } from '../chunks-of.ts';
import type { Generation, Part, ToolCallPart } from '../generation.ts';
import { flagAt, type JsonObject, objectAt } from '../json-object.ts';
import { openaiChatFinish } from './openai-chat-finish.ts';
import { openaiChatUsage } from './openai-chat-usage.ts';
import { OPENAI_SERVER_ERROR } from './openai-error.ts';
import { openaiObfuscation } from './openai-obfuscation.ts';
import type { Chunk, StreamScript } from './protocol.ts';
import { serverSentEvent } from './server-sent-event.ts';

const PADDED_WIDTH = 10;

export function openaiChatStream(generation: Generation): StreamScript {
  const { body } = generation.request;
  const usage = openaiChatUsage(generation);
  const reportsUsage =
    usage !== undefined && flagAt(objectAt(body, 'stream_options'), 'include_usage') === true;
  const choices = Array.from({ length: generation.choices }, (_, index) => index);

  const event = (fields: JsonObject, padded = ''): string =>
    serverSentEvent({
      id: `chatcmpl-${generation.suffix}`,
      object: 'chat.completion.chunk',
      created: generation.createdAtSeconds,
      model: generation.model,
      service_tier: generation.reply.serviceTier ?? 'default',
      system_fingerprint: 'fp_wire',
      ...fields,
      ...openaiObfuscation(body, padded, PADDED_WIDTH),
    });
  const deltaEvent = (index: number, delta: JsonObject, finish: string | null, padded = '') =>
    event(
      {
        choices: [{ index, delta, logprobs: null, finish_reason: finish }],
        ...(reportsUsage ? { usage: null } : {}),
        ...(finish === null ? {} : dialectFields(generation)),
      },
      padded,
    );

  return {
    head: () =>
      choices
        .map((index) => deltaEvent(index, { role: 'assistant', content: '', refusal: null }, null))
        .join(''),
    *chunks() {
      for (const { part, group, callIndex } of groups(generation)) {
        for (const index of choices) {
          yield chunk(
            part,
            group,
            (delta, padded) => deltaEvent(index, delta, null, padded),
            callIndex,
          );
        }
      }
    },
    tail: () =>
      choices.map((index) => deltaEvent(index, {}, openaiChatFinish(generation))).join('') +
      (reportsUsage ? event({ choices: [], usage }) : '') +
      'data: [DONE]\n\n',
    error: () => serverSentEvent({ error: OPENAI_SERVER_ERROR }),
  };
}

function dialectFields(generation: Generation): JsonObject {
  const usage = openaiChatUsage(generation);
  const { chatDialect } = generation.reply;
  if (chatDialect === undefined || usage === undefined) return {};
  return chatDialect === 'mistral'
    ? { usage }
    : { x_groq: { id: `req_${generation.suffix}`, usage } };
}

interface PlacedGroup {
  readonly part: Part;
  readonly group: TokenGroup;
  readonly callIndex: number;
}

function* groups({ parts, reply }: Generation): Generator<PlacedGroup> {
  let callIndex = -1;
  for (const part of parts) {
    if (part.kind === 'tool-call') callIndex += 1;
    for (const group of chunksOf(part.tokens, reply.tokensPerChunk)) {
      yield { part, group, callIndex };
    }
  }
}

function chunk(
  part: Part,
  group: TokenGroup,
  deltaEvent: (delta: JsonObject, padded: string) => string,
  callIndex: number,
): Chunk {
  if (part.kind === 'reasoning') {
    return { text: '', output: 0, reasoning: group.count, visible: false };
  }
  const text =
    part.kind === 'text'
      ? deltaEvent({ content: group.text }, group.text)
      : callDeltas(part, group, callIndex)
          .map((delta) => deltaEvent(delta, group.text))
          .join('');
  return { text, output: group.count, reasoning: 0, visible: true };
}

function callDeltas(part: ToolCallPart, group: TokenGroup, index: number): JsonObject[] {
  const opening = {
    index,
    id: `call_${part.suffix}`,
    type: 'function',
    function: { name: part.name, arguments: '' },
  };
  const argumentsDelta = { tool_calls: [{ index, function: { arguments: group.text } }] };
  return group.isFirst ? [{ tool_calls: [opening] }, argumentsDelta] : [argumentsDelta];
}
