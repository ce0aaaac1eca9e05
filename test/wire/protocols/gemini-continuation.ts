import type { Generation } from '../generation.ts';
import { type JsonObject, textAt } from '../json-object.ts';

const TOKEN = /^wire-(?<tokens>\d+)$/;

/** What earlier requests have generated, of which the real token says more, and in secret. */
export function generatedBefore(body: JsonObject): number {
  const { tokens = '0' } = TOKEN.exec(textAt(body, 'continuationToken') ?? '')?.groups ?? {};
  return Number(tokens);
}

/** What a candidate has with which the next request goes on. */
export function continuationFields({ continuesAt }: Generation): JsonObject {
  return continuesAt === null ? {} : { continuationToken: `wire-${continuesAt}` };
}
