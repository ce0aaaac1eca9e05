import {
  type Account,
  type AccountRule,
  createSpendGuard,
  type LedgerEntry,
  type SpendGuard,
} from '@hardcap/core';
import { type SummaryKey, summarize, toCsv } from '@hardcap/core/ledger';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { RedisUsageSink } from '../src/index.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { PartingClient } from './support/parting-client.ts';
import { TwoStores } from './support/two-stores.ts';

const stores = await TwoStores.start();
const DAY = 86_400_000;
const GAPS: readonly (readonly [gap: string, ms: number])[] = [
  ['a second', 1_000],
  ['11 s', 11_000],
  ['10 min', 600_000],
  ['a day', DAY],
];

afterAll(() => stores.stop());
beforeEach(() => stores.begin());

function named(key: string, terms: Partial<Omit<AccountRule, 'window'>> = {}): Account {
  return { ...accountOf(key.split('|')[0] ?? '', { unit: 'usd', ...terms }), key };
}
const tenant = named('org-total|org=acme');
const all = named('all');
const tokens = named('org-tokens|org=acme', { unit: 'tokens' });

const usage = { input: 4, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 2, reasoning: 0 };
const told = { provider: 'p', model: 'm', identity: { org: 'acme' }, usage, costNanoUsd: 25 };
const end = (accounts: readonly Account[], details = told) => ({
  id: 'r1',
  outcome: 'known' as const,
  charges: accounts.map(({ key }) => ({ account: key, amount: 25 })),
  details,
});

/** That awaits late settlements for long enough. */
function sinkOn(client?: PartingClient): RedisUsageSink {
  return stores.sink(client, { awaitedMs: 5 * DAY });
}

function reserve(sink: RedisUsageSink, accounts: readonly Account[], ttlMs: number) {
  const claims = accounts.map((account) => claimOn(account, 30));
  return sink.reserve({ id: 'r1', claims, ttlMs });
}

/** Settles the first part alone, as a process that dies in between. */
async function settleFirst(accounts: readonly Account[], ttlMs: number): Promise<void> {
  const client = new PartingClient(stores.owner);
  const dying = sinkOn(client);
  expect(await reserve(dying, accounts, ttlMs)).toMatchObject({ admitted: true });
  client.fateOf = stores.above('lost');
  await expect(dying.settle(end(accounts))).rejects.toThrow();
}

function guardOn(sink: RedisUsageSink): SpendGuard {
  return createSpendGuard({
    sink,
    budgets: [
      { name: 'org-total', per: ['org'], limit: { usd: '0.0001' }, window: 'total' },
      { name: 'org-tokens', per: ['org'], limit: { tokens: 100 }, window: 'total' },
      { name: 'all', per: [], limit: { usd: '0.0001' }, window: 'total' },
    ],
    prices: {
      quote: () => {
        throw new Error('no price is asked for');
      },
    },
  });
}

async function linesOf(guard: SpendGuard): Promise<LedgerEntry[]> {
  const lines: LedgerEntry[] = [];
  for await (const line of guard.ledger({})) lines.push(line);
  return lines;
}

async function rowsOf(guard: SpendGuard, ...by: SummaryKey[]): Promise<string[]> {
  const rows = await summarize(guard.ledger({}), { by });
  return rows.map(({ group, calls, costNanoUsd, tokens: { input }, chargedAtHold }) => {
    const at = Object.values(group).join(' ');
    return `${at}: ${calls} of ${costNanoUsd}, ${input} in, ${chargedAtHold} at hold`;
  });
}

/** What every reader of the ledger makes of it: one call, that cost so much. */
async function expectOneCall(sink: RedisUsageSink, accounts: readonly Account[], cost: number) {
  const guard = guardOn(sink);
  const lines = await linesOf(guard);
  const sum = (of: (line: LedgerEntry) => number | null | undefined) => {
    return lines.reduce((total, line) => total + (of(line) ?? 0), 0);
  };
  expect(sum(({ costChangeNanoUsd }) => costChangeNanoUsd)).toBe(cost);
  const rows = await summarize(guard.ledger({}), { by: [] });
  expect(rows.map(({ calls, costNanoUsd }) => [calls, costNanoUsd])).toEqual([[1, cost]]);
  const budgets = await summarize(guard.ledger({}), { by: ['budget'] });
  for (const { group, calls, costNanoUsd } of budgets) {
    // What a hold in tokens cost is not known where the part in money is not at hand.
    const own = group.budget === 'org-tokens' && lines.length > 1 ? 0 : cost;
    expect([calls, costNanoUsd], String(group.budget)).toEqual([1, own]);
  }
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length);
  for (const { account, committed, held } of await sink.read(accounts)) {
    const charges = lines
      .flatMap((line) => line.charges)
      .filter((each) => each.account === account);
    expect([account, committed, held]).toEqual([
      account,
      charges.reduce((all, { amount }) => all + amount, 0),
      0,
    ]);
  }
  let csv = 0;
  for await (const line of toCsv(guard.ledger({}), ['costChangeNanoUsd'])) csv += Number(line) || 0;
  expect(csv).toBe(cost);
  expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
  return { guard, lines };
}

describe.each(GAPS)('parts of a call that are written %s apart', (_, gap) => {
  test('both settled', async () => {
    await settleFirst([tenant, all], 3 * DAY);
    stores.time += gap;
    const sink = sinkOn();
    expect(await sink.settle(end([tenant, all]))).toMatchObject({ status: 'settled' });
    const { guard, lines } = await expectOneCall(sink, [tenant, all], 25);
    expect(
      lines.map(({ id, costNanoUsd, apartNanoUsd }) => [id, costNanoUsd, apartNanoUsd]),
    ).toEqual(
      gap <= 10_000
        ? [['r1', 25, undefined]]
        : [
            ['r1', 25, undefined],
            ['r1:part2', null, 25],
          ],
    );
    expect(await rowsOf(guard, 'budget')).toEqual([
      'all: 1 of 25, 4 in, 0 at hold',
      'org-total: 1 of 25, 4 in, 0 at hold',
    ]);
  });

  test('both expired', async () => {
    const sink = sinkOn();
    await reserve(sink, [tenant, all], 60_000);
    stores.time += 60_000;
    await sink.read([tenant]);
    stores.time += gap;
    const { guard } = await expectOneCall(sink, [tenant, all], 30);
    expect(await rowsOf(guard)).toEqual([': 1 of 30, 0 in, 1 at hold']);
    await sink.settle(end([tenant, all]));
    await expectOneCall(sink, [tenant, all], 25);
    expect(await rowsOf(guard)).toEqual([': 1 of 25, 4 in, 0 at hold']);
  });

  test('one settled, the other expired, and settled late', async () => {
    await settleFirst([tenant, all], 60_000);
    stores.time += 60_000 + gap;
    const sink = sinkOn();
    const { guard } = await expectOneCallButForHold(sink);
    await sink.settle(end([tenant, all]));
    await expectOneCall(sink, [tenant, all], 25);
    expect(await rowsOf(guard)).toEqual([': 1 of 25, 4 in, 0 at hold']);
  });

  test('the one that is paid in money expired last', async () => {
    const sink = sinkOn();
    await reserve(sink, [tokens, all], 60_000);
    stores.time += 60_000;
    await sink.read([tokens]);
    stores.time += gap;
    await expectOneCall(sink, [tokens, all], 30);
  });

  test.each(['r1', 'r1:part2'])('a correction of the entry %s corrects both', async (entry) => {
    await settleFirst([tenant, all], 3 * DAY);
    stores.time += gap;
    const sink = sinkOn();
    await sink.settle(end([tenant, all]));
    const guard = guardOn(sink);
    const id = gap <= 10_000 ? 'r1' : entry;
    expect(await guard.correct(id, { costNanoUsd: 40 })).toMatchObject({ costChangeNanoUsd: 15 });
    await expectOneCall(sink, [tenant, all], 40);
    expect(await guard.correct(id, { costNanoUsd: 10 })).toMatchObject({ costChangeNanoUsd: -30 });
    await expectOneCall(sink, [tenant, all], 10);
    expect(await sink.read([tenant, all])).toMatchObject([{ committed: 10 }, { committed: 10 }]);
  });

  test('a correction that stopped half-way', async () => {
    const client = new PartingClient(stores.owner);
    const sink = sinkOn(client);
    await reserve(sink, [tenant, all], 60_000);
    await sink.settle(end([tenant, all]));
    client.fateOf = stores.within('lost');
    const change = {
      type: 'correction',
      reservation: 'r1',
      charges: [tenant, all].map(({ key, rule: { budget, unit } }) => {
        return { account: key, budget, unit, window: 'total', slot: null, amount: 15 };
      }),
    } as const;
    const details = { costNanoUsd: 40, costChangeNanoUsd: 15 };
    const request = { id: 'r1:fix1', account: all, change, details };
    await expect(sink.adjust(request)).rejects.toThrow();
    stores.time += gap;
    client.fateOf = () => 'sent';
    await sinkOn().adjust(request);
    const { lines } = await expectOneCall(sink, [tenant, all], 40);
    expect(lines.filter(({ kind }) => kind === 'adjustment')).toHaveLength(gap <= 10_000 ? 1 : 2);
    await guardOn(sink).correct('r1', { costNanoUsd: 20 });
    await expectOneCall(sink, [tenant, all], 20);
  });
});

/** While the second part is charged at its hold, its budget has that, and the call what it cost. */
async function expectOneCallButForHold(sink: RedisUsageSink) {
  const guard = guardOn(sink);
  expect(await rowsOf(guard)).toEqual([': 1 of 25, 4 in, 0 at hold']);
  expect(await rowsOf(guard, 'budget')).toEqual([
    'all: 1 of 30, 0 in, 1 at hold',
    'org-total: 1 of 25, 4 in, 0 at hold',
  ]);
  return { guard };
}
