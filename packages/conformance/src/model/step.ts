import type { Adjustment, Outcome } from '@hardcap/core';
import type { Arbitrary } from 'fast-check';

/** Amounts by place of the account. */
export type AmountsByPlace = readonly (readonly [place: number, amount: number])[];

export type Step =
  | {
      readonly type: 'reserve';
      readonly id: string;
      readonly amounts: AmountsByPlace;
      readonly ttlMs: number;
    }
  | {
      readonly type: 'extend';
      readonly id: string;
      readonly amounts: AmountsByPlace;
      readonly ttlMs: number;
    }
  /** Asks once more for what an id was first asked for. */
  | { readonly type: 'repeat' | 'release'; readonly id: string }
  | {
      readonly type: 'settle';
      readonly id: string;
      readonly amounts: AmountsByPlace;
      readonly outcome: Outcome;
    }
  | {
      readonly type: 'adjust';
      readonly id: string;
      readonly place: number;
      readonly change: Adjustment;
    }
  /** Adds a share of what a call was charged, in percent, and so much. */
  | {
      readonly type: 'correct';
      readonly id: string;
      readonly reservation: string;
      readonly percent: number;
      readonly amount: number;
    }
  /** The configuration has another limit from now on. */
  | { readonly type: 'configure'; readonly place: number; readonly limit: number }
  | { readonly type: 'wait'; readonly ms: number }
  /** To the end of the window or slot of an account, or a millisecond beside it. */
  | { readonly type: 'boundary'; readonly place: number; readonly offset: number };

export type FastCheck = typeof import('fast-check');

const SECOND = 1_000;
const MINUTE: number = 60 * SECOND;
const DAY: number = 1_440 * MINUTE;

/** Lives of holds: one that is often over, and one that is over by boundaries alone. */
const LIVES: readonly number[] = [40 * SECOND, 5 * MINUTE];

/**
 * An arbitrary step.
 *
 * @param places of the accounts that it may be about.
 * @param start ms since the epoch; times of limits are near it.
 */
export function stepOf(fc: FastCheck, places: readonly number[], start: number): Arbitrary<Step> {
  const id = fc.constantFrom('r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7');
  const place = fc.constantFrom(...places);
  const amounts = fc.uniqueArray(fc.tuple(place, fc.oneof(fc.nat(4), fc.nat(60))), {
    minLength: 1,
    maxLength: places.length,
    selector: ([at]) => at,
  });
  const ttlMs = fc.constantFrom(...LIVES);
  const limit = fc.integer({ min: 1, max: 150 });
  const ms = fc.oneof(
    fc.nat(40 * SECOND),
    fc.constantFrom(40 * SECOND, 40 * SECOND - 1, 0, 3 * MINUTE, -MINUTE, 2 * DAY),
  );
  const type = <Type extends Step['type']>(...types: Type[]) => fc.constantFrom(...types);
  const outcome = fc.constantFrom<Outcome>('known', 'metered', 'unknown', 'not-sent');
  const named = fc.oneof(fc.constant([]), amounts);
  const adjustment = fc.constantFrom('a0', 'a1', 'a2', 'a3', 'a4', 'a5');
  const change = changeOf(fc, start);
  const offset = fc.constantFrom(-1, 0, 1);
  const correction = fc.record({
    type: type('correct'),
    id: adjustment,
    reservation: id,
    percent: fc.constantFrom(-100, -100, -50, 0, 100),
    amount: fc.integer({ min: -20, max: 20 }),
  });
  return fc.oneof(
    { weight: 8, arbitrary: fc.record({ type: type('reserve'), id, amounts, ttlMs }) },
    { weight: 3, arbitrary: fc.record({ type: type('extend'), id, amounts, ttlMs }) },
    { weight: 2, arbitrary: fc.record({ type: type('repeat', 'release'), id }) },
    { weight: 6, arbitrary: fc.record({ type: type('settle'), id, amounts: named, outcome }) },
    { weight: 2, arbitrary: fc.record({ type: type('adjust'), id: adjustment, place, change }) },
    { weight: 2, arbitrary: correction },
    { weight: 1, arbitrary: fc.record({ type: type('configure'), place, limit }) },
    { weight: 4, arbitrary: fc.record({ type: type('wait'), ms }) },
    { weight: 3, arbitrary: fc.record({ type: type('boundary'), place, offset }) },
  );
}

function changeOf(fc: FastCheck, start: number): Arbitrary<Adjustment> {
  const type = <Type extends Adjustment['type']>(...types: Type[]) => fc.constantFrom(...types);
  const until = fc.option(fc.nat(10 * MINUTE).map((ms) => start + ms));
  const amount = fc.nat(30);
  const limit = fc.option(fc.nat(150));
  return fc.oneof(
    fc.record({ type: type('top-up'), amount }),
    fc.record({ type: type('limit'), limit, until }),
    fc.record({ type: type('limit-add'), amount, until }),
    fc.constantFrom<Adjustment>({ type: 'block' }, { type: 'unblock' }, { type: 'unblock' }),
    fc.constant<Adjustment>({ type: 'reset' }),
  );
}
