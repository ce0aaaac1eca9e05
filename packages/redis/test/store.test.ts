import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type RedisClient, RedisUsageSink } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { tamper } from './support/tamper.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const a = accountOf('a');
const details = {};

afterAll(() => redis.stop());
beforeEach(() => admin.flushall());

async function dump(): Promise<string> {
  const { books, due, ledger } = storeKeys('default');
  const fields = await admin.hgetallBuffer(books);
  const known = Object.entries(fields).filter(([field]) => field !== 'm');
  const text = known.map(([field, value]) => `${field} ${value.toString('hex')}`).toSorted();
  return JSON.stringify([
    text,
    await admin.call('ZRANGE', due, 0, -1, 'WITHSCORES'),
    await admin.xlen(ledger),
  ]);
}

describe('what is stored', () => {
  test('a denial changes nothing but the denials of the accounts that refused', async () => {
    const sink = redis.sink();
    const [b, full] = [accountOf('b'), accountOf('full')];
    const claims = [claimOn(a, 10), claimOn(b, 10), claimOn(full, 100)];
    await sink.reserve({ id: 'r1', claims, ttlMs: 60_000 });
    const fieldsOf = async () =>
      new Map<string, string>(JSON.parse(await dump())[0].map((line: string) => line.split(' ')));
    const before = await fieldsOf();
    const ask = {
      id: 'r2',
      claims: [claimOn(a, 1), claimOn(b, 1), claimOn(full, 1)],
      ttlMs: 60_000,
    };
    expect((await sink.reserve(ask)).admitted).toBe(false);
    const after = await fieldsOf();
    const changed = [...after].filter(([field, value]) => before.get(field) !== value);
    expect(changed.map(([field]) => field)).toEqual(['afull']);
    expect(after.size).toBe(before.size);
    expect((await sink.read([full]))[0]).toMatchObject({ committed: 0, held: 100, denials: 1 });
  });

  test('every key has a time to live, and all are in one slot of a cluster', async () => {
    const sink = redis.sink({ namespace: 'some' });
    await sink.reserve({ id: 'r1', claims: [claimOn(a, 10)], ttlMs: 60_000 });
    await sink.settle({ id: 'r1', outcome: 'known', charges: [], details });
    const keys = await admin.keys('*');
    expect(keys.toSorted()).toEqual(Object.values(storeKeys('some')).toSorted());
    for (const key of keys) expect(await admin.pttl(key)).toBeGreaterThan(86_400_000);
    expect(new Set(keys.map((key) => /\{(.*)\}/.exec(key)?.[1]))).toEqual(
      new Set(['hardcap:some']),
    );
  });

  test('an open reservation on three accounts takes at most 300 bytes', async () => {
    const sink = redis.sink();
    const accounts = ['user-daily|user=u1', 'org-monthly|org=o1', 'run|run=r9'].map((key) => {
      const window = key.startsWith('run') ? 'total' : ({ calendar: 'day' } as const);
      return { ...accountOf(key, { window, limit: 9e15 }), key };
    });
    const claims = accounts.map((account) => claimOn(account, 1_500_000));
    const hold = (id: number) =>
      sink.reserve({ id: `Ab3dE6gh${id.toString(36)}`, claims, ttlMs: 3_600_000 });
    const usedBytes = async () => Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
    await hold(0);
    const before = await usedBytes();
    const count = 8_000;
    for (let id = 1; id <= count; id += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, index) => hold(id + index)));
    }
    expect((await usedBytes()) / count - before / count).toBeLessThanOrEqual(300);
  });

  test('what has ended is forgotten in passing, and nothing piles up', async () => {
    let time = 1_800_000_000_000;
    const sink = redis.sink({
      now: () => time,
      rememberedMs: 1_000,
      awaitedMs: 2_000,
      idleMs: 60_000,
    });
    const hourly = accountOf('hourly', { window: { fixed: '1m' } });
    for (let call = 0; call < 300; call += 1) {
      const id = `r${call}`;
      await sink.reserve({ id, claims: [claimOn(hourly, 0)], ttlMs: 500 });
      const charges = [{ account: 'hourly', amount: 0 }];
      if (call % 3 === 0) await sink.settle({ id, outcome: 'known', charges, details });
      if (call % 3 === 1) await sink.release(id);
      time += 1_000;
    }
    const { books } = storeKeys('default');
    expect(await admin.hlen(books)).toBeLessThan(20);
    time += 600_000;
    for (let call = 0; call < 5; call += 1) {
      await sink.read([]);
      time += 60_000;
    }
    expect(await admin.hkeys(books)).toEqual(expect.arrayContaining(['m']));
    expect(await admin.hlen(books)).toBeLessThanOrEqual(2);
  });

  test('the window before stays for as long as it is rolled over, and no longer', async () => {
    let time = 1_800_000_000_000;
    const lives = { rememberedMs: 1_000, awaitedMs: 1_000, idleMs: 86_400_000 };
    const sink = redis.sink({ now: () => time, ...lives });
    const saved = accountOf('saved', { rollover: 50, window: { fixed: '1m' } });
    const spend = async (id: string, amount: number) => {
      await sink.reserve({ id, claims: [claimOn(saved, amount)], ttlMs: 500 });
      await sink.settle({ id, outcome: 'known', charges: [], details });
    };
    // Half a minute each, with something due in every call.
    const pass = async (halves: number) => {
      for (let half = 0; half < halves; half += 1) {
        time += 30_000;
        await sink.release(`asks-${time}`);
      }
    };
    await spend('r1', 60);
    await pass(2);
    await spend('r2', 10);
    await pass(1);
    expect(await sink.read([saved])).toMatchObject([{ limit: 140, rollover: 40 }]);
    expect((await sink.verify()).differences).toEqual([]);
    await pass(3);
    // A window without a call later.
    expect(await sink.read([saved])).toMatchObject([{ limit: 150, rollover: 50 }]);
    await pass(20);
    const { books } = storeKeys('default');
    expect(await admin.hkeys(books)).toEqual(['m']);
  });

  test('an account that refused calls is forgotten when the day is over', async () => {
    let time = Date.parse('2026-11-30T12:00:00Z');
    const sink = redis.sink({ now: () => time, rememberedMs: 1_000 });
    const minute = accountOf('minute', { window: { fixed: '1m' }, limit: 10 });
    const later = async (ms: number) => {
      time += ms;
      await sink.release('sweeps');
      return (await sink.read([minute]))[0]?.denials;
    };
    await sink.reserve({ id: 'r1', claims: [claimOn(minute, 11)], ttlMs: 500 });
    expect([await later(0), await later(600_000), await later(600_000)]).toEqual([1, 1, 1]);
    expect(await admin.hexists(storeKeys('default').books, 'aminute')).toBe(1);
    expect(await later(86_400_000)).toBe(0);
    expect(await admin.hexists(storeKeys('default').books, 'aminute')).toBe(0);
  });

  test('few calls have to look for what is due, however long the traffic goes on', async () => {
    let time = 1_800_000_000_000;
    const sink = redis.sink({ now: () => time, rememberedMs: 60_000 });
    const account = accountOf('a', { limit: null });
    const calls = 6_000;
    await admin.config('RESETSTAT');
    for (let call = 0; call < calls; call += 1) {
      const id = `r${call}`;
      await sink.reserve({ id, claims: [claimOn(account, 2)], ttlMs: 20_000 });
      const charges = [{ account: 'a', amount: 1 }];
      await sink.settle({ id, outcome: 'known', charges, details });
      time += 50;
    }
    const stats = await admin.info('commandstats');
    const looks = Number(/cmdstat_zrangebyscore:calls=(\d+)/.exec(stats)?.[1]);
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan((2 * calls) / 20);
    expect(await admin.hlen(storeKeys('default').books)).toBeLessThan(1_500);
  }, 60_000);

  test('each operation is one round trip', async () => {
    const sent: string[] = [];
    const client: RedisClient = {
      call: (command, ...args) => {
        sent.push(command);
        return admin.call(command, ...args);
      },
    };
    const sink = new RedisUsageSink(client);
    const claims = [claimOn(a, 3), claimOn(accountOf('b'), 3), claimOn(accountOf('c'), 3)];
    const operations = [
      (id: string) => sink.reserve({ id, claims, ttlMs: 60_000 }),
      (id: string) => sink.extend({ id, claims, ttlMs: 60_000 }),
      (id: string) => sink.settle({ id, outcome: 'known', charges: [], details }),
      (id: string) => sink.release(id),
      () => sink.read(claims.map(({ account }) => account)),
      (id: string) => {
        return sink.adjust({ id, account: a, change: { type: 'top-up', amount: 1 }, details });
      },
    ];
    // The first time, the client meets the store, and the store the scripts.
    for (const operation of operations) await operation('first');
    for (const operation of operations) {
      sent.length = 0;
      await operation('second');
      expect(sent).toEqual(['EVALSHA']);
    }
  });

  test('the ledger is cut to its length, and what was cut is still proved', async () => {
    let time = 1_800_000_000_000;
    const sink = redis.sink({ now: () => time, ledgerCapacity: 200 });
    const rolling = accountOf('rolling', { limit: null, window: { rolling: '1h' } });
    const hourly = accountOf('hourly', { limit: null, window: { fixed: '1h' } });
    const claims = [a, rolling, hourly].map((account) => claimOn(account, 0));
    for (let call = 0; call < 1_300; call += 1) {
      const id = `r${call}`;
      const charges = ['rolling', 'hourly'].map((account) => ({ account, amount: (call % 7) + 1 }));
      await sink.reserve({ id, claims, ttlMs: 60_000 });
      await sink.settle({ id, outcome: 'known', charges, details });
      time += 5_000;
    }
    await sink.close();
    const kept = await admin.xlen(storeKeys('default').ledger);
    expect(kept).toBeGreaterThanOrEqual(200);
    expect(kept).toBeLessThan(400);
    expect(await sink.verify()).toMatchObject({ entries: 1_300, differences: [] });
    const before = await sink.read([a, rolling, hourly]);
    await tamper(admin, storeKeys('default').books, 'rolling', 5);
    await tamper(admin, storeKeys('default').books, 'hourly', -5);
    expect((await sink.rebuild()).differences).toHaveLength(2);
    expect(await sink.read([a, rolling, hourly])).toEqual(before);
    time += 1_800_000;
    expect((await sink.verify()).differences).toEqual([]);
  });

  test('two namespaces on one server know nothing of each other', async () => {
    const [one, other] = [redis.sink({ namespace: 'one' }), redis.sink({ namespace: 'other' })];
    await one.reserve({ id: 'r1', claims: [claimOn(a, 100)], ttlMs: 60_000 });
    const { admitted } = await other.reserve({
      id: 'r1',
      claims: [claimOn(a, 100)],
      ttlMs: 60_000,
    });
    expect(admitted).toBe(true);
  });
});

describe('the clock of the server decides', () => {
  test('a reservation that is carried out when nobody waits any more does nothing', async () => {
    const sink = redis.sink({ timeoutMs: 50 });
    await sink.read([]);
    redis.server.signal('SIGSTOP');
    await expect(
      sink.reserve({ id: 'late', claims: [claimOn(a, 60)], ttlMs: 60_000 }),
    ).rejects.toThrow('did not answer within 50 ms');
    // By the clock of the server, which is the one here, until twice the time that it may take.
    const givenUpAt = Date.now();
    await expect.poll(() => Date.now() - givenUpAt).toBeGreaterThan(100);
    redis.server.signal('SIGCONT');
    await admin.ping();
    const reader = redis.sink();
    expect((await reader.read([a]))[0]).toMatchObject({ held: 0 });
    expect((await reader.verify()).reservations).toBe(0);
  });
});
