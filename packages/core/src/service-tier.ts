import type { JsonObject } from './json-object.ts';

/** Tiers that cost the list price. What `auto` is, the project decides, and the answer tells. */
const USUAL: ReadonlySet<string> = new Set([
  ...['auto', 'default', 'on_demand', 'standard', 'standard_only', 'unspecified'],
]);

/** Those that are known to cost less. */
const CHEAPER: ReadonlySet<string> = new Set(['batch', 'flex']);

/**
 * The tier of service that these settings ask for; undefined for the usual one. Where they ask for
 * several, one that may cost more comes first, since any of them may be the one that is sent.
 */
export function tierAskedIn(places: readonly (JsonObject | undefined)[]): string | undefined {
  const asked = places
    .flatMap((settings) => FIELDS.map((field) => settings?.[field]))
    .filter((tier) => typeof tier === 'string')
    .filter((tier) => !USUAL.has(tier.toLowerCase()));
  return asked.find((tier) => !CHEAPER.has(tier.toLowerCase())) ?? asked[0];
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
