import type { Generation, Part } from '../generation.ts';
import { flagAt, isJsonObject, type JsonObject, numberAt, textAt } from '../json-object.ts';
import { anthropicErrorBody } from './anthropic-error.ts';
import { anthropicStopReason } from './anthropic-stop-reason.ts';
import { anthropicStream, SIGNATURE } from './anthropic-stream.ts';
import { anthropicLimitRefusal, anthropicThinking } from './anthropic-thinking.ts';
import { anthropicUsage } from './anthropic-usage.ts';
import { CONTENT_TYPES } from './content-types.ts';
import type { Protocol } from './protocol.ts';

export const anthropicMessages: Protocol = {
  name: 'anthropic-messages',
  answers: (pathname) => pathname === '/v1/messages',
  addressee: (_, body) => ({
    model: textAt(body, 'model') ?? '',
    streaming: flagAt(body, 'stream') === true,
  }),
  limits: ({ body }) => ({
    outputTokens: numberAt(body, 'max_tokens'),
    reasons: anthropicThinking(body).enabled,
    choices: 1,
  }),
  refusal: ({ body }) => anthropicLimitRefusal(body),
  headers: (suffix) => ({
    'anthropic-organization-id': 'wire',
    'request-id': `req_${suffix}`,
  }),
  contentTypes: CONTENT_TYPES,
  whole: (generation) => JSON.stringify(message(generation)),
  stream: anthropicStream,
  errorBody: anthropicErrorBody,
};

function message(generation: Generation): JsonObject {
  return {
    model: generation.model,
    id: `msg_${generation.suffix}`,
    type: 'message',
    role: 'assistant',
    content: generation.parts.map((part) => contentBlock(generation, part)),
    stop_reason: anthropicStopReason(generation),
    stop_sequence: null,
    stop_details: null,
    usage: anthropicUsage(generation),
  };
}

function contentBlock({ request }: Generation, part: Part): JsonObject {
  const text = part.tokens.join('');
  switch (part.kind) {
    case 'reasoning': {
      const thinking = anthropicThinking(request.body).visible ? text : '';
      return { type: 'thinking', thinking, signature: SIGNATURE };
    }
    case 'text':
      return { type: 'text', text };
    case 'tool-call': {
      const call = { id: `toolu_${part.suffix}`, name: part.name };
      return { type: 'tool_use', ...call, input: parsedInput(text) };
    }
  }
}

/** A call that the limit cut off has no input that could be parsed. */
function parsedInput(text: string): JsonObject {
  try {
    const input: unknown = JSON.parse(text);
    return isJsonObject(input) ? input : {};
  } catch {
    return {};
  }
}
