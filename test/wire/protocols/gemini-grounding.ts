import type { Generation } from '../generation.ts';
import type { JsonObject } from '../json-object.ts';

/** What a candidate says of its searches, once it is complete. */
export function groundingFields({ reply }: Generation): JsonObject {
  const { webSearches = 0 } = reply;
  if (webSearches === 0) return {};
  const webSearchQueries = Array.from({ length: webSearches }, (_, index) => `query ${index + 1}`);
  const web = { uri: 'https://example.org/page', title: 'example.org' };
  return { groundingMetadata: { webSearchQueries, groundingChunks: [{ web }] } };
}
