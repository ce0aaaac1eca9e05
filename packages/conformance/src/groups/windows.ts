import type { WindowSpec } from '@hardcap/core';
import { accountOf } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { type ContractBench, refusalsIn } from '../contract-bench.ts';
import { type ContractGroup, type ContractTest, type Need, test } from '../contract-test.ts';

type SpecOf = (bench: ContractBench) => WindowSpec;

/** Windows that end, and what it takes to see them do so. */
const BOUNDED: readonly (readonly [name: string, spec: SpecOf, needs: readonly Need[]])[] = [
  ['fixed', ({ clock }) => clock.fixed, []],
  ['calendar', () => ({ calendar: 'day', timeZone: 'Asia/Kolkata' }), ['driven time']],
];

function inBounded(
  name: string,
  run: (bench: ContractBench, spec: WindowSpec) => Promise<void>,
): ContractTest[] {
  return BOUNDED.map(([kind, specOf, needs]) =>
    test(`${kind}: ${name}`, (bench) => run(bench, specOf(bench)), ...needs),
  );
}

const boundaries: ContractTest[] = [
  ...inBounded('case C-33: begins empty, with no job running', async (bench, window) => {
    const account = accountOf('a', { window });
    const compiled = account.rule.window;
    await bench.clock.enterWindow(compiled, await bench.at());
    await bench.spend(account, 100);
    const answer = await bench.reserve('r1', [account, 1]);
    const { endsAt } = compiled.at(answer.at);
    const retryAfterMs = (endsAt ?? 0) - answer.at;
    expectPart(refusalsIn(answer), [{ kind: 'spent', resetsAt: endsAt, retryAfterMs }]);
    expectPart(await bench.read(account), { window: compiled.at(answer.at) }, 'reading');
    await bench.clock.passWindow(compiled, answer.at);
    ensure((await bench.reserve('r2', [account, 100])).admitted, 'the new window is empty');
    expectPart(await bench.read(account), { committed: 0, held: 100 }, 'reading');
  }),

  test(
    'case C-32: whatever else is swept, the current one keeps what it spent',
    async (bench) => {
      const window: WindowSpec = { fixed: '1d' };
      const account = accountOf('a', { window });
      await bench.clock.enterWindow(account.rule.window, await bench.at());
      await bench.spend(account, 60);
      const others = Array.from({ length: 70 }, (_, number) => accountOf(`b${number}`, { window }));
      for (const other of others) await bench.reserveBriefly(other.key, [other, 1]);
      await bench.expire();
      for (let sweep = 0; sweep < 3; sweep += 1) await bench.release('nothing');
      await bench.expectFigures(account, 60, 0);
      expectPart(refusalsIn(await bench.reserve('r1', [account, 41])), [{ committed: 60 }]);
      expectEqual((await bench.sink.verify()).differences, [], 'differences');
    },
    'driven time',
  ),

  ...inBounded('case C-36: the window pays in which a call was admitted', async (bench, window) => {
    const account = accountOf('a', { window });
    const compiled = account.rule.window;
    await bench.clock.enterWindow(compiled, await bench.at());
    const { at } = await bench.reserve('open', [account, 60]);
    await bench.clock.passWindow(compiled, at);
    ensure((await bench.reserve('next', [account, 100])).admitted, 'nothing leaks into the next');
    expectPart(await bench.settle('open', { a: 70 }), {
      status: 'settled',
      charged: [{ window: compiled.at(at).id, amount: 70, held: 60 }],
      overshoot: [],
    });
    await bench.expectFigures(account, 0, 100);
    expectEqual((await bench.sink.verify()).differences, [], 'differences');
  }),

  ...inBounded(
    'attribute settle: the hold goes along, and the new window pays',
    async (bench, window) => {
      const account = accountOf('a', { window, attribute: 'settle' });
      const compiled = account.rule.window;
      const { at } = await bench.reserve('open', [account, 60]);
      await bench.clock.passWindow(compiled, at);
      const refusals = refusalsIn(await bench.reserve('next', [account, 41]));
      expectPart(refusals, [{ kind: 'held', held: 60 }]);
      ensure((await bench.reserve('next', [account, 40])).admitted, '40 are left');
      const settled = await bench.settle('open', { a: 50 });
      expectPart(settled, { charged: [{ window: compiled.at(settled.at).id, amount: 50 }] });
      await bench.expectFigures(account, 50, 40);
      expectEqual((await bench.sink.verify()).differences, [], 'differences');
    },
  ),

  ...inBounded('extending asks the window that will pay', async (bench, window) => {
    const account = accountOf('a', { window });
    await bench.clock.enterWindow(account.rule.window, await bench.at());
    await bench.spend(account, 40);
    const { at } = await bench.reserve('open', [account, 50]);
    await bench.clock.passWindow(account.rule.window, at);
    expectPart(await bench.extend('open', [account, 60]), { status: 'extended' });
    expectPart(refusalsIn(await bench.extend('open', [account, 61])), [{ committed: 40 }]);
    await bench.expectFigures(account, 0, 0);
  }),
];

/** Windows whose ends are known by heart, as times of UTC. */
const KNOWN: readonly (readonly [name: string, spec: WindowSpec, from: string, to: string])[] = [
  [
    'case C-29: a day in Shanghai',
    { calendar: 'day', timeZone: 'Asia/Shanghai' },
    '2026-11-30T16:00Z',
    '2026-12-01T16:00Z',
  ],
  [
    'a day of 23 hours',
    { calendar: 'day', timeZone: 'America/New_York' },
    '2027-03-14T05:00Z',
    '2027-03-15T04:00Z',
  ],
  [
    'a day of 25 hours',
    { calendar: 'day', timeZone: 'America/New_York' },
    '2027-11-07T04:00Z',
    '2027-11-08T05:00Z',
  ],
  [
    'a week from Sunday',
    { calendar: 'week', weekStart: 'sunday' },
    '2026-12-06T00:00Z',
    '2026-12-13T00:00Z',
  ],
  [
    'a month from the 31st, which February has not',
    { calendar: 'month', anchorDay: 31 },
    '2027-01-31T00:00Z',
    '2027-02-28T00:00Z',
  ],
  ['a quarter', { calendar: 'quarter' }, '2027-01-01T00:00Z', '2027-04-01T00:00Z'],
  ['a minute', { fixed: '1m' }, '2026-11-30T12:00Z', '2026-11-30T12:01Z'],
];

async function checkKnown(
  bench: ContractBench,
  window: WindowSpec,
  from: string,
  to: string,
): Promise<void> {
  const account = accountOf('a', { window });
  const [startsAt, endsAt] = [Date.parse(from), Date.parse(to)];
  const goTo = (time: number) => bench.clock.pass(time - bench.clock.now());
  await goTo(startsAt);
  await bench.spend(account, 100);
  expectPart((await bench.read(account)).window, { startsAt, endsAt }, 'window');
  await goTo(endsAt - 1);
  const refusal = { kind: 'spent', resetsAt: endsAt, retryAfterMs: 1 };
  expectPart(refusalsIn(await bench.reserve('r1', [account, 1])), [refusal]);
  await goTo(endsAt);
  ensure((await bench.reserve('r2', [account, 100])).admitted, `anew from ${to}`);
}

const known: ContractTest[] = KNOWN.map(([name, spec, from, to]) =>
  test(
    `${name} ends to the millisecond`,
    (bench) => checkKnown(bench, spec, from, to),
    'driven time',
  ),
);

const expiries: ContractTest[] = [
  ...(['reserve', 'settle'] as const).map((attribute) =>
    test(
      `attribute ${attribute}: an expiry across a boundary, and what replaces it`,
      async (bench) => {
        const account = accountOf('a', { window: { fixed: '1h' }, attribute });
        await bench.clock.pass(3_600_000 - 60_000);
        const { at } = await bench.reserveBriefly('open', [account, 60]);
        await bench.expire();
        const isCarried = attribute === 'settle';
        await bench.expectFigures(account, isCarried ? 60 : 0, 0);
        const window = account.rule.window.at(isCarried ? at + bench.clock.holdMs : at).id;
        const late = { status: 'late', charged: [{ window, amount: -35 }] };
        expectPart(await bench.settle('open', { a: 25 }), late);
        await bench.expectFigures(account, isCarried ? 25 : 0, 0);
        expectEqual((await bench.sink.verify()).differences, [], 'differences');
      },
      'driven time',
    ),
  ),

  test(
    'a hold expires in the window of its expiry, however late somebody looks',
    async (bench) => {
      const account = accountOf('a', { window: { fixed: '1h' }, attribute: 'settle' });
      const { at } = await bench.reserveBriefly('open', [account, 60]);
      await bench.clock.pass(24 * 3_600_000);
      await bench.expectFigures(account, 0, 0);
      const window = account.rule.window.at(at + bench.clock.holdMs).id;
      expectPart(await bench.entries(), [{ kind: 'expiry', charges: [{ window, amount: 60 }] }]);
      const late = { status: 'late', charged: [{ window, amount: 10 }] };
      expectPart(await bench.settle('open', { a: 70 }), late);
      await bench.expectFigures(account, 0, 0);
      expectEqual((await bench.sink.verify()).differences, [], 'differences');
    },
    'driven time',
  ),
];

const others: ContractTest[] = [
  test(
    'a total never begins anew',
    async (bench) => {
      const total = accountOf('a');
      await bench.spend(total, 100);
      await bench.clock.pass(1_000 * 24 * 3_600_000);
      const refusals = refusalsIn(await bench.reserve('r1', [total, 1]));
      expectPart(refusals, [{ kind: 'spent', resetsAt: null, retryAfterMs: null }]);
    },
    'driven time',
  ),

  test('a reading names the window of now', async (bench) => {
    const specs: WindowSpec[] = ['total', { calendar: 'month' }, { rolling: '24h' }];
    for (const window of specs) {
      const account = accountOf(JSON.stringify(window), { window });
      const before = account.rule.window.at(await bench.at());
      const reading = await bench.read(account);
      const after = account.rule.window.at(await bench.at());
      const isAfter = reading.window.startsAt !== before.startsAt;
      expectEqual(reading.window, isAfter ? after : before, 'window');
    }
  }),

  test('what was spent is there again when a changed window is changed back', async (bench) => {
    const monthly = accountOf('a', { window: { calendar: 'month' } });
    const yearly = accountOf('a', { window: { calendar: 'year' } });
    await bench.spend(monthly, 60);
    await bench.spend(yearly, 10);
    await bench.expectFigures(yearly, 10, 0);
    await bench.expectFigures(monthly, 60, 0);
    ensure(!(await bench.reserve('r1', [monthly, 41])).admitted, '60 of 100 are spent');
  }),
];

export const windows: ContractGroup = {
  title: 'windows begin and end by the clock',
  tests: [...boundaries, ...known, ...expiries, ...others],
};
