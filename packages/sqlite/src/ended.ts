import type { Resolution } from '@hardcap/core';
import type { StoredReservation } from './reservation-table.ts';

/** The answer about a reservation that is not open. */
export function ended(
  reservation: StoredReservation | undefined,
): { status: 'already-resolved'; first: Resolution } | { status: 'never-held' } {
  const first = reservation?.resolution ?? null;
  return first === null ? { status: 'never-held' } : { status: 'already-resolved', first };
}
