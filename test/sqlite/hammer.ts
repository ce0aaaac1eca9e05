/** The accounts of every call, the first of which is the narrower one. */
export const LIMITS = [
  ['org', 1_500_000],
  ['fleet', 4_000_000],
] as const;

/** The smallest amount that is asked for. */
export const SMALLEST = 10;

/** How long a hold of a process that died lives. */
export const TTL_MS = 1_500;
