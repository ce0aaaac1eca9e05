import { ConfigError, createSpendGuard, SinkUnavailableError } from '@hardcap/core';
import { Redis as Upstash } from '@upstash/redis';
import { Cluster, Redis } from 'ioredis';
import { createClient, createSentinel } from 'redis';
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  fromNodeRedis,
  fromUpstash,
  type RedisClient,
  RedisUsageSink,
  type RedisUsageSinkOptions,
  upstashRest,
} from '../src/index.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { freePort } from './support/redis-server.ts';
import { RestServer } from './support/rest-server.ts';
import { TestRedis } from './support/test-redis.ts';
import { UNHURRIED_MS } from './support/unhurried.ts';

// What somebody meets who sets a sink up in the wrong way.
const redis = await TestRedis.start();
const admin = redis.client();
const account = accountOf('a');
const UNHURRIED = { timeoutMs: UNHURRIED_MS };
let asked = 0;

afterAll(() => redis.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

function reserve(sink: RedisUsageSink): Promise<unknown> {
  asked += 1;
  return sink.reserve({ id: `r${asked}`, claims: [claimOn(account, 1)], ttlMs: 60_000 });
}

/** A sink with what types do not allow. */
function sinkOf(client: unknown, options: unknown = UNHURRIED): RedisUsageSink {
  return new RedisUsageSink(client as RedisClient, options as RedisUsageSinkOptions);
}

function expectConfigError(make: () => unknown, text: string): void {
  expect(make).toThrow(ConfigError);
  expect(make).toThrow(text);
}

describe('options that are none', () => {
  test.each<[unknown, string]>([
    [{ timeout: 50 }, 'timeout: there is no such option, write timeoutMs'],
    [
      { prefix: 'app' },
      'prefix: there is no such option, only namespace, partitionBy, leases, timeoutMs',
    ],
    ...[0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '50', null].map(
      (timeoutMs): [unknown, string] => [{ timeoutMs }, 'timeoutMs: write a whole number of ms'],
    ),
    ...['', 'a b', 'a{b', 'a}b', 'a|org=b', 'x'.repeat(101), 7].map(
      (namespace): [unknown, string] => [{ namespace }, 'namespace: write 1 to 100 characters'],
    ),
    [{ rememberedMs: -1 }, 'rememberedMs: write'],
    [{ awaitedMs: '1d' }, 'awaitedMs: write'],
    [{ idleMs: 1.5 }, 'idleMs: write'],
    [{ ledgerCapacity: 0 }, 'ledgerCapacity: write'],
    [{ onStoreReset: 'allow' }, 'onStoreReset: write one of "deny", "accept", "rebuild"'],
    [{ checkServer: 'no' }, 'checkServer: write one of true, false'],
    [{ now: 5 }, 'now: write a function'],
    [{ durability: 'sync' }, "durability: write 'async', or { replicas: 1, timeoutMs: 50 }"],
    [{ durability: null }, "durability: write 'async'"],
    [{ durability: { replicas: 1, timeoutMs: 50, wait: true } }, "durability: write 'async'"],
    [null, 'are an object'],
    ['fleet', 'are an object'],
  ])('%j', (options, text) => {
    expectConfigError(() => sinkOf(admin, options), text.replace('of ms', 'of milliseconds'));
  });

  test('all that is wrong is told at once, and what is undefined is left out', () => {
    const options = { timeoutMs: 0, onStoreReset: undefined, keyPrefix: 'x' };
    expectConfigError(() => sinkOf(admin, options), 'timeoutMs: write');
    expectConfigError(() => sinkOf(admin, options), 'keyPrefix: there is no such option');
    expect(() => sinkOf(admin, { timeoutMs: undefined, namespace: undefined })).not.toThrow();
  });

  test('what is forgotten is awaited no longer', () => {
    expectConfigError(() => sinkOf(admin, { idleMs: 60_000 }), 'idleMs: write at least');
    const short = { idleMs: 60_000, awaitedMs: 60_000, rememberedMs: 60_000 };
    expect(() => sinkOf(admin, short)).not.toThrow();
  });
});

describe('clients that are none', () => {
  const node = createClient();
  const rest = new Upstash({ url: 'https://some-name.upstash.io', token: 'some-token' });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'this is no client'],
    ['null', null, 'this is no client'],
    ['a port', 6379, 'this is no client'],
    ['options of a client', { host: 'localhost' }, 'this is no client'],
    ['node-redis as it is', node, 'fromNodeRedis(client)'],
    ['@upstash/redis as it is', rest, 'fromUpstash(client)'],
  ])('%s', (_, client, text) => {
    expectConfigError(() => sinkOf(client), text);
  });

  test('of Sentinel, of node-redis', () => {
    const sentinel = createSentinel({
      name: 'main',
      sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }],
    });
    expectConfigError(() => fromNodeRedis(sentinel as never), 'Use one of ioredis');
    for (const client of [undefined, admin]) {
      expectConfigError(() => fromNodeRedis(client as never), 'no client of node-redis');
    }
  });

  test('of ioredis, that reads from replicas', () => {
    const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], {
      lazyConnect: true,
      scaleReads: 'slave',
    });
    expectConfigError(() => sinkOf(cluster), "`scaleReads: 'master'`");
  });

  test('of @upstash/redis, that makes numbers of texts', () => {
    expectConfigError(() => fromUpstash(rest), '`automaticDeserialization: false`');
    expectConfigError(() => fromUpstash({} as never), 'no client of @upstash/redis');
  });
});

describe('addresses that are none', () => {
  test.each(['', 'localhost', 'localhost:6379', 'http://localhost:6379', 'redis://', 'redis:host'])(
    '%j',
    (url) => expectConfigError(() => sinkOf(url), 'Write "redis://localhost:6379"'),
  );

  test('a password in one is not shown', () => {
    expect(() => sinkOf('rdis://user:secret@host')).toThrow(/^(?!.*secret)/);
  });

  test.each<[unknown, unknown]>([
    [undefined, undefined],
    ['some-name.upstash.io', 'some-token'],
    ['https://some-name.upstash.io', ''],
  ])('of Upstash: %j, %j', (url, token) => {
    const options = { url, token } as Parameters<typeof upstashRest>[0];
    expectConfigError(() => upstashRest(options), '`url` and `token` of `upstashRest`');
  });
});

describe('nobody answers, and the error says why', () => {
  const options = { timeoutMs: 700 };
  const failureOf = async (client: RedisClient | string): Promise<unknown> => {
    const sink = sinkOf(client, options);
    const failure = await reserve(sink).catch((error: unknown) => error);
    await sink.close();
    return failure;
  };

  test('at a URL where nobody listens', async () => {
    const port = await freePort();
    const failure = await failureOf(`redis://127.0.0.1:${port}`);
    expect(SinkUnavailableError.isInstance(failure)).toBe(true);
    expect(String(failure)).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
  });

  test('with a client that is not connected', async () => {
    const failure = await failureOf(redis.client({ port: await freePort() }));
    expect(String(failure)).toMatch(/within 700 ms .* The connection: (connecting|reconnecting)\./);
  });

  test('with a client that was closed, or never opened', async () => {
    const closed = new Redis(redis.server.port);
    await closed.quit();
    const clients = [closed, fromNodeRedis(createClient())];
    for (const client of clients) {
      expect(String(await failureOf(client))).toMatch(
        /closed\. .*Connect the client, or give the sink another\.$/,
      );
    }
  });

  test('over HTTP', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const refused = await failureOf(upstashRest({ url, token: 'some-token' }));
    expect(String(refused)).toContain(`connect ECONNREFUSED 127.0.0.1:${port}`);
    const html = async () => new Response('<html>', { status: 502 });
    const broken = await failureOf(upstashRest({ url, token: 'some-token', fetch: html }));
    expect(String(broken)).toContain('The answer was none of Upstash (HTTP 502)');
  });

  test('over HTTP, with a token that is wrong', async () => {
    const server = await RestServer.start(admin, 'some-token');
    const client = new Upstash({
      url: server.url,
      token: 'another',
      automaticDeserialization: false,
    });
    const failures = [
      await failureOf(upstashRest({ url: server.url, token: 'another' })),
      await failureOf(fromUpstash(client)),
    ];
    for (const failure of failures) {
      expect(String(failure)).toMatch(/WRONGPASS .* Correct the user name and password/);
      // The client of Upstash repeats the command.
      expect(String(failure)).not.toContain('INFO"');
    }
    await server.stop();
  });
});

describe('a server that cannot keep budgets', () => {
  /** A client to which the server says something else of itself. */
  const told = (field: string, value: string): RedisClient => ({
    call: async (command, ...args) => {
      const reply = await admin.call(command, ...args);
      const line = new RegExp(`^${field}:.*$`, 'm');
      return command === 'INFO' ? String(reply).replace(line, `${field}:${value}`) : reply;
    },
  });

  test.each(['6.0.16', '5.0.7', '2.8.24'])('one that is too old: %s', async (version) => {
    const sink = sinkOf(told('redis_version', version));
    await expect(reserve(sink)).rejects.toThrow(ConfigError);
    await expect(reserve(sink)).rejects.toThrow('older than Redis 6.2');
  });

  test('not one that is just new enough', async () => {
    const sink = sinkOf(told('redis_version', '6.2.0'), {
      ...UNHURRIED,
      namespace: crypto.randomUUID(),
    });
    expect(await reserve(sink)).toMatchObject({ admitted: true });
  });

  test('no call is admitted on it, not by a budget that would do without its sink either', async () => {
    const guard = createSpendGuard({
      budgets: [
        { name: 'all', per: [], limit: { tokens: 100 }, window: 'total', onSinkError: 'allow' },
      ],
      sink: sinkOf(told('maxmemory_policy', 'allkeys-lru')),
    });
    const call = { provider: 'acme', model: 'small', inputTokens: 1, maxOutputTokens: 1 };
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(guard.reserve(call)).rejects.toThrow(ConfigError);
    }
    await guard.close();
  });

  test.each([-3, 3])('one whose clock is far off: %i hours', async (hours) => {
    const now = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + hours * 3_600_000);
    await expect(reserve(sinkOf(admin))).rejects.toThrow(ConfigError);
    await expect(reserve(sinkOf(admin))).rejects.toThrow('Set the one that is wrong');
    expect(await reserve(sinkOf(admin, { ...UNHURRIED, checkServer: false }))).toMatchObject({
      admitted: true,
    });
  });

  test('a node of a cluster, for a client of one server', async () => {
    const join = async (...slots: readonly [from: number, to: number]): Promise<TestRedis> => {
      const node = await TestRedis.start('--cluster-enabled', 'yes');
      onTestFinished(() => node.stop());
      const [from, to] = slots;
      const own = Array.from({ length: to - from }, (_, index) => from + index);
      await node.client().call('CLUSTER', 'ADDSLOTS', ...own);
      return node;
    };
    const nodes = [await join(0, 8_192), await join(8_192, 16_384)];
    const clients = nodes.map((node) => node.client());
    await clients[0]?.call('CLUSTER', 'MEET', '127.0.0.1', nodes[1]?.server.port ?? 0);
    const states = () => Promise.all(clients.map((client) => client.cluster('INFO')));
    await expect
      .poll(async () => (await states()).every((state) => state.includes('cluster_state:ok')), {
        timeout: 20_000,
      })
      .toBe(true);
    const failures: unknown[] = [];
    for (const client of clients) {
      await reserve(sinkOf(client)).catch((error: unknown) => failures.push(error));
    }
    // The other has the slot, for now.
    expect(failures).toHaveLength(1);
    expect(ConfigError.isInstance(failures[0])).toBe(true);
    expect(String(failures[0])).toMatch(/MOVED .*`new Cluster\(\[…\]\)` of ioredis/);
  }, 30_000);
});
