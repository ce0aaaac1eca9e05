import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../src/index.ts';
import { type SummaryKey, summarize, toCsv, toJsonLines } from '../src/ledger.ts';
import { DAY, HOUR, NOON } from './support/clock.ts';
import {
  admit,
  benchOf,
  callOf,
  collect,
  type GuardBench,
  usageOf,
  usdBudget,
} from './support/guard.ts';

const BUDGETS = [
  usdBudget('100', { name: 'org', per: ['org'] }),
  usdBudget('100', { name: 'user', per: ['user'], window: { calendar: 'day' } }),
  usdBudget('1', { name: 'calls', limit: { requests: 'unlimited' } }),
];

interface Spending {
  readonly user?: string;
  readonly model?: string;
  readonly input?: number;
  readonly output?: number;
}

async function spend({ guard }: GuardBench, spending: Spending = {}): Promise<string> {
  const { user = 'ann', model = 'small', input = 0, output = 10 } = spending;
  const identity = { org: 'acme', user };
  const call = await admit(guard, callOf(60, { identity, model, inputTokens: 100 }));
  await call.settle({ outcome: 'known', usage: usageOf({ input, output }) });
  return call.id;
}

/** Two days, two users, two models, a lost call, a late one, a correction, a reversal, a top-up. */
async function busyBench(): Promise<GuardBench> {
  const bench = benchOf(BUDGETS);
  const { guard, clock } = bench;
  await spend(bench, { input: 7 });
  await spend(bench, { user: 'bob', model: 'large' });
  await (await admit(guard, callOf(5, { identity: { user: 'bob' } }))).settle({
    outcome: 'unknown',
  });
  await (await admit(guard, callOf(5))).settle({ outcome: 'not-sent' });
  const wrong = await spend(bench, { output: 40 });
  const twice = await spend(bench, { user: 'bob' });
  // Nobody ever says what became of it.
  await admit(guard, callOf(20, { identity: { user: 'ann' } }));
  const late = await admit(guard, callOf(20, { identity: { user: 'ann' } }));
  clock.advance(DAY);
  await late.settle({ outcome: 'known', usage: usageOf({ output: 3 }) });
  await guard.correct(wrong, { usage: usageOf({ output: 4 }) });
  await guard.correct(twice, { reverse: true });
  await guard.topUp({ budget: 'user', identity: { user: 'ann' } }, { usd: '1' });
  await spend(bench, { user: 'bob' });
  return bench;
}

async function summaryOf({ guard }: GuardBench, by: SummaryKey[], timeZone = 'UTC') {
  return summarize(guard.ledger(), { by, timeZone });
}

function costOf(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, entry) => sum + (entry.costChangeNanoUsd ?? 0), 0);
}

describe('a summary', () => {
  test('by day has the cost of the entries of that day, to the nano', async () => {
    const bench = await busyBench();
    const entries = await collect(bench.guard.ledger());
    const rows = await summaryOf(bench, ['day']);
    expect(rows.map(({ group }) => group)).toEqual([{ day: '2026-11-30' }, { day: '2026-12-01' }]);
    for (const [place, from] of [NOON - 12 * HOUR, NOON + 12 * HOUR].entries()) {
      const ofDay = entries.filter(({ at }) => at >= from && at < from + DAY);
      expect(rows[place]?.costNanoUsd).toBe(costOf(ofDay));
    }
  });

  test('nets what was settled late, corrected and reversed', async () => {
    const bench = await busyBench();
    const [all] = await summaryOf(bench, []);
    // 10 + 7 input, 10 of the large one, 5 held, 4 of 40, 0 of 10, 20 lost, 3 late, 10 more.
    const cost = 107_000 + 1_000_000 + 50_000 + 40_000 + 0 + 200_000 + 30_000 + 100_000;
    expect(all).toEqual({
      group: {},
      calls: 8,
      costNanoUsd: cost,
      tokens: { ...tokens(), input: 7, output: 10 + 10 + 4 + 3 + 10 },
      chargedAtHold: 2,
      corrections: 3,
    });
  });

  test('counts no call that expired, and then turned out not to have been sent', async () => {
    const bench = benchOf(BUDGETS);
    await spend(bench);
    const call = await admit(bench.guard, callOf(20, { identity: { user: 'ann' } }));
    bench.clock.advance(DAY);
    expect(await call.settle({ outcome: 'not-sent' })).toMatchObject({ status: 'late' });
    const [all] = await summaryOf(bench, []);
    expect(all).toMatchObject({ calls: 1, costNanoUsd: 100_000, chargedAtHold: 0, corrections: 1 });
  });

  test('of a call whose accounts were reset before it settled late has its hold, until it is corrected', async () => {
    const bench = benchOf(BUDGETS);
    const { guard, clock } = bench;
    const identity = { org: 'acme', user: 'ann' };
    const call = await admit(guard, callOf(20, { identity }));
    clock.advance(HOUR);
    for (const budget of ['org', 'user']) await guard.reset({ budget, identity });
    await call.settle({ outcome: 'known', usage: usageOf({ output: 3 }) });
    const sum = async () => (await summaryOf(bench, [])).map(({ costNanoUsd }) => costNanoUsd);
    expect(await sum()).toEqual([200_000]);
    await guard.correct(`${call.id}:expiry`, { usage: usageOf({ output: 3 }) });
    expect(await sum()).toEqual([30_000]);
    expect((await guard.verify()).differences).toEqual([]);
  });

  test('by identity and model', async () => {
    const bench = await busyBench();
    const rows = await summaryOf(bench, ['identity.user', 'model']);
    expect(rows.map(({ group, calls }) => [...Object.values(group), calls])).toEqual([
      ['ann', 'small', 4],
      ['bob', 'large', 1],
      ['bob', 'small', 3],
      [null, 'small', 0],
    ]);
    expect(rows.find(({ group }) => group.model === 'large')).toMatchObject({
      costNanoUsd: 1_000_000,
    });
  });

  test('by provider', async () => {
    const [row, ...others] = await summaryOf(await busyBench(), ['provider']);
    expect(row).toMatchObject({ group: { provider: 'acme' }, calls: 8 });
    expect(others).toEqual([]);
  });

  test('by budget counts a call in each budget that it was charged to', async () => {
    const bench = benchOf(BUDGETS);
    await spend(bench);
    await (await admit(bench.guard, callOf(5))).settle({ outcome: 'unknown' });
    const rows = await summaryOf(bench, ['budget']);
    expect(rows).toMatchObject([
      { group: { budget: 'calls' }, calls: 2, costNanoUsd: 100_000 },
      { group: { budget: 'org' }, calls: 1, costNanoUsd: 100_000 },
      { group: { budget: 'user' }, calls: 1, costNanoUsd: 100_000 },
    ]);
  });

  test('by day of a zone, over the hour that is there twice', async () => {
    // Clocks go back in New York on 1 November 2026 at 06:00 UTC.
    const times = [
      '2026-11-01T03:59Z',
      '2026-11-01T04:00Z',
      '2026-11-02T04:59Z',
      '2026-11-02T05:00Z',
    ];
    const entries = times.map((text) => entryAt(Date.parse(text)));
    const rows = await summarize(entries, { by: ['day'], timeZone: 'America/New_York' });
    const days = Object.fromEntries(rows.map(({ group, calls }) => [group.day, calls]));
    expect(days).toEqual({ '2026-10-31': 1, '2026-11-01': 2, '2026-11-02': 1 });
  });

  test('keeps a row for each group and nothing else, and has an end', async () => {
    async function* many(): AsyncGenerator<LedgerEntry> {
      for (let count = 0; count < 50_000; count += 1) {
        yield { ...entryAt(NOON), identity: { user: `u${count % 10}` } };
      }
    }
    const rows = await summarize(many(), { by: ['identity.user'], maxRows: 10 });
    expect(rows).toHaveLength(10);
    expect(rows[0]).toMatchObject({ calls: 5_000, costNanoUsd: 5_000 });
    const tooMany = summarize(many(), { by: ['identity.user'], maxRows: 9 });
    await expect(tooMany).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test.each([
    [{ by: ['user' as SummaryKey] }, 'identity.user; "user" is none'],
    [{ by: ['day' as const], timeZone: 'Mars/Olympus' }, 'Mars/Olympus'],
  ])('for %j is refused', async (options, message) => {
    await expect(summarize([], options)).rejects.toThrow(message);
  });

  test('that can no longer be exact is refused', async () => {
    const entries = [1, 2].map(() => ({ ...entryAt(NOON), costChangeNanoUsd: 2 ** 52 + 2 }));
    await expect(summarize(entries, { by: ['day'] })).rejects.toThrow('more than can be exact');
  });
});

describe('an export', () => {
  test('as JSON Lines has an entry on each line', async () => {
    const { guard } = await busyBench();
    const lines = await collect(toJsonLines(guard.ledger()));
    expect(lines.every((line) => line.indexOf('\n') === line.length - 1)).toBe(true);
    expect(lines.map((line) => JSON.parse(line))).toEqual(await collect(guard.ledger()));
  });

  test('as CSV is read by others: a header, and a line for each entry', async () => {
    const { guard } = await busyBench();
    const entries = await collect(guard.ledger());
    const text = (await collect(toCsv(guard.ledger()))).join('');
    const rows = parse(text, { columns: true }) as Record<string, string>[];
    expect(rows).toHaveLength(entries.length);
    for (const [place, entry] of entries.entries()) {
      const row = rows[place] ?? {};
      expect(row).toMatchObject({
        at: new Date(entry.at).toISOString().replace('.000', ''),
        id: entry.id,
        kind: entry.kind,
        costChangeNanoUsd: String(entry.costChangeNanoUsd ?? ''),
        output: String(entry.usage?.output ?? ''),
        priceSource: entry.price?.source ?? '',
        reason: '',
      });
      expect(JSON.parse(row['charges'] ?? '')).toEqual(entry.charges);
      expect(JSON.parse(row['identity'] ?? '')).toEqual(entry.identity);
    }
  });

  test('as CSV has these columns, in this order', async () => {
    const [header] = await collect(toCsv([]));
    expect(header).toBe(
      'at,id,kind,outcome,reservation,operationId,attempt,provider,model,servedModel,identity,' +
        'input,cacheRead,cacheWrite5m,cacheWrite1h,output,reasoning,audioInput,audioOutput,fees,' +
        'costNanoUsd,costChangeNanoUsd,heldNanoUsd,chargedAtHold,charges,account,budget,change,' +
        'reason,by,correctionId,priceSource,priceVersion,tags,apartNanoUsd\r\n',
    );
    expect(await collect(toCsv([entryAt(NOON)], ['model', 'costNanoUsd']))).toEqual([
      'model,costNanoUsd\r\n',
      'small,1\r\n',
    ]);
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\uff1d1', "'\uff1d1"],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    [' padded', '" padded"'],
    ['plain = text', 'plain = text'],
  ])('as CSV writes %j as %j', async (reason, cell) => {
    const [, line] = await collect(toCsv([{ ...entryAt(NOON), reason }], ['reason', 'id']));
    expect(line).toBe(`${cell},r1\r\n`);
  });

  test('leaves numbers below 0 alone', async () => {
    const entry = { ...entryAt(NOON), costChangeNanoUsd: -5 };
    const [, line] = await collect(toCsv([entry], ['costChangeNanoUsd']));
    expect(line).toBe('-5\r\n');
  });

  test('takes an entry at a time, and no more when nobody reads on', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<LedgerEntry> {
      for (;;) {
        read += 1;
        yield entryAt(NOON);
      }
    }
    for (const lines of [toJsonLines(endless()), toCsv(endless())]) {
      read = 0;
      let seen = 0;
      for await (const _ of lines) {
        seen += 1;
        if (seen === 3) break;
      }
      expect(read).toBeLessThanOrEqual(3);
    }
  });
});

function tokens(): Record<string, number> {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning } = usageOf({});
  const audio = { audioInput: 0, audioOutput: 0 };
  return { input, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning, ...audio };
}

function entryAt(at: number): LedgerEntry {
  return {
    kind: 'settlement',
    id: 'r1',
    reservation: 'r1',
    at,
    outcome: 'known',
    provider: 'acme',
    model: 'small',
    usage: usageOf({}),
    costNanoUsd: 1,
    costChangeNanoUsd: 1,
    charges: [],
  };
}
