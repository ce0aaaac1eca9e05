import type { Generation } from '../generation.ts';
import { flagAt, type JsonObject, numberAt, textAt } from '../json-object.ts';
import { CONTENT_TYPES } from './content-types.ts';
import { openaiChatFinish } from './openai-chat-finish.ts';
import { openaiChatStream } from './openai-chat-stream.ts';
import { openaiChatUsage } from './openai-chat-usage.ts';
import { openaiErrorBody } from './openai-error.ts';
import { openaiHeaders } from './openai-headers.ts';
import { openaiLimitRefusal } from './openai-limit-refusal.ts';
import type { Protocol } from './protocol.ts';

export const openaiChat: Protocol = {
  name: 'openai-chat',
  answers: (pathname) => pathname === '/v1/chat/completions',
  addressee: (_, body) => ({
    model: textAt(body, 'model') ?? '',
    streaming: flagAt(body, 'stream') === true,
  }),
  limits: ({ body }) => ({
    outputTokens: numberAt(body, 'max_completion_tokens') ?? numberAt(body, 'max_tokens'),
    reasons: true,
    choices: numberAt(body, 'n') ?? 1,
  }),
  refusal: ({ body }) =>
    openaiLimitRefusal(body, 'max_completion_tokens', 1) ??
    openaiLimitRefusal(body, 'max_tokens', 1),
  headers: openaiHeaders,
  contentTypes: CONTENT_TYPES,
  whole: (generation) => JSON.stringify(completion(generation), null, 2),
  stream: openaiChatStream,
  errorBody: openaiErrorBody,
};

function completion(generation: Generation): JsonObject {
  const choice = { message: message(generation), logprobs: null };
  return {
    id: `chatcmpl-${generation.suffix}`,
    object: 'chat.completion',
    created: generation.createdAtSeconds,
    model: generation.model,
    choices: Array.from({ length: generation.choices }, (_, index) => ({
      index,
      ...choice,
      finish_reason: openaiChatFinish(generation),
    })),
    usage: openaiChatUsage(generation),
    service_tier: generation.reply.serviceTier ?? 'default',
    system_fingerprint: 'fp_wire',
  };
}

function message({ parts }: Generation): JsonObject {
  const text = parts.filter((part) => part.kind === 'text').flatMap((part) => part.tokens);
  const calls = parts
    .filter((part) => part.kind === 'tool-call')
    .map((part) => ({
      id: `call_${part.suffix}`,
      type: 'function',
      function: { name: part.name, arguments: part.tokens.join('') },
    }));
  return {
    role: 'assistant',
    content: calls.length > 0 && text.length === 0 ? null : text.join(''),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
    refusal: null,
    annotations: [],
  };
}
