import type { Claim, Refusal, SinkNotice } from '@hardcap/core';
import { readPartId, sortedBy } from './call-part.ts';

/** What every answer says. */
export interface Heard {
  readonly at: number;
  readonly notices: readonly SinkNotice[];
}

/** The latest time of answers of several stores, and what they told. */
export function heardOf(answers: readonly Heard[]): Heard {
  return {
    at: Math.max(...answers.map(({ at }) => at)),
    notices: answers.flatMap(({ notices }) => notices.flatMap(toldOf)),
  };
}

/** An expiry is told by the first part of the call alone. */
function toldOf(notice: SinkNotice): SinkNotice[] {
  if (notice.type !== 'reservation-expired') return [notice];
  const { place, id } = readPartId(notice.id);
  return place === 1 ? [{ ...notice, id }] : [];
}

/** Who refuses, or would, by answers of several stores: in the order of the claims. */
export function refusalsAmong(
  answers: readonly (Heard & { readonly refusals?: readonly Refusal[] })[],
  claims: readonly Claim[],
): Refusal[] {
  const keys = claims.map(({ account }) => account.key);
  return sortedBy(
    keys,
    answers.flatMap(({ refusals = [] }) => refusals),
  );
}
