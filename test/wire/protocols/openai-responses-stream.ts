import { chunksOf, type TokenGroup } from '../chunks-of.ts';
import type { Generation, Part } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';
import { OPENAI_SERVER_ERROR } from './openai-error.ts';
import { openaiObfuscation } from './openai-obfuscation.ts';
import {
  endStatus,
  itemId,
  outputItem,
  REASONING_SUMMARY,
  textContent,
  wantsSummary,
} from './openai-responses-items.ts';
import { openaiResponsesObject, type ResponseStatus } from './openai-responses-object.ts';
import type { StreamScript } from './protocol.ts';
import { serverSentEvent } from './server-sent-event.ts';

const PADDED_WIDTH = 16;

type SendEvent = (type: string, fields: JsonObject) => string;

export function openaiResponsesStream(generation: Generation): StreamScript {
  const usesTool = generation.reply.toolUseInputTokens !== undefined;
  const tool = {
    id: `ci_${generation.suffix}`,
    type: 'code_interpreter_call',
    status: 'completed',
  };
  let sequence = 0;
  const event: SendEvent = (type, fields) => {
    const sequence_number = sequence;
    sequence += 1;
    return serverSentEvent({ type, sequence_number, ...fields }, type);
  };
  const lifeEvent = (type: string, status: ResponseStatus, error?: JsonObject) =>
    event(type, { response: openaiResponsesObject(generation, status, error) });

  return {
    head: () =>
      lifeEvent('response.created', 'in_progress') +
      lifeEvent('response.in_progress', 'in_progress') +
      (usesTool ? event('response.output_item.done', { output_index: 0, item: tool }) : ''),
    *chunks() {
      for (const [n, part] of generation.parts.entries()) {
        const index = usesTool ? n + 1 : n;
        for (const group of chunksOf(part.tokens, generation.reply.tokensPerChunk)) {
          const visible = part.kind !== 'reasoning';
          yield {
            text: partEvents(generation, part, group, index, event),
            output: visible ? group.count : 0,
            reasoning: visible ? 0 : group.count,
            visible,
          };
        }
      }
    },
    tail: () =>
      generation.truncated
        ? lifeEvent('response.incomplete', 'incomplete')
        : lifeEvent('response.completed', 'completed'),
    error: () => {
      const { message } = OPENAI_SERVER_ERROR;
      const error = { type: 'server_error', code: 'server_error', message, param: null };
      return (
        event('error', { error }) +
        lifeEvent('response.failed', 'failed', { code: 'server_error', message })
      );
    },
  };
}

/** The events of one group of tokens, with those that open and close its item around it. */
function partEvents(
  generation: Generation,
  part: Part,
  group: TokenGroup,
  output_index: number,
  event: SendEvent,
): string {
  const place = { item_id: itemId(generation, part), output_index };
  const opening = group.isFirst
    ? event('response.output_item.added', {
        output_index,
        item: outputItem(generation, part, 'in_progress'),
      }) + contentEvents(part, place, event, 'added')
    : '';
  const delta = deltaEvent(generation, part, group.text, place, event);
  if (!group.isLast) return opening + delta;
  return (
    opening +
    delta +
    (part.kind === 'reasoning' && wantsSummary(generation)
      ? summaryEvents(generation, place, event)
      : '') +
    contentEvents(part, place, event, 'done') +
    event('response.output_item.done', {
      output_index,
      item: outputItem(generation, part, endStatus(generation, part)),
    })
  );
}

function deltaEvent(
  { request }: Generation,
  part: Part,
  delta: string,
  place: JsonObject,
  event: SendEvent,
): string {
  const padding = openaiObfuscation(request.body, delta, PADDED_WIDTH);
  switch (part.kind) {
    case 'reasoning':
      return '';
    case 'text': {
      const text = { content_index: 0, delta, logprobs: [] };
      return event('response.output_text.delta', { ...place, ...text, ...padding });
    }
    case 'tool-call':
      return event('response.function_call_arguments.delta', { ...place, delta, ...padding });
  }
}

function contentEvents(
  part: Part,
  place: JsonObject,
  event: SendEvent,
  when: 'added' | 'done',
): string {
  const text = part.tokens.join('');
  const content = { ...place, content_index: 0 };
  if (part.kind === 'reasoning') return '';
  if (part.kind === 'tool-call') {
    return when === 'added'
      ? ''
      : event('response.function_call_arguments.done', { ...place, arguments: text });
  }
  if (when === 'added') {
    return event('response.content_part.added', { ...content, part: textContent('') });
  }
  return (
    event('response.output_text.done', { ...content, text, logprobs: [] }) +
    event('response.content_part.done', { ...content, part: textContent(text) })
  );
}

function summaryEvents({ request }: Generation, place: JsonObject, event: SendEvent): string {
  const summary = { ...place, summary_index: 0 };
  const text = REASONING_SUMMARY;
  const part = { type: 'summary_text', text };
  return (
    event('response.reasoning_summary_part.added', { ...summary, part: { ...part, text: '' } }) +
    event('response.reasoning_summary_text.delta', {
      ...summary,
      delta: text,
      ...openaiObfuscation(request.body, text, PADDED_WIDTH),
    }) +
    event('response.reasoning_summary_text.done', { ...summary, text }) +
    event('response.reasoning_summary_part.done', { ...summary, part })
  );
}
