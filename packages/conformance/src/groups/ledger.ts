import type { EntryQuery, Outcome } from '@hardcap/core';
import { accountOf } from '../accounts.ts';
import { expectEqual, expectPart } from '../check.ts';
import type { ContractBench } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a|user=u1', { budget: 'a' });
const a2 = accountOf('a|user=u2', { budget: 'a' });
const b = accountOf('b');

const OUTCOMES: readonly Outcome[] = ['known', 'metered', 'unknown', 'not-sent'];

const DETAILS = {
  model: 'small',
  tags: ['x', 'ünï "quoted"', ''],
  usage: { input: 12, output: 0, ratio: 0.1 },
  identity: { user: "o'brien", org: null },
  attempt: 1,
  isCached: false,
};

async function idsOf(bench: ContractBench, query: EntryQuery): Promise<string[]> {
  return (await bench.entries(query)).map(({ id }) => id);
}

export const ledger: ContractGroup = {
  title: '8. the ledger is append-only, in order, and can be asked',
  tests: [
    test('an entry of a settlement says all of it', async (bench) => {
      await bench.reserve('r1', [a, 60], [b, 10]);
      const charges = [
        { account: a.key, amount: 25 },
        { account: 'b', amount: 30 },
      ];
      const settle = { id: 'r1', outcome: 'metered', charges, details: DETAILS } as const;
      const { at } = await bench.sink.settle(settle);
      const common = { unit: 'tokens', window: 'total', slot: null };
      const entry = { kind: 'settlement', id: 'r1', reservation: 'r1', outcome: 'metered' };
      const charged = [
        { account: a.key, budget: 'a', ...common, amount: 25, held: 60 },
        { account: 'b', budget: 'b', ...common, amount: 30, held: 10 },
      ];
      const rest = { at, charges: charged, overshoot: [], details: DETAILS };
      expectEqual(await bench.entries(), [{ ...entry, ...rest }], 'the ledger');
    }),

    test('an entry of an adjustment says who changed what', async (bench) => {
      const change = { type: 'limit', limit: 5, until: 1_900_000_000_000 } as const;
      const request = { id: 'a1', account: a, change, details: { by: 'ann' } };
      const { at } = await bench.sink.adjust(request);
      const names = { kind: 'adjustment', id: 'a1', account: a.key, budget: 'a' };
      const rest = { at, change, charges: [], details: { by: 'ann' } };
      expectEqual(await bench.entries(), [{ ...names, ...rest }], 'the ledger');
    }),

    test('the outcome is kept', async (bench) => {
      for (const outcome of OUTCOMES) {
        await bench.reserve(outcome, [a, 1]);
        await bench.settle(outcome, {}, outcome);
      }
      const kept = (await bench.entries()).map((entry) => 'outcome' in entry && entry.outcome);
      expectEqual(kept, OUTCOMES, 'outcomes');
    }),

    test('the window that paid is named', async (bench) => {
      const windowed = accountOf('w', { window: bench.clock.fixed });
      const rolling = accountOf('s', { window: bench.clock.rolling });
      const { at } = await bench.reserve('r1', [windowed, 5], [rolling, 5]);
      await bench.settle('r1');
      const { window } = rolling.rule;
      const slot = window.kind === 'rolling' ? window.slotOf(at) : null;
      expectPart(
        await bench.entries(),
        [
          {
            charges: [
              { window: windowed.rule.window.at(at).id, slot: null },
              { window: window.at(at).id, slot },
            ],
          },
        ],
        'the ledger',
      );
    }),

    test('entries are in the order in which they were written', async (bench) => {
      const written: string[] = [];
      for (let index = 0; index < 60; index += 1) {
        // Names whose alphabetical order is another.
        const id = `${(index * 7) % 60}-r`;
        await bench.reserve(id, [a, 0]);
        await bench.settle(id, { [a.key]: 1 });
        written.push(id);
      }
      expectEqual(await idsOf(bench, {}), written, 'ids');
    }),

    test('they can be asked by account and by budget, which must be of one charge', async (bench) => {
      await bench.reserve('both', [a, 1], [b, 1]);
      await bench.settle('both');
      await bench.reserve('other', [a2, 1]);
      await bench.settle('other');
      await bench.adjust(a, { type: 'top-up', amount: 1 }, 'by-hand');
      await bench.reserve('none');
      await bench.settle('none');
      const all = ['both', 'other', 'by-hand', 'none'];
      expectEqual(await idsOf(bench, {}), all, 'all');
      expectEqual(await idsOf(bench, { account: a.key }), ['both', 'by-hand'], 'of an account');
      expectEqual(await idsOf(bench, { budget: 'a' }), ['both', 'other', 'by-hand'], 'of a budget');
      expectEqual(await idsOf(bench, { budget: 'b' }), ['both'], 'of the other budget');
      const exact = await idsOf(bench, { account: a.key, budget: 'a' });
      expectEqual(exact, ['both', 'by-hand'], 'of an account and its budget');
      const crossed = await idsOf(bench, { account: a.key, budget: 'b' });
      expectEqual(crossed, [], 'of an account and another budget');
      expectEqual(await idsOf(bench, { account: 'nobody' }), [], 'of nobody');
    }),

    test('they can be asked from a time on, and to before a time', async (bench) => {
      const times: number[] = [];
      for (const id of ['r0', 'r1', 'r2']) {
        await bench.reserve(id, [a, 1]);
        times.push((await bench.settle(id)).at);
        await bench.clock.pass(5);
      }
      const [, second, third] = times as [number, number, number];
      expectEqual(await idsOf(bench, { from: second }), ['r1', 'r2'], 'from the second');
      expectEqual(await idsOf(bench, { to: third }), ['r0', 'r1'], 'to before the third');
      expectEqual(await idsOf(bench, { from: second, to: third }), ['r1'], 'between');
      const between = await idsOf(bench, { from: second, to: third, account: 'b' });
      expectEqual(between, [], 'between, of another account');
      expectEqual(await idsOf(bench, { from: third + 1 }), [], 'after the last');
    }),

    test('somebody may read while others write, and may stop half-way', async (bench) => {
      const spend = async (id: string) => {
        await bench.reserve(id, [a, 0]);
        await bench.settle(id, { [a.key]: 1 });
      };
      for (const id of ['r0', 'r1', 'r2']) await spend(id);
      const seen: string[] = [];
      for await (const { id } of bench.sink.entries()) {
        if (seen.length < 3) await spend(`while-${id}`);
        seen.push(id);
      }
      expectEqual(seen.slice(0, 3), ['r0', 'r1', 'r2'], 'what was there before');
      expectEqual(new Set(seen).size, seen.length, 'how many are seen, each once');
      for await (const _ of bench.sink.entries()) break;
      expectEqual((await idsOf(bench, {})).length, 6, 'entries');
    }),
  ],
};
