import type { Resolution } from './usage-sink.ts';

/** The answer about a reservation that is not open: it has ended, or was never made. */
export function ended(
  reservation: { readonly resolution: Resolution | null } | undefined,
): { status: 'already-resolved'; first: Resolution } | { status: 'never-held' } {
  const first = reservation?.resolution ?? null;
  return first === null ? { status: 'never-held' } : { status: 'already-resolved', first };
}
