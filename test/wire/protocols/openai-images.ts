import type { Generation } from '../generation.ts';
import { type JsonObject, numberAt, textAt } from '../json-object.ts';
import { CONTENT_TYPES } from './content-types.ts';
import { openaiErrorBody } from './openai-error.ts';
import { openaiHeaders } from './openai-headers.ts';
import { openaiUsage } from './openai-usage.ts';
import type { Protocol } from './protocol.ts';

/** The smallest PNG there is. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Pictures, each of so many tokens as the reply has of output. */
export const openaiImages: Protocol = {
  name: 'openai-images',
  answers: (pathname) => pathname === '/v1/images/generations',
  addressee: (_, body) => ({ model: textAt(body, 'model') ?? '', streaming: false }),
  limits: ({ body }) => ({ reasons: false, choices: numberAt(body, 'n') ?? 1 }),
  refusal: () => null,
  headers: openaiHeaders,
  contentTypes: CONTENT_TYPES,
  whole: (generation) => JSON.stringify(images(generation), null, 2),
  stream: ({ counts }) => ({
    head: () => '',
    chunks: () => [{ text: '', output: counts.output, reasoning: 0, visible: false }],
    tail: () => '',
    error: () => '',
  }),
  errorBody: openaiErrorBody,
};

function images({ reply, counts, choices, createdAtSeconds }: Generation): JsonObject {
  return {
    created: createdAtSeconds,
    background: 'opaque',
    data: Array.from({ length: choices }, () => ({ b64_json: PICTURE })),
    output_format: 'png',
    quality: 'high',
    size: '1024x1024',
    usage: openaiUsage(reply.usage, counts, (totals) => ({
      input_tokens: totals.input,
      input_tokens_details: { image_tokens: 0, text_tokens: totals.input },
      output_tokens: totals.output,
      total_tokens: totals.total,
    })),
  };
}
