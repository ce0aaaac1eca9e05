import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, SinkUnavailableError } from '@hardcap/core';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { RedisUsageSink } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { LEAST_PERMISSIONS } from './support/least-permissions.ts';
import { freePort, RedisServer } from './support/redis-server.ts';
import { TestRedis } from './support/test-redis.ts';
import { UNHURRIED_MS } from './support/unhurried.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const a = accountOf('a');
const ask = { id: 'r1', claims: [claimOn(a, 60)], ttlMs: 60_000 };
const end = { id: 'r1', outcome: 'known', charges: [], details: {} } as const;

afterAll(() => redis.stop());
beforeEach(async () => {
  await admin.config('SET', 'maxmemory', '0');
  await admin.config('SET', 'maxmemory-policy', 'noeviction');
  await admin.flushall();
});

describe('at the start', () => {
  test.each(['allkeys-lru', 'volatile-ttl'])(
    'a server that evicts (%s) is refused',
    async (policy) => {
      await admin.config('SET', 'maxmemory-policy', policy);
      await expect(redis.sink().reserve(ask)).rejects.toThrow(ConfigError);
      await expect(redis.sink().reserve(ask)).rejects.toThrow('maxmemory-policy noeviction');
      expect(await redis.sink({ checkServer: false }).reserve(ask)).toMatchObject({
        admitted: true,
      });
    },
  );

  test('a client with keyPrefix is refused', () => {
    expect(() => redis.sink({}, { keyPrefix: 'app:' })).toThrow('`keyPrefix`');
  });

  test('a replica is refused', async () => {
    const replica = await TestRedis.start('--replicaof', '127.0.0.1', `${redis.server.port}`);
    try {
      await expect(replica.sink().reserve(ask)).rejects.toThrow('connected to a replica');
    } finally {
      await replica.stop();
    }
  });

  test('an absent server fails each call in time, and is used once it is there', async () => {
    const port = await freePort();
    const sink = new RedisUsageSink(redis.client({ port }), { timeoutMs: 100 });
    await expect(sink.reserve(ask)).rejects.toThrow(SinkUnavailableError);
    const server = await RedisServer.start('--port', `${port}`);
    try {
      await expect
        .poll(() => sink.reserve(ask).catch(() => null), { timeout: 5_000 })
        .toMatchObject({
          admitted: true,
        });
    } finally {
      await server.stop();
    }
  });

  test('a URL makes a client of its own, which is closed', async () => {
    const connections = async () =>
      String(await admin.client('LIST'))
        .trim()
        .split('\n').length;
    const before = await connections();
    const url = `redis://127.0.0.1:${redis.server.port}`;
    const sink = new RedisUsageSink(url, { timeoutMs: UNHURRIED_MS });
    expect(await sink.reserve(ask)).toMatchObject({ admitted: true });
    expect(await connections()).toBe(before + 1);
    await sink.close();
    await expect.poll(connections).toBe(before);
  });

  test('a client that queues nothing is asked again until it is connected', async () => {
    const client = redis.client({ enableOfflineQueue: false });
    const sink = new RedisUsageSink(client, { timeoutMs: UNHURRIED_MS });
    expect(client.status).toBe('connecting');
    expect(await sink.reserve(ask)).toMatchObject({ admitted: true });
  });
});

describe('a server that does not do what it is asked', () => {
  test('scripts that it forgot are sent again, each time', async () => {
    const sink = redis.sink();
    for (let call = 0; call < 3; call += 1) {
      const id = `r${call}`;
      await admin.script('FLUSH');
      expect(await sink.reserve({ ...ask, id, claims: [claimOn(a, 10)] })).toMatchObject({
        admitted: true,
      });
      await admin.script('FLUSH');
      expect(await sink.settle({ ...end, id })).toMatchObject({ status: 'settled' });
      await admin.script('FLUSH');
      expect((await sink.read([a]))[0]).toMatchObject({ committed: (call + 1) * 10 });
    }
  });

  test('a full server admits nothing, and lets settlements and releases through', async () => {
    const sink = redis.sink();
    await sink.reserve(ask);
    await sink.reserve({ ...ask, id: 'r2', claims: [claimOn(a, 10)] });
    await admin.config('SET', 'maxmemory', '1mb');
    await expect(sink.reserve({ ...ask, id: 'r3', claims: [claimOn(a, 1)] })).rejects.toThrow(
      /OOM.*Nothing was done/s,
    );
    expect(await sink.settle(end)).toMatchObject({ status: 'settled', charged: [{ amount: 60 }] });
    expect(await sink.release('r2')).toMatchObject({ status: 'released' });
    await admin.config('SET', 'maxmemory', '0');
    expect((await sink.read([a]))[0]).toMatchObject({ committed: 60, held: 0 });
    const again = { ...ask, id: 'r3', claims: [claimOn(a, 1)] };
    expect(await sink.reserve(again)).toMatchObject({ admitted: true });
  });

  test('a full server lets a process settle what another one holds, also of a partition', async () => {
    const a = { ...accountOf('a'), key: 'a|org=acme' };
    const options = { namespace: crypto.randomUUID(), partitionBy: ['org'] };
    const asked = { ...ask, claims: [claimOn(a, 60)] };
    expect(await redis.sink(options).reserve(asked)).toMatchObject({ admitted: true });
    await admin.config('SET', 'maxmemory', '1mb');
    const next = redis.sink(options);
    expect(await next.settle({ ...end, charges: [] })).toMatchObject({ status: 'settled' });
  });

  test('so does one of which a user may not ask what it is', async () => {
    const rules = LEAST_PERMISSIONS.filter((rule) => rule !== '+info');
    await admin.call('ACL', 'SETUSER', 'budgets', ...rules);
    const user = { username: 'budgets', password: 'secret', enableReadyCheck: false };
    const sink = redis.sink({}, user);
    await sink.reserve(ask);
    await admin.config('SET', 'maxmemory', '1mb');
    await expect(sink.reserve({ ...ask, id: 'r2' })).rejects.toThrow('OOM');
    const next = redis.sink({}, user);
    expect(await next.settle(end)).toMatchObject({ status: 'settled', charged: [{ amount: 60 }] });
  });

  test('a server that is busy with the script of somebody else admits nothing', async () => {
    const sink = redis.sink({ timeoutMs: 5_000 });
    await sink.read([a]);
    await admin.config('SET', 'lua-time-limit', '20');
    const endless = redis.client();
    const script = endless.eval('while true do end', 0).catch(String);
    await expect.poll(() => sink.reserve(ask).catch(String), { timeout: 5_000 }).toContain('BUSY');
    await expect(sink.reserve(ask)).rejects.toThrow('Nothing was done');
    await admin.script('KILL');
    expect(await script).toContain('killed by user');
    expect(await sink.reserve(ask)).toMatchObject({ admitted: true });
    await admin.config('SET', 'lua-time-limit', '5000');
  });

  test('a server that cannot write its snapshot admits nothing, until it can', async () => {
    const failing = await TestRedis.start();
    onTestFinished(() => failing.stop());
    const owner = failing.client();
    await owner.config('SET', 'save', '3600 1000');
    const sink = failing.sink();
    await sink.read([a]);
    const [, folder = ''] = (await owner.config('GET', 'dir')) as string[];
    // In the way of the file.
    const inTheWay = join(folder, 'dump.rdb');
    mkdirSync(inTheWay);
    const saves = async (status: string) => {
      await owner.bgsave().catch(() => {});
      const state = () => owner.info('persistence').then(String);
      await expect.poll(state).toMatch(new RegExp(`rdb_last_bgsave_status:${status}`));
    };
    await saves('err');
    await expect(sink.reserve(ask)).rejects.toThrow(/MISCONF.*Nothing was done\. .* see its log/s);
    rmdirSync(inTheWay);
    await saves('ok');
    expect((await sink.read([a]))[0]).toMatchObject({ committed: 0, held: 0 });
    expect(await sink.reserve(ask)).toMatchObject({ admitted: true });
  });

  test('READONLY, NOREPLICAS and NOAUTH admit nothing, and say what to do', async () => {
    const sink = redis.sink({ timeoutMs: 300 });
    await sink.read([a]);
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    await expect(sink.reserve(ask)).rejects.toThrow('Connect to the master');
    await admin.call('REPLICAOF', 'NO', 'ONE');
    expect((await sink.read([a]))[0]).toMatchObject({ committed: 0, held: 0 });
    expect(await sink.reserve({ ...ask, id: 'r2' })).toMatchObject({ admitted: true });
    await sink.release('r2');
    await admin.config('SET', 'min-replicas-to-write', '1');
    await expect(sink.reserve(ask)).rejects.toThrow('min-replicas-to-write');
    await expect(sink.release('r2')).rejects.toThrow(SinkUnavailableError);
    await admin.config('SET', 'min-replicas-to-write', '0');
    expect((await sink.read([a]))[0]).toMatchObject({ committed: 0, held: 0 });
    expect(await sink.reserve({ ...ask, id: 'r3' })).toMatchObject({ admitted: true });
    await admin.config('SET', 'requirepass', 'secret');
    const stranger = redis.sink({ timeoutMs: 300 });
    await expect(stranger.reserve(ask)).rejects.toThrow(SinkUnavailableError);
    await expect(stranger.reserve(ask)).rejects.toThrow('user name and password');
    await admin.config('SET', 'requirepass', '');
    expect((await sink.read([a]))[0]).toMatchObject({ committed: 0, held: 60 });
    expect(await sink.settle({ ...end, id: 'r3' })).toMatchObject({ status: 'settled' });
  });
});

describe('the client of somebody else', () => {
  test('keeps its listeners, and serves two sinks', async () => {
    const client = redis.client();
    const count = () => client.eventNames().map((name) => [name, client.listenerCount(name)]);
    await client.ping();
    const before = count();
    const sinks = ['one', 'other'].map((namespace) => new RedisUsageSink(client, { namespace }));
    for (const sink of sinks) {
      expect(await sink.reserve(ask)).toMatchObject({ admitted: true });
      await sink.close();
    }
    expect(count()).toEqual(before);
    expect(await client.ping()).toBe('PONG');
  });
});

describe('a store that lost its data', () => {
  const keys = storeKeys('default');

  test('refuses every call by default, of every process, until it is rebuilt', async () => {
    const [one, other] = [redis.sink(), redis.sink()];
    await one.reserve(ask);
    await other.read([a]);
    await admin.flushall();
    for (const sink of [one, other, one]) {
      await expect(sink.reserve({ ...ask, id: 'r2' })).rejects.toThrow('has lost its data');
    }
    await one.rebuild();
    const answers = [
      await one.reserve({ ...ask, id: 'r3' }),
      await other.reserve({ ...ask, id: 'r4' }),
    ];
    const told = answers.flatMap(({ notices }) => notices.map(({ type }) => type));
    expect(told).toEqual(['store-reset']);
  });

  test('goes on with a notice where that is accepted', async () => {
    const sink = redis.sink({ onStoreReset: 'accept' });
    await sink.reserve(ask);
    await admin.flushall();
    expect(await sink.reserve({ ...ask, id: 'r2' })).toMatchObject({
      admitted: true,
      notices: [{ type: 'store-reset' }],
    });
    expect((await sink.reserve({ ...ask, id: 'r3', claims: [claimOn(a, 1)] })).notices).toEqual([]);
  });

  test('case C-03, C-46: counters are rebuilt from the ledger where that is left', async () => {
    const sink = redis.sink();
    const rolling = accountOf('rolling', { window: { rolling: '1h' } });
    const daily = accountOf('daily', { window: { calendar: 'day' } });
    const claims = [claimOn(a, 60), claimOn(rolling, 50), claimOn(daily, 40)];
    await sink.reserve({ ...ask, claims });
    await sink.settle(end);
    await admin.del(keys.books, keys.due);
    await expect(sink.reserve({ ...ask, id: 'r2' })).rejects.toThrow('has lost its data');
    const { differences } = await sink.rebuild();
    expect(
      differences.map(({ account, counter, expected }) => [account, counter, expected]),
    ).toEqual([
      ['a', 0, 60],
      ['rolling', 0, 50],
      ['daily', 0, 40],
    ]);
    const readings = await sink.read([a, rolling, daily]);
    expect(readings.map(({ committed }) => committed)).toEqual([60, 50, 40]);
    expect((await sink.reserve({ ...ask, id: 'r3', claims: [claimOn(a, 41)] })).admitted).toBe(
      false,
    );
    expect(await sink.verify()).toMatchObject({ entries: 1, differences: [] });
  });

  test('is noticed, too, when it was put back to an earlier state', async () => {
    let time = 1_800_000_000_000;
    const sink = redis.sink({ now: () => time });
    await sink.reserve(ask);
    const before = await admin.dumpBuffer(keys.books);
    time += 60_000;
    await sink.settle(end);
    await admin.restore(keys.books, 0, before as Buffer, 'REPLACE');
    await expect(sink.reserve({ ...ask, id: 'r2' })).rejects.toThrow(
      'put back to an earlier state',
    );
  });
});
