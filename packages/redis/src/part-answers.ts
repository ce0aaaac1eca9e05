import type { Claim, SinkNotice } from '@hardcap/core';
import { readPartId } from './call-part.ts';

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

export function keysOf(claims: readonly Claim[]): string[] {
  return claims.map(({ account }) => account.key);
}
