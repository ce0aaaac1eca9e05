import {
  type LedgerEntry,
  MissingIdentityError,
  ReservationMismatchError,
  SinkUnavailableError,
  toHttpResponse,
  UnpricedModelError,
} from '@hardcap/core';
import { loadConfig } from '@hardcap/core/config';
import { describe, expect, test } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { KINDS } from './budget-guard-kinds.ts';
import {
  API_KEY,
  BUDGET_GUARD,
  BudgetGuardScene,
  callOf,
  costing,
  TTL_MS,
} from './budget-guard-scene.ts';
import { STORES } from './stores.ts';

/** The first 16 hex digits of its SHA-256. */
const SHOWN = 'guard|apiKey=16b8a9272c468a5b';
/** What the kinds of scenario came to, by store; a row of the table each. */
const evidence = new Map<string, string[]>();

describe.each(STORES)('the kinds of scenario, on %s', (store, open) => {
  const rows: string[] = [];
  evidence.set(store, rows);

  test.each(KINDS)(
    '$title',
    async (kind) => {
      const scene = new BudgetGuardScene(open(), kind.config);
      await kind.run(scene, store);
      const { spent, held } = await scene.figures();
      rows.push(`| ${kind.title} | ${scene.steps.join('; ')} | ${spent} | ${held} |`);
    },
    60_000,
  );
});

test('came to the same on each store, and to what docs/budget-guard.md says', async () => {
  const [memory = [], ...others] = evidence.values();
  expect(memory).toHaveLength(16);
  for (const rows of others) expect(rows).toEqual(memory);
  const table = ['| scenario | what happened | spent | held |', '|---|---|---|---|', ...memory];
  const page = `${INTRODUCTION}\n${table.join('\n')}\n`;
  await expect(page).toMatchFileSnapshot('../../docs/budget-guard.md');
});

const INTRODUCTION = `# A budget guard before the model: the evidence

One budget for each caller, checked and held before the model is called:

\`\`\`yaml${BUDGET_GUARD}\`\`\`

A rollover that resets what is committed and carries what is held is expressed by \`attribute: settle\`: an open call counts in the new day, and is paid by it. The feature named \`rollover\`, which leaves what a day has not spent to the next, takes \`attribute: reserve\`: there the committed spend is reset as well, and the hold stays with the day that admitted the call, where it keeps down what that leaves. No hold is dropped either way. The scenario whose day leaves its rest is run with \`attribute: reserve\` and \`rollover: { usd: "0.40" }\`, that with two budgets with a second one.

What a guard with this configuration did in each kind of scenario, as \`test/ancestors/budget-guard.test.ts\` wrote it down: the same on memory, SQLite and Redis, and with books that \`verify()\` finds right at the end of each. In memory, the eight processes are eight guards of one. \`npm test -- ancestors/budget-guard\` compares it with this page; with \`-u\` behind it, it writes the page anew.
`;

describe.each(STORES)('whole money, on %s', (_, open) => {
  const COARSE = BUDGET_GUARD.replace('"1.00"', '"0.0000000059"').replace(
    '"1", output',
    '"0.0011", output',
  );

  test('rounds a cap down and each estimate up, to whole nano-USD', async () => {
    const scene = new BudgetGuardScene(open(), COARSE);
    // 1.1 nano-USD of input: 2 are held, and 5 of 5.9 may be.
    const tiny = callOf('0', { inputTokens: 1, maxOutputTokens: 0 });
    const answers = [];
    for (let call = 0; call < 3; call += 1) answers.push(await scene.guard.reserve(tiny));
    expect(answers.map(({ admitted }) => admitted)).toEqual([true, true, false]);
    const [account] = await scene.guard.status({ apiKey: API_KEY });
    expect(account).toMatchObject({ limit: 5, committed: 0, held: 4 });
  });

  test('rounds what a call cost up once, and never adds up fractions', async () => {
    const scene = new BudgetGuardScene(
      open(),
      BUDGET_GUARD.replace('"1", output', '"0.0011", output'),
    );
    for (let call = 0; call < 20; call += 1) {
      const { admitted, ...reservation } = await scene.guard.reserve(
        callOf('0', { inputTokens: 3 }),
      );
      if (!admitted || !('call' in reservation)) throw new Error('refused');
      // 3.3 nano-USD.
      await reservation.call.settle({ outcome: 'known', usage: { ...NO_TOKENS, input: 3 } });
    }
    const [account] = await scene.guard.status({ apiKey: API_KEY });
    expect(account?.committed).toBe(20 * 4);
  });
});

const NO_TOKENS = {
  ...{ input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, reasoning: 0 },
};

async function ledgerOf(scene: BudgetGuardScene): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for await (const entry of scene.guard.ledger()) entries.push(entry);
  return entries;
}

describe.each(STORES)('every settlement has its row, on %s', (_, open) => {
  const HALF = { ...NO_TOKENS, output: 20_000 };
  const rows = [
    ['a cost that was reported', costing('0.25'), 'known', 250_000_000],
    ['usage that was reported', { outcome: 'known', usage: HALF }, 'known', 200_000_000],
    ['usage that was metered', { outcome: 'metered', usage: HALF }, 'metered', 200_000_000],
    ['nobody knows', { outcome: 'unknown' }, 'unknown', 400_000_000],
    ['usage that is none', { outcome: 'known', usage: { input: -1 } }, 'known', 400_000_000],
    ['more than was held', costing('0.50'), 'known', 500_000_000],
    ['nothing', costing('0'), 'known', 0],
    ['never sent', { outcome: 'not-sent' }, 'not-sent', 0],
  ] as const;

  test.each(rows)('%s', async (_title, settlement, outcome, costNanoUsd) => {
    const scene = new BudgetGuardScene(open());
    const call = await scene.open('0.40');
    await call.settle(settlement);
    await call.settle(costing('0.99'));
    const charge = { budget: 'guard', unit: 'usd', amount: costNanoUsd, held: 400_000_000 };
    expect(await ledgerOf(scene)).toMatchObject([
      { kind: 'settlement', outcome, reservation: call.id, costNanoUsd, charges: [charge] },
    ]);
    const [account] = await scene.guard.status({ apiKey: API_KEY });
    expect(account).toMatchObject({ committed: costNanoUsd, held: 0 });
  });

  test('a hold whose time is over leaves a tombstone, which only a settlement moves', async () => {
    const store = open();
    const scene = new BudgetGuardScene(store);
    const call = await scene.open('0.40');
    store.clock.advance(TTL_MS);
    expect(await scene.figures()).toEqual({ spent: '$0.40', held: '$0.00' });
    const sink = store.connect();
    const claims = [claimOn(accountOf('guard'), 1)];
    const again = async () => sink.reserve({ id: call.id, claims, ttlMs: TTL_MS });
    await expect(again).rejects.toSatisfy(ReservationMismatchError.isInstance);
    expect(await sink.release(call.id)).toMatchObject({
      status: 'already-resolved',
      first: 'expired',
    });
    expect(await call.settle(costing('0.10'))).toMatchObject({ status: 'late' });
    expect(await sink.release(call.id)).toMatchObject({
      status: 'already-resolved',
      first: 'settled',
    });
    expect(await scene.figures()).toEqual({ spent: '$0.10', held: '$0.00' });
    expect(
      (await ledgerOf(scene)).map(({ kind, costChangeNanoUsd }) => [kind, costChangeNanoUsd]),
    ).toEqual([
      ['expiry', 400_000_000],
      ['correction', -300_000_000],
    ]);
    await sink.close();
  });
});

describe.each(STORES)('a fault is a 503 and no call, on %s', (_, open) => {
  const statusOf = async (made: PromiseLike<unknown>) => {
    const error: unknown = await Promise.resolve(made).catch((thrown: unknown) => thrown);
    return [(error as Error).constructor, toHttpResponse(error).status];
  };

  test('of the store, also in mid-call', async () => {
    const store = open();
    const scene = new BudgetGuardScene(store);
    const call = await scene.open('0.40', { estimate: 'none' });
    store.fail();
    expect(await statusOf(scene.guard.reserve(callOf('0.10')))).toEqual([
      SinkUnavailableError,
      503,
    ]);
    // The stream needs more than it holds, and nobody says that it may.
    expect(await call.meter({ usage: { output: 90_000 } })).toBe(false);
    expect(SinkUnavailableError.isInstance(call.stopReason)).toBe(true);
    expect(await call.settle({ outcome: 'metered' })).toMatchObject({ status: 'queued' });
    store.recover();
    await expect.poll(() => scene.guard.flush(), { timeout: 5_000 }).toEqual({ unsent: 0 });
    expect(await scene.figures()).toEqual({ spent: '$0.90', held: '$0.00' });
  });

  test('of the policy: a configuration that means nothing, and a model without a price', async () => {
    const config = BUDGET_GUARD.replace('calendar: day', 'calendar: fortnight');
    const load = async () => loadConfig(config);
    const broken = await load().catch((error: unknown) => error);
    expect(toHttpResponse(broken).status).toBe(503);
    const priceless = BUDGET_GUARD.replace(/ {2}unknownModel:\n.*\n/, '');
    const scene = new BudgetGuardScene(open(), priceless);
    const unheard = callOf('0.10', { model: 'unheard-of' });
    expect(await statusOf(scene.guard.reserve(unheard))).toEqual([UnpricedModelError, 503]);
    expect(await scene.figures()).toEqual({ spent: '$0.00', held: '$0.00' });
  });

  test('of the caller, who is nobody: refused, and not for the budget', async () => {
    const scene = new BudgetGuardScene(open());
    const { identity: _, ...nobody } = callOf('0.10');
    expect(await statusOf(scene.guard.reserve(nobody))).toEqual([MissingIdentityError, 403]);
  });
});

describe.each(STORES)('what is seen from outside, on %s', (_, open) => {
  test('keys are hashed, in the account, the refusal and the ledger', async () => {
    const scene = new BudgetGuardScene(open());
    await (await scene.open('0.40')).settle(costing('0.40'));
    const refused = await scene.guard.reserve(callOf('2'));
    const status = await scene.guard.status({ apiKey: API_KEY });
    const seen = JSON.stringify([status, refused, await ledgerOf(scene), scene.worker.events]);
    expect(status).toMatchObject([{ account: SHOWN }]);
    expect(seen).toContain(SHOWN);
    expect(seen).not.toContain(API_KEY);
  });

  test('the soft warning is told once, and stands until the day ends', async () => {
    const store = open();
    const scene = new BudgetGuardScene(store);
    const alerts = async () =>
      (await scene.guard.alerts({ identity: { apiKey: API_KEY } })).map(({ kind }) => kind);
    await (await scene.open('0.79')).settle(costing('0.79999999'));
    expect(await alerts()).toEqual([]);
    await (await scene.open('0.01')).settle(costing('0.00000001'));
    await (await scene.open('0.10')).settle(costing('0.05'));
    const crossed = scene.worker.events.filter(({ type }) => type === 'threshold-crossed');
    expect(crossed).toMatchObject([{ threshold: 0.8, committed: 800_000_000, account: SHOWN }]);
    expect(await alerts()).toEqual(['approaching']);
    store.clock.moveTo('2026-12-01T00:00:00Z');
    expect(await alerts()).toEqual([]);
  });
});
