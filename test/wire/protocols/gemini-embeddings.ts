import type { Generation } from '../generation.ts';
import { isJsonObject, type JsonObject, listAt, numberAt } from '../json-object.ts';
import type { WireRequest } from '../wire-request.ts';
import { geminiErrorBody } from './gemini-error.ts';
import { GEMINI_CONTENT_TYPES, geminiHeaders } from './gemini-headers.ts';
import { geminiBody } from './gemini-json.ts';
import { geminiPath } from './gemini-path.ts';
import type { Protocol, Refusal } from './protocol.ts';

const USUAL_DIMENSIONS = 8;
const LARGEST_BATCH = 100;
const BATCH = 'batchEmbedContents';

export const geminiEmbeddings: Protocol = {
  name: 'gemini-embeddings',
  answers: (pathname) => {
    const method = geminiPath(pathname)?.method;
    return method === 'embedContent' || method === BATCH;
  },
  addressee: (pathname) => ({ model: geminiPath(pathname)?.model ?? '', streaming: false }),
  // An embedding generates nothing: a limit of 0 leaves no part of a reply over.
  limits: () => ({ outputTokens: 0, reasons: false, choices: 1 }),
  refusal,
  headers: geminiHeaders,
  contentTypes: GEMINI_CONTENT_TYPES,
  whole: (generation) => geminiBody(embeddings(generation)),
  stream: () => ({ head: () => '', chunks: () => [], tail: () => '', error: () => '' }),
  errorBody: geminiErrorBody,
};

function refusal({ body }: WireRequest): Refusal | null {
  if (listAt(body, 'requests').length <= LARGEST_BATCH) return null;
  return {
    status: 400,
    message: '* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch\n',
  };
}

function embeddings({ request, reply, counts }: Generation): JsonObject {
  const { body, path } = request;
  const usage = usageOf(reply.usage, counts.input);
  if (!path.includes(BATCH)) return { embedding: { values: vector(0, body) }, ...usage };
  const requests = listAt(body, 'requests').filter(isJsonObject);
  return {
    embeddings: requests.map((each, index) => ({ values: vector(index, each) })),
    ...usage,
  };
}

/** With another spelling of the details than that of generated content. */
function usageOf(report: Generation['reply']['usage'], input: number): JsonObject {
  if (report === 'missing') return {};
  if (report !== undefined && report !== 'reported') return { usageMetadata: report };
  const promptTokenDetails = [{ modality: 'TEXT', tokenCount: input }];
  return { usageMetadata: { promptTokenCount: input, promptTokenDetails } };
}

function vector(index: number, body: JsonObject): number[] {
  const dimensions = numberAt(body, 'outputDimensionality') ?? USUAL_DIMENSIONS;
  return Array.from({ length: dimensions }, (_, place) => (index + place + 1) / 64);
}
