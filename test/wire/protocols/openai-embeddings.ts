import type { Generation } from '../generation.ts';
import { type JsonObject, listAt, numberAt, textAt } from '../json-object.ts';
import { CONTENT_TYPES } from './content-types.ts';
import { openaiErrorBody } from './openai-error.ts';
import { openaiHeaders } from './openai-headers.ts';
import { openaiUsage } from './openai-usage.ts';
import type { Protocol } from './protocol.ts';

const USUAL_DIMENSIONS = 8;

export const openaiEmbeddings: Protocol = {
  name: 'openai-embeddings',
  answers: (pathname) => pathname === '/v1/embeddings',
  addressee: (_, body) => ({ model: textAt(body, 'model') ?? '', streaming: false }),
  // An embedding generates nothing: a limit of 0 leaves no part of a reply over.
  limits: () => ({ outputTokens: 0, reasons: false, choices: 1 }),
  refusal: () => null,
  headers: openaiHeaders,
  contentTypes: CONTENT_TYPES,
  whole: (generation) => JSON.stringify(embeddings(generation), null, 2),
  stream: () => ({ head: () => '', chunks: () => [], tail: () => '', error: () => '' }),
  errorBody: openaiErrorBody,
};

function embeddings({ request, reply, model, counts }: Generation): JsonObject {
  const { body } = request;
  return {
    object: 'list',
    data: Array.from({ length: inputCount(body) }, (_, index) => ({
      object: 'embedding',
      index,
      embedding: vector(index, body),
    })),
    model,
    usage: openaiUsage(reply.usage, counts, (totals) => ({
      prompt_tokens: totals.input,
      total_tokens: totals.input,
    })),
  };
}

/** A list of numbers is one text that the client has split into tokens itself. */
function inputCount(body: JsonObject): number {
  const inputs = listAt(body, 'input');
  return inputs.length === 0 || typeof inputs[0] === 'number' ? 1 : inputs.length;
}

function vector(index: number, body: JsonObject): string | number[] {
  const dimensions = numberAt(body, 'dimensions') ?? USUAL_DIMENSIONS;
  const values = Array.from({ length: dimensions }, (_, place) => (index + place + 1) / 64);
  return textAt(body, 'encoding_format') === 'base64'
    ? Buffer.from(new Float32Array(values).buffer).toString('base64')
    : values;
}
