import { accountOf } from '../accounts.ts';
import { ensure, expectEqual, expectError, expectPart } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, test } from '../contract-test.ts';

const a = accountOf('a');
const b = accountOf('b');

type State = 'never held' | 'held' | 'settled' | 'released' | 'expired' | 'settled late';
type Operation = 'reserve(same)' | 'reserve(other)' | 'extend' | 'settle' | 'release';

/** An answer that is expected, or the error. */
type Expected = { readonly [field: string]: unknown } | 'mismatch';

interface Row {
  /** Figures of account `a` once the state is reached. */
  readonly figures: readonly [committed: number, held: number];
  readonly answers: Readonly<Record<Operation, Expected>>;
}

const NEVER_HELD = { status: 'never-held' };

function endedAs(first: string): Row['answers'] {
  const resolved = { status: 'already-resolved', first };
  const errors = { 'reserve(same)': 'mismatch', 'reserve(other)': 'mismatch' } as const;
  return { ...errors, extend: resolved, settle: resolved, release: resolved };
}

/** What each operation answers in each state of a reservation of 60 on `a` and 10 on `b`. */
const TABLE: Readonly<Record<State, Row>> = {
  'never held': {
    figures: [0, 0],
    answers: {
      'reserve(same)': { admitted: true },
      'reserve(other)': { admitted: true },
      extend: NEVER_HELD,
      settle: NEVER_HELD,
      release: NEVER_HELD,
    },
  },
  held: {
    figures: [0, 60],
    answers: {
      'reserve(same)': { admitted: true },
      'reserve(other)': 'mismatch',
      extend: { status: 'extended' },
      settle: { status: 'settled' },
      release: { status: 'released' },
    },
  },
  settled: { figures: [25, 0], answers: endedAs('settled') },
  released: { figures: [0, 0], answers: endedAs('released') },
  expired: { figures: [60, 0], answers: { ...endedAs('expired'), settle: { status: 'late' } } },
  'settled late': { figures: [25, 0], answers: endedAs('settled') },
};

/** What account `a` shows after an operation that does something. */
const AFTER: Readonly<Record<string, readonly [committed: number, held: number]>> = {
  'never held reserve(same)': [0, 60],
  'never held reserve(other)': [0, 61],
  'held extend': [0, 70],
  'held settle': [33, 0],
  'held release': [0, 0],
  'expired settle': [33, 0],
};

async function reach(bench: ContractBench, state: State): Promise<void> {
  if (state === 'never held') return;
  if (state === 'expired' || state === 'settled late') {
    await bench.reserveBriefly('r1', [a, 60], [b, 10]);
    await bench.expire();
  } else await bench.reserve('r1', [a, 60], [b, 10]);
  if (state === 'settled' || state === 'settled late') await bench.settle('r1', { a: 25, b: 5 });
  if (state === 'released') await bench.release('r1');
}

const OPERATIONS: Readonly<Record<Operation, (bench: ContractBench) => Promise<unknown>>> = {
  'reserve(same)': (bench) => bench.reserve('r1', [a, 60], [b, 10]),
  'reserve(other)': (bench) => bench.reserve('r1', [a, 61], [b, 10]),
  extend: (bench) => bench.extend('r1', [a, 70], [b, 10]),
  settle: (bench) => bench.settle('r1', { a: 33, b: 7 }),
  release: (bench) => bench.release('r1'),
};

async function check(bench: ContractBench, state: State, operation: Operation): Promise<void> {
  const { figures, answers } = TABLE[state];
  await reach(bench, state);
  await bench.expectFigures(a, ...figures);
  const run = () => OPERATIONS[operation](bench);
  const expected = answers[operation];
  if (expected === 'mismatch') await expectError('RESERVATION_MISMATCH', run, operation);
  else expectPart(await run(), expected);
  await bench.expectFigures(a, ...(AFTER[`${state} ${operation}`] ?? figures));
  expectEqual((await bench.sink.verify()).differences, [], 'differences');
}

function tableTests(): ContractTest[] {
  return (Object.keys(TABLE) as State[]).flatMap((state) =>
    (Object.keys(OPERATIONS) as Operation[]).map((operation) =>
      test(`${state}: ${operation}`, (bench) => check(bench, state, operation)),
    ),
  );
}

export const resolution: ContractGroup = {
  title: '3. a reservation resolves once; every operation in every state',
  tests: [
    ...tableTests(),

    test('case C-15: twenty settlements at once are one charge', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      const all = Array.from({ length: 20 }, () => bench.settle('r1', { a: 5 }));
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      expectEqual(statuses.filter((status) => status === 'settled').length, 1, 'how many settle');
      await bench.expectFigures(a, 5, 0);
      expectEqual((await bench.entries()).length, 1, 'entries');
    }),

    test('of a settlement and a release at once, one ends it and the other says so', async (bench) => {
      await bench.reserve('r1', [a, 60]);
      const [settled, released] = await Promise.all([
        bench.settle('r1', { a: 5 }),
        bench.release('r1'),
      ]);
      const isSettled = settled.status === 'settled';
      ensure(isSettled !== (released.status === 'released'), 'exactly one should end it');
      const first = isSettled ? 'settled' : 'released';
      expectPart(isSettled ? released : settled, { status: 'already-resolved', first });
      await bench.expectFigures(a, isSettled ? 5 : 0, 0);
    }),
  ],
};
