const PARTS = 1_000_000;

/** The settled spend at which a threshold (parts per million of the limit) is reached, rounded up. */
export function thresholdAmount(limit: number, partsPerMillion: number): number {
  // Split, so that no product leaves the exact range of a double.
  const millions = Math.floor(limit / PARTS);
  const rest = limit % PARTS;
  return millions * partsPerMillion + Math.ceil((rest * partsPerMillion) / PARTS);
}

/** Whether the settled spend is at or above the lowest threshold. */
export function reachesAny(
  thresholds: readonly number[],
  limit: number,
  committed: number,
): boolean {
  const lowest = thresholds[0];
  if (lowest === undefined) return false;
  // Far below, as nearly always, a rough product will do: it is less than 2 away from the exact one.
  if (committed < limit * (lowest / PARTS) - 2) return false;
  return committed >= thresholdAmount(limit, lowest);
}

/**
 * Shares of the limit (0.8 for 80 %) that the settled spend has reached and that `fired` did not hold
 * yet, in ascending order; they are added to `fired`. With `before`, thresholds above that spend are
 * forgotten first.
 */
export function crossedThresholds(options: {
  readonly thresholds: readonly number[];
  readonly limit: number;
  readonly before: number | null;
  readonly committed: number;
  readonly fired: Set<number>;
}): number[] {
  const { thresholds, limit, before, committed, fired } = options;
  const crossed: number[] = [];
  for (const parts of thresholds) {
    const amount = thresholdAmount(limit, parts);
    if (before !== null && before < amount) fired.delete(parts);
    if (committed < amount || fired.has(parts)) continue;
    fired.add(parts);
    crossed.push(parts / PARTS);
  }
  return crossed;
}
