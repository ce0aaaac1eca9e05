import { asObject, listAt, objectAt } from '@hardcap/core/adapter';
import type { ModelId } from './middleware.ts';

/** Where packages write: Google's own, and Vertex by its old and new names, which say the same. */
const NAMES = ['google', 'googleVertex', 'vertex'] as const;

const FIRST_BILLED_BY_QUERY = 3;

/** The web searches that are billed: each query from Gemini 3 on, and each grounded answer before. */
export function googleSearches(providerMetadata: unknown, { modelId }: ModelId): number {
  const own = NAMES.map((name) => objectAt(providerMetadata, name)).find(
    (metadata) => metadata !== undefined,
  );
  const perRequest = listAt(own, 'groundingMetadataPerRequest');
  const grounding = perRequest.length > 0 ? perRequest : [own?.['groundingMetadata']];
  const isByQuery = Number(/gemini-(\d+)/.exec(modelId)?.[1] ?? Infinity) >= FIRST_BILLED_BY_QUERY;
  return grounding.reduce<number>((total, item) => {
    const queries = listAt(asObject(item), 'webSearchQueries').length;
    return total + (isByQuery ? queries : Math.min(1, queries));
  }, 0);
}
