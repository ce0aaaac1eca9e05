import {
  asObject,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
  tierAskedIn,
  tierServed,
} from '@hardcap/core/adapter';

/** The tier of service that a call asks for; undefined for the usual one. */
export function askedTier(params: JsonObject): string | undefined {
  return tierAskedIn([params, ...listAt(params, 'fallbacks').map(asObject)]);
}

/**
 * The tier that a generation, or a chunk of one, says it was made at; undefined where it says none, and
 * where it is the usual one and none was asked for.
 */
export function servedTier(
  generation: unknown,
  asked: string | undefined,
  llmOutput?: JsonObject,
): string | undefined {
  const message = objectAt(generation, 'message');
  const places = [
    objectAt(generation, 'generationInfo'),
    objectAt(message, 'response_metadata'),
    llmOutput,
  ];
  const told = places.flatMap((place) => [
    textAt(place, 'service_tier'),
    textAt(place, 'serviceTier'),
  ]);
  return tierServed(told, asked);
}
