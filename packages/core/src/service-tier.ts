import type { JsonObject } from './json-object.ts';

/** Tiers that cost the list price. What `auto` is, the project decides, and the answer tells. */
const USUAL: ReadonlySet<string> = new Set([
  ...['auto', 'default', 'on_demand', 'standard', 'standard_only', 'unspecified'],
]);

/** The first tier of service that any of these settings asks for; undefined for the usual one. */
export function tierAskedIn(places: readonly (JsonObject | undefined)[]): string | undefined {
  return places
    .flatMap((settings) => FIELDS.map((field) => settings?.[field]))
    .find((tier) => typeof tier === 'string' && !USUAL.has(tier.toLowerCase())) as
    | string
    | undefined;
}

/** The last is Vertex's, whose answers tell no tier. */
const FIELDS = ['speed', 'serviceTier', 'service_tier', 'sharedRequestType'] as const;

/**
 * The tier that a call was answered at, by the first that tells; undefined where nothing does, and where
 * it is the usual one and none was asked for.
 */
export function tierServed(
  told: readonly (string | null | undefined)[],
  asked: string | undefined,
): string | undefined {
  const tier = told.find((found) => typeof found === 'string' && found !== '')?.toLowerCase();
  return asked === undefined && tier !== undefined && USUAL.has(tier) ? undefined : tier;
}
