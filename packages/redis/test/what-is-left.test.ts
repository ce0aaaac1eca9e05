import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisUsageSink, type RedisUsageSinkOptions } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { RedisServer } from './support/redis-server.ts';

// What may be concluded from a ledger that is there while the counters are not.
const server = await RedisServer.start();
const admin = new Redis(server.port);
const HOUR = 3_600_000;
let time = 0;
let namespace = '';

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});
beforeEach(() => {
  time = Date.UTC(2026, 10, 30, 12);
  namespace = crypto.randomUUID();
});

const hourly = accountOf('hourly', { window: { fixed: '1h' } });

function sinkOn(onStoreReset: RedisUsageSinkOptions['onStoreReset'] = 'rebuild'): RedisUsageSink {
  return new RedisUsageSink(admin, { namespace, now: () => time, onStoreReset, timeoutMs: 10_000 });
}

const ask = (id: string, amount: number) => ({
  id,
  claims: [claimOn(hourly, amount)],
  ttlMs: 60_000,
});
const end = (id: string) => ({ id, outcome: 'known', charges: [], details: {} }) as const;

async function spend(sink: RedisUsageSink, id: string, amount: number): Promise<void> {
  expect(await sink.reserve(ask(id, amount))).toMatchObject({ admitted: true });
  await sink.settle(end(id));
}

function lose(...which: ('books' | 'due' | 'ledger')[]): Promise<number> {
  const keys = storeKeys(namespace);
  return admin.del(...which.map((each) => keys[each]));
}

describe('an account comes back in its latest window', () => {
  test('though a call of the window before was settled after that', async () => {
    const sink = sinkOn();
    await sink.reserve({ ...ask('early', 10), ttlMs: 2 * HOUR });
    time += HOUR;
    await spend(sink, 'r1', 60);
    expect(await sink.settle(end('early'))).toMatchObject({
      charged: [{ window: '1h:2026-11-30T12:00:00Z' }],
    });
    await lose('books', 'due');
    expect(await sink.reserve(ask('r2', 41))).toMatchObject({ admitted: false });
    expect(await sink.read([hourly])).toMatchObject([{ committed: 60, held: 0 }]);
  });

  test('though a call of the window before expired, and was settled late', async () => {
    const sink = sinkOn();
    await sink.reserve(ask('early', 10));
    time += HOUR;
    await spend(sink, 'r1', 60);
    const charges = [{ account: hourly.key, amount: 3 }];
    expect(await sink.settle({ ...end('early'), charges })).toMatchObject({ status: 'late' });
    await lose('books', 'due');
    expect(await sink.reserve(ask('r2', 41))).toMatchObject({ admitted: false });
  });
});

describe('a ledger that is not that of the lost store rebuilds nothing', () => {
  test('one that a process has begun which came after the loss', async () => {
    const [wrote, held, read] = [sinkOn(), sinkOn(), sinkOn()];
    await spend(wrote, 'r1', 90);
    await held.reserve(ask('r2', 1));
    await read.read([hourly]);
    await lose('books', 'due', 'ledger');
    time += 1_000;
    const newcomer = sinkOn();
    await spend(newcomer, 'r3', 5);
    for (const sink of [wrote, held, read]) {
      await expect(sink.reserve(ask('r4', 50))).rejects.toThrow('Its ledger was begun anew');
    }
    await held.rebuild();
    expect(await held.reserve(ask('r4', 50))).toMatchObject({ admitted: true });
  });

  test('one that lacks what was written, though others have written later', async () => {
    const [sink, other] = [sinkOn(), sinkOn()];
    await spend(other, 'r1', 10);
    time += 1_000;
    await spend(sink, 'r2', 60);
    const { ledger } = storeKeys(namespace);
    const [last] = await admin.xrevrange(ledger, '+', '-', 'COUNT', 1);
    await admin.xdel(ledger, last?.[0] ?? '');
    time += 1_000;
    await spend(other, 'r3', 10);
    await lose('books', 'due');
    await expect(sink.reserve(ask('r4', 50))).rejects.toThrow('The end of its ledger is lost');
  });

  test('what was written before an earlier loss is not looked for', async () => {
    const sink = sinkOn();
    await spend(sink, 'r1', 90);
    await lose('books', 'due', 'ledger');
    time += 1_000;
    await sink.rebuild();
    await spend(sinkOn(), 'r2', 60);
    expect(await sink.read([hourly])).toMatchObject([{ committed: 60 }]);
    await lose('books', 'due');
    expect(await sink.reserve(ask('r3', 41))).toMatchObject({ admitted: false });
  });
});

describe('a process that has just come, and finds a ledger alone', () => {
  beforeEach(async () => {
    await spend(sinkOn(), 'r1', 60);
    await lose('books', 'due');
  });

  test('rebuilds with `rebuild`', async () => {
    const sinks = [sinkOn(), sinkOn(), sinkOn()];
    const answers = await Promise.all(
      sinks.map((sink, place) => sink.reserve(ask(`c${place}`, 20))),
    );
    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(2);
    expect(await sinkOn().verify()).toMatchObject({ entries: 1, differences: [] });
  });

  test('is refused with `deny`, until somebody rebuilds', async () => {
    const sink = sinkOn('deny');
    for (const id of ['r2', 'r3']) {
      await expect(sink.reserve(ask(id, 41))).rejects.toThrow('Its ledger alone was left');
    }
    expect(await sinkOn('deny').rebuild()).toMatchObject({ differences: [{ expected: 60 }] });
    expect(await sink.reserve(ask('r4', 41))).toMatchObject({ admitted: false });
    expect(await sink.reserve(ask('r5', 40))).toMatchObject({ admitted: true });
  });

  test('goes on from 0 with `accept`, and is told', async () => {
    const [sink, other] = [sinkOn('accept'), sinkOn('accept')];
    const answer = await sink.reserve(ask('r2', 90));
    expect(answer).toMatchObject({ admitted: true, notices: [{ type: 'store-reset' }] });
    expect(await other.reserve(ask('r3', 10))).toMatchObject({ admitted: true, notices: [] });
  });

  test('and what it went on without is restored by a rebuild, whatever the window', async () => {
    const total = accountOf('total');
    const call = (id: string) => ({ ...ask(id, 30), claims: [claimOn(total, 30)] });
    const sink = sinkOn('accept');
    await sink.reserve(call('t1'));
    await sink.settle(end('t1'));
    await lose('books', 'due');
    const other = sinkOn('accept');
    await other.reserve(call('t2'));
    await other.settle(end('t2'));
    const difference = { account: 'total', counter: 30, expected: 60 };
    expect((await other.verify()).differences).toMatchObject([difference, { account: 'hourly' }]);
    await other.rebuild();
    expect(await other.read([total, hourly])).toMatchObject([{ committed: 60 }, { committed: 60 }]);
    expect((await other.verify()).differences).toEqual([]);
  });

  test('keeps nobody from deciding by only looking', async () => {
    for (const decided of ['accept', 'rebuild'] as const) {
      const knew = sinkOn(decided);
      // Whoever looked before has decided, or nobody has.
      await knew.reserve(ask(`before ${decided}`, 1));
      await knew.release(`before ${decided}`);
      await lose('books', 'due');
      await expect(sinkOn('deny').read([hourly])).rejects.toThrow('Its ledger alone was left');
      const sinks = [knew, sinkOn(decided)];
      const ids = sinks.map((_, place) => `${decided} ${place}`);
      const asked = sinks.map((sink, place) => sink.reserve(ask(ids[place] ?? '', 30)));
      const admitted = (await Promise.all(asked)).filter((answer) => answer.admitted);
      expect(admitted).toHaveLength(decided === 'accept' ? 2 : 1);
      for (const id of ids) await knew.release(id);
    }
  });
});
