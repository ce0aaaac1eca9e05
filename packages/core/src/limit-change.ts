/** A change of the limit by hand. */
export interface LimitChange {
  readonly to: number | null;
  readonly until: number | null;
}

export function isInForce(change: LimitChange | null, now: number): change is LimitChange {
  return change !== null && (change.until === null || now < change.until);
}
