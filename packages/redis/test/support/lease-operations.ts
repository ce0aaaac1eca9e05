import * as fc from 'fast-check';
import { LEASE_TTL } from './lease-bench.ts';
import type { Fate } from './unsure-client.ts';

/** On one of some lists of accounts, on one of the calls that are open, or by one of two processes. */
export type Operation =
  | {
      readonly kind: 'reserve';
      readonly on: number;
      readonly amount: number;
      readonly twice: boolean;
    }
  | {
      readonly kind: 'settle';
      readonly call: number;
      readonly share: number;
      readonly twice: boolean;
    }
  | { readonly kind: 'grow'; readonly call: number; readonly by: number }
  | { readonly kind: 'release' | 'settleAndGrow'; readonly call: number }
  | { readonly kind: 'sync' | 'renew' | 'flush' | 'handOver' | 'verify'; readonly process: number }
  | { readonly kind: 'late'; readonly process: number; readonly place: number }
  | { readonly kind: 'block' | 'unblock'; readonly on: number; readonly process: number }
  | { readonly kind: 'others'; readonly on: number; readonly amount: number };

/** Operations that begin at once, after so many ms. */
export interface Step {
  readonly process: number;
  readonly ms: number;
  readonly operations: readonly Operation[];
}

export interface History {
  readonly share: number;
  readonly steps: readonly Step[];
  readonly fates: readonly Fate[];
}

const small = fc.nat({ max: 60 });
const place = fc.nat({ max: 1_000 });
const process = fc.nat({ max: 1 });
const on = fc.nat({ max: 2 });
const kind = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: kind('reserve'), on, amount: small, twice: fc.boolean() }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: kind('settle'),
      call: place,
      share: fc.nat({ max: 100 }),
      twice: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kind('grow'),
      call: place,
      by: fc.integer({ min: -10, max: 30 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('release', 'settleAndGrow'), call: place }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('sync', 'renew', 'flush', 'handOver', 'verify'), process }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('late'), process, place }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('block', 'unblock'), on, process }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('others'), on, amount: small }) },
);

const ms = fc.oneof(
  { weight: 20, arbitrary: fc.nat({ max: 2_000 }) },
  { weight: 2, arbitrary: fc.nat({ max: 2 * LEASE_TTL }) },
  { weight: 1, arbitrary: fc.constant(86_400_000 / 2) },
);

const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 10, arbitrary: fc.constant<Fate>('answered') },
  { weight: 1, arbitrary: kind<Fate>('reply lost', 'lost', 'late') },
);

/** Of two processes that lease, and others that do not. */
export const histories: fc.Arbitrary<History> = fc.record({
  share: fc.constantFrom(0.2, 0.5, 1),
  steps: fc.array(
    fc.record({ process, ms, operations: fc.array(operation, { minLength: 1, maxLength: 4 }) }),
    { minLength: 5, maxLength: 40, size: 'max' },
  ),
  fates: fc.array(fate, { minLength: 50, maxLength: 200, size: 'max' }),
});
