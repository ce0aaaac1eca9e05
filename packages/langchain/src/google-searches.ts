import { asObject, listAt, objectAt } from '@hardcap/core/adapter';
import { isGoogle } from './model-name.ts';
import type { ModelName } from './spend-budget-options.ts';

const FIRST_BILLED_BY_QUERY = 3;

/**
 * The web searches of Gemini that are billed: each query from Gemini 3 on, and each grounded answer
 * before. A generation, or a chunk of one, tells those of all so far, in one of several places.
 */
export function googleSearches(generation: unknown, name: ModelName): number {
  if (!isGoogle(name)) return 0;
  const message = objectAt(generation, 'message');
  const places = [
    objectAt(generation, 'generationInfo'),
    objectAt(message, 'additional_kwargs'),
    objectAt(message, 'response_metadata'),
  ];
  const counts = places.map(
    (place) => listAt(asObject(place?.['groundingMetadata']), 'webSearchQueries').length,
  );
  const queries = Math.max(...counts);
  const version = Number(/gemini-(\d+)/.exec(name.model)?.[1] ?? Infinity);
  return version >= FIRST_BILLED_BY_QUERY ? queries : Math.min(1, queries);
}
