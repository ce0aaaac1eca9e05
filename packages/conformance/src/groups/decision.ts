import { WindowedSpendBudgetPolicy, type WindowSpec } from '@hardcap/core';
import { accountOf, withTerms } from '../accounts.ts';
import { ensure, expectEqual, expectPart } from '../check.ts';
import { type ContractBench, refusalsIn, TTL } from '../contract-bench.ts';
import { type ContractGroup, test } from '../contract-test.ts';

const a = accountOf('a');

const LIMIT = 10;
const COMMITTED: readonly number[] = [0, 4, 9, 10, 13];
const HELD: readonly number[] = [0, 1, 6, 10];
const REQUESTED: readonly number[] = [0, 1, 4, 10, 11];

/** Brings an account to these figures, which may be above its limit. */
async function bringTo(
  bench: ContractBench,
  account: ReturnType<typeof accountOf>,
  committed: number,
  held: number,
): Promise<void> {
  const unlimited = withTerms(account, { limit: null });
  if (committed > 0) await bench.spend(unlimited, committed);
  if (held > 0) await bench.reserve(`held-${account.key}`, [unlimited, held]);
}

/** Asks for every amount in every standing, and compares with the policy. */
async function compareWithPolicy(bench: ContractBench, spec: WindowSpec): Promise<void> {
  const policy = new WindowedSpendBudgetPolicy({ limit: LIMIT, window: spec });
  for (const committed of COMMITTED) {
    for (const held of HELD) {
      const account = accountOf(`${committed}-${held}`, { limit: LIMIT, window: spec });
      await bench.clock.enterWindow(account.rule.window, await bench.at());
      await bringTo(bench, account, committed, held);
      for (const requested of REQUESTED) {
        const what = `asking for ${requested} with ${committed} spent and ${held} held of ${LIMIT}`;
        const answer = await bench.reserve(`ask-${account.key}-${requested}`, [account, requested]);
        const { at } = answer;
        const decision = policy.check({ spent: committed, held, pending: requested, now: at });
        expectEqual(answer.admitted, decision.allowed, `${what}: admitted`);
        if (answer.admitted) await bench.release(`ask-${account.key}-${requested}`);
        else {
          const { kind, retryAfterMs } = decision;
          const figures = { limit: LIMIT, committed, held, requested, kind, retryAfterMs };
          const { endsAt } = account.rule.window.at(at);
          const names = { budget: account.key, account: account.key, unit: 'tokens' };
          expectEqual(answer.refusals, [{ ...names, ...figures, resetsAt: endsAt }], what);
        }
      }
    }
  }
}

export const decision: ContractGroup = {
  title: 'the decision is that of WindowedSpendBudgetPolicy',
  tests: [
    test('a reservation holds on every account, and says until when', async (bench) => {
      const b = accountOf('b', { limit: 50 });
      const answer = await bench.reserve('r1', [a, 60], [b, 50]);
      const { at } = answer;
      expectEqual(answer, { admitted: true, expiresAt: at + TTL, at, notices: [] });
      await bench.expectFigures(a, 0, 60);
      await bench.expectFigures(b, 0, 50);
    }),

    test('in every standing of a total: kind, figures and hint', (bench) =>
      compareWithPolicy(bench, 'total')),

    test('in every standing of a fixed window: kind, figures, hint and reset', (bench) =>
      compareWithPolicy(bench, bench.clock.fixed)),

    test('case C-01, C-04: parallel holds never pass the limit, and use all of it', async (bench) => {
      const ids = Array.from({ length: 10 }, (_, index) => `r${index}`);
      const answers = await Promise.all(ids.map((id) => bench.reserve(id, [a, 20])));
      expectEqual(answers.filter(({ admitted }) => admitted).length, 5, 'how many are admitted');
      await bench.expectFigures(a, 0, 100);
    }),

    test('a cap can be used to its last unit, and is exhausted then', async (bench) => {
      await bench.spend(a, 99);
      const tooLarge = refusalsIn(await bench.reserve('r1', [a, 2]));
      expectPart(tooLarge, [{ kind: 'too-large', committed: 99, requested: 2 }]);
      ensure((await bench.reserve('r2', [a, 1])).admitted, 'the last unit should be admitted');
      expectPart(refusalsIn(await bench.reserve('r3', [a, 0])), [{ kind: 'held', held: 1 }]);
      await bench.settle('r2');
      expectPart(refusalsIn(await bench.reserve('r4', [a, 0])), [{ kind: 'spent' }]);
    }),

    test('an account without a limit counts, and refuses nothing', async (bench) => {
      const open = accountOf('open', { limit: null });
      ensure((await bench.reserve('r1', [open, 1e15])).admitted, 'there is no limit to refuse by');
      await bench.settle('r1');
      expectPart(await bench.read(open), { limit: null, committed: 1e15, held: 0 }, 'reading');
    }),

    test('an account that the configuration blocks refuses everything', async (bench) => {
      const closed = accountOf('closed', { blocked: true, limit: null });
      const refusals = refusalsIn(await bench.reserve('r1', [closed, 0]));
      expectPart(refusals, [{ kind: 'blocked', limit: null, requested: 0, retryAfterMs: null }]);
      expectEqual((await bench.read(closed)).blocked, true, 'blocked');
    }),

    test('a call that binds no account is admitted, and settles to nothing', async (bench) => {
      ensure((await bench.reserve('r1')).admitted, 'nothing refuses');
      expectPart(await bench.settle('r1'), { status: 'settled', charged: [], overshoot: [] });
    }),

    test('readings are in the order of asking; what is unknown reads 0, and stays unknown', async (bench) => {
      await bench.spend(a, 5);
      const accounts = [accountOf('c'), a, accountOf('b')];
      const committed = [0, 5, 0];
      const readings = await bench.sink.read(accounts);
      expectPart(
        readings,
        accounts.map(({ key }, place) => {
          return { account: key, committed: committed[place], held: 0, limit: 100, blocked: false };
        }),
        'readings',
      );
      expectEqual(await bench.sink.read([]), [], 'readings of nothing');
      expectPart(await bench.sink.verify(), { accounts: 1 }, 'report');
    }),

    test('units are counted apart and passed through', async (bench) => {
      const units = ['usd', 'tokens', 'requests', 'concurrent'] as const;
      const accounts = units.map((unit) => accountOf(unit, { unit, limit: 5 }));
      const claims = accounts.map((account) => [account, 6] as const);
      const refusals = refusalsIn(await bench.reserve('r1', ...claims));
      expectPart(
        refusals,
        units.map((unit) => ({ budget: unit, unit })),
        'refusals',
      );
    }),
  ],
};
