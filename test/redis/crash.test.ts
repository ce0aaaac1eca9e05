import { SinkUnavailableError } from '@hardcap/core';
import { type RedisClient, RedisUsageSink } from '@hardcap/redis';
import { afterEach, expect, test, vi } from 'vitest';
import { accountOf, claimOn } from '../../packages/redis/test/support/accounts.ts';
import { ANSWERS_WHILE_LOADING } from '../../packages/redis/test/support/server-version.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';

const account = accountOf('a', { limit: 1_000_000 });
const TTL_MS = 600_000;
/** A client may take seconds to find a server again. */
const SOON = { timeout: 15_000 };
let redis: TestRedis | undefined;

vi.setConfig({ testTimeout: 30_000 });

afterEach(async () => {
  await redis?.stop();
  redis = undefined;
});

const ask = (id: string, amount: number) => ({
  id,
  claims: [claimOn(account, amount)],
  ttlMs: TTL_MS,
});
const end = (id: string) => ({ id, outcome: 'known', charges: [], details: {} }) as const;

test('killed with an append-only file: nothing that was acknowledged is lost', async () => {
  redis = await TestRedis.start('--appendonly', 'yes', '--appendfsync', 'everysec');
  const sink = redis.sink({ timeoutMs: 2_000 });
  const acknowledged = { held: 0, committed: 0 };
  const traffic = Array.from({ length: 200 }, async (_, index) => {
    const id = `r${index}`;
    await sink.reserve(ask(id, 7));
    acknowledged.held += 7;
    if (index % 2 === 0) return;
    await sink.settle(end(id));
    acknowledged.held -= 7;
    acknowledged.committed += 7;
  });
  await Promise.all(traffic);
  await redis.server.crash();
  await expect.poll(() => sink.read([account]).catch(() => []), SOON).toMatchObject([acknowledged]);
  const { differences, reservations } = await sink.verify();
  expect({ differences, reservations }).toEqual({ differences: [], reservations: 100 });
  for (let index = 0; index < 200; index += 2) {
    expect(await sink.settle(end(`r${index}`))).toMatchObject({ status: 'settled' });
  }
  expect((await sink.read([account]))[0]).toMatchObject({ committed: 1_400, held: 0 });
});

test('killed with nothing on disk: every call is refused, until the loss is accepted', async () => {
  redis = await TestRedis.start();
  const sink = redis.sink({ timeoutMs: 500 });
  await sink.reserve(ask('r1', 7));
  await redis.server.crash();
  const attempt = async (): Promise<string> => {
    try {
      return `admitted ${(await sink.reserve(ask('r2', 7))).admitted}`;
    } catch (error) {
      return SinkUnavailableError.isInstance(error) ? error.message : `unexpected ${error}`;
    }
  };
  // While the client connects again it may be a failure of the connection.
  await expect.poll(attempt, SOON).toContain('has lost its data');
  expect(await attempt()).toContain('has lost its data');
  await sink.rebuild();
  const answer = await sink.reserve(ask('r3', 7));
  expect(answer.notices.map(({ type }) => type)).toEqual(['store-reset']);
});

test('a server that hangs in mid-call: an error in time, and one hold once it goes on', async () => {
  redis = await TestRedis.start();
  const sink = redis.sink({ timeoutMs: 300 });
  await sink.read([account]);
  redis.server.signal('SIGSTOP');
  await expect(sink.reserve(ask('r1', 7))).rejects.toThrow('did not answer within 300 ms');
  redis.server.signal('SIGCONT');
  expect(await sink.reserve(ask('r1', 7))).toMatchObject({ admitted: true });
  expect((await sink.read([account]))[0]).toMatchObject({ held: 7 });

  redis.server.signal('SIGSTOP');
  await expect(sink.settle(end('r1'))).rejects.toThrow('did not answer within 300 ms');
  redis.server.signal('SIGCONT');
  const { status } = await sink.settle(end('r1'));
  expect(['settled', 'already-resolved']).toContain(status);
  expect((await sink.read([account]))[0]).toMatchObject({ committed: 7, held: 0 });
  expect(await sink.verify()).toMatchObject({ entries: 1, differences: [] });
});

test('a server that loads its data: calls fail in time with LOADING, and pass once it has', async () => {
  redis = await TestRedis.start(
    ...['--appendonly', 'yes', '--key-load-delay', '2000', '--rdbcompression', 'no'],
    ...ANSWERS_WHILE_LOADING,
  );
  const admin = redis.client();
  const client = redis.client({ enableReadyCheck: false });
  const heard = new Set<string>();
  const call: RedisClient['call'] = async (...command) => {
    try {
      return await client.call(...command);
    } catch (error) {
      heard.add(error instanceof Error ? error.message : String(error));
      throw error;
    }
  };
  const sink = new RedisUsageSink({ call }, { timeoutMs: 300 });
  const patient = new RedisUsageSink({ call }, { timeoutMs: 25_000 });
  await sink.reserve(ask('r1', 7));
  await patient.read([account]);
  // Some two milliseconds for each key; what answers seldom does so each two megabytes.
  const filler = Array.from({ length: 1_000 }, (_, key) => {
    return admin.setrange(`filler:${key}`, 40_000, 'x');
  });
  await Promise.all(filler);
  await admin.call('BGREWRITEAOF');
  const persistence = async () => String(await admin.info('persistence'));
  await expect
    .poll(persistence, SOON)
    .toMatch(/aof_rewrite_in_progress:0\s+aof_rewrite_scheduled:0/);
  await redis.server.startAgain();

  const waiting = patient.reserve(ask('r3', 7));
  const attempt = async (): Promise<string> => {
    try {
      return `admitted ${(await sink.reserve(ask('r2', 7))).admitted}`;
    } catch (error) {
      return SinkUnavailableError.isInstance(error) ? error.message : `unexpected ${error}`;
    }
  };
  const answers = new Set<string>();
  await expect
    .poll(async () => {
      const answer = await attempt();
      answers.add(answer);
      return answer;
    }, SOON)
    .toBe('admitted true');
  expect(await waiting).toMatchObject({ admitted: true });
  expect([...heard].some((error) => error.startsWith('LOADING'))).toBe(true);
  const isTold = [...answers].some((answer) => answer.includes('LOADING'));
  expect(isTold || ANSWERS_WHILE_LOADING.length === 0).toBe(true);
  expect([...answers].filter((answer) => /unexpected|admitted false/.test(answer))).toEqual([]);
  expect((await patient.read([account]))[0]).toMatchObject({ held: 21 });
});
