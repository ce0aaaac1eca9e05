import { flagAt, numberAt, textAt } from '../json-object.ts';
import { CONTENT_TYPES } from './content-types.ts';
import { openaiErrorBody } from './openai-error.ts';
import { openaiHeaders } from './openai-headers.ts';
import { openaiLimitRefusal } from './openai-limit-refusal.ts';
import { openaiResponsesObject } from './openai-responses-object.ts';
import { openaiResponsesStream } from './openai-responses-stream.ts';
import type { Protocol } from './protocol.ts';

const LOWEST_OUTPUT_LIMIT = 16;

export const openaiResponses: Protocol = {
  name: 'openai-responses',
  answers: (pathname) => pathname === '/v1/responses',
  addressee: (_, body) => ({
    model: textAt(body, 'model') ?? '',
    streaming: flagAt(body, 'stream') === true,
  }),
  limits: ({ body }) => ({
    outputTokens: numberAt(body, 'max_output_tokens'),
    reasons: true,
    choices: 1,
  }),
  refusal: ({ body }) => openaiLimitRefusal(body, 'max_output_tokens', LOWEST_OUTPUT_LIMIT),
  headers: openaiHeaders,
  contentTypes: CONTENT_TYPES,
  whole: (generation) => {
    const status = generation.truncated ? 'incomplete' : 'completed';
    const response = openaiResponsesObject(generation, status);
    return JSON.stringify({ ...response, billing: { payer: 'developer' } }, null, 2);
  },
  stream: openaiResponsesStream,
  errorBody: openaiErrorBody,
};
