import type { Generation } from '../generation.ts';
import { type JsonObject, listAt, numberAt, objectAt } from '../json-object.ts';
import type { WireRequest } from '../wire-request.ts';
import { continuationFields, generatedBefore } from './gemini-continuation.ts';
import { geminiErrorBody } from './gemini-error.ts';
import { geminiFinish } from './gemini-finish.ts';
import { groundingFields } from './gemini-grounding.ts';
import { GEMINI_CONTENT_TYPES, geminiHeaders } from './gemini-headers.ts';
import { geminiBody } from './gemini-json.ts';
import { geminiPart, hasThought, showsThoughts, THOUGHT_SIGNATURE } from './gemini-parts.ts';
import { geminiPath } from './gemini-path.ts';
import { geminiStream } from './gemini-stream.ts';
import { geminiUsage } from './gemini-usage.ts';
import type { Protocol, Refusal } from './protocol.ts';

const STREAM = 'streamGenerateContent';
/** The models before Gemini 3: an answer with searches is billed once. */
const BILLED_BY_ANSWER = /^gemini-[12]/;

export const geminiContent: Protocol = {
  name: 'gemini-content',
  answers: (pathname) => {
    const method = geminiPath(pathname)?.method;
    return method === 'generateContent' || method === STREAM;
  },
  addressee: (pathname) => {
    const { model = '', method } = geminiPath(pathname) ?? {};
    return { model, streaming: method === STREAM };
  },
  limits: ({ body, model }) => {
    const config = objectAt(body, 'generationConfig');
    const budget = numberAt(objectAt(config, 'thinkingConfig'), 'thinkingBudget');
    return {
      outputTokens: numberAt(config, 'maxOutputTokens'),
      reasons: budget !== 0,
      // -1 leaves it to the model.
      reasoningTokens: budget !== undefined && budget > 0 ? budget : undefined,
      choices: numberAt(config, 'candidateCount') ?? 1,
      before: generatedBefore(body),
      ...(BILLED_BY_ANSWER.test(model) ? { billedSearches: 1 } : {}),
    };
  },
  refusal,
  headers: geminiHeaders,
  contentTypes: GEMINI_CONTENT_TYPES,
  whole: (generation) => geminiBody(answer(generation)),
  stream: geminiStream,
  errorBody: geminiErrorBody,
};

function refusal({ body, model }: WireRequest): Refusal | null {
  const config = objectAt(body, 'generationConfig');
  const thinking = objectAt(config, 'thinkingConfig');
  const refused = (message: string): Refusal => ({ status: 400, message });
  if (listAt(body, 'contents').length === 0) {
    return refused('* GenerateContentRequest.contents: contents is not specified\n');
  }
  if ((numberAt(config, 'maxOutputTokens') ?? 1) < 1) {
    return { status: 400 };
  }
  if (thinking['thinkingBudget'] !== undefined && thinking['thinkingLevel'] !== undefined) {
    return refused('You can only set only one of thinking budget and thinking level.');
  }
  if (thinking['thinkingBudget'] === 0 && /-pro/.test(model)) {
    return refused('Budget 0 is invalid. This model only works in thinking mode.');
  }
  return null;
}

function answer(generation: Generation): JsonObject {
  const usage = geminiUsage(generation, generation.counts);
  return {
    candidates: Array.from({ length: generation.choices }, (_, index) => ({
      content: content(generation),
      finishReason: geminiFinish(generation),
      index,
      ...continuationFields(generation),
      ...groundingFields(generation),
    })),
    ...(usage === undefined ? {} : { usageMetadata: usage }),
    modelVersion: generation.model,
    responseId: `wire${generation.suffix}`,
  };
}

function content(generation: Generation): JsonObject {
  const parts = generation.parts
    .filter(({ kind }) => kind !== 'reasoning' || showsThoughts(generation))
    .map((part) => geminiPart(part, part.tokens.join('')))
    .filter((part) => part !== null);
  const [first, ...others] = parts;
  // An answer that is all thought has no parts at all.
  if (first === undefined) return { role: 'model' };
  const signed = hasThought(generation) ? { ...first, thoughtSignature: THOUGHT_SIGNATURE } : first;
  return { parts: [signed, ...others], role: 'model' };
}
