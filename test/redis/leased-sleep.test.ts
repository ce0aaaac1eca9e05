import type { SinkEntry, UsageSink } from '@hardcap/core';
import { afterAll, expect, test } from 'vitest';
import { storeKeys } from '../../packages/redis/src/store-keys.ts';
import { TestRedis } from '../../packages/redis/test/support/test-redis.ts';
import { start } from '../processes.ts';
import { type SleeperReport, sleeperAccount } from './fleet.ts';

const redis = await TestRedis.start();
const client = redis.client();
const account = sleeperAccount();
const SOON = { timeout: 20_000, interval: 10 };

afterAll(() => redis.stop());

async function entriesOf(sink: UsageSink, kind: SinkEntry['kind']): Promise<SinkEntry[]> {
  const found: SinkEntry[] = [];
  for await (const entry of sink.entries?.() ?? []) if (entry.kind === kind) found.push(entry);
  return found;
}

test('a process that is stopped until its leases have expired: in the end every call cost what it cost', {
  timeout: 60_000,
}, async () => {
  const sink = redis.sink({ timeoutMs: 20_000 });
  const figures = async () => {
    const [reading] = await sink.read([account]);
    const { committed = 0, held = 0, limit } = reading ?? {};
    expect(committed + held).toBeLessThanOrEqual(limit ?? 0);
    return { committed, left: (limit ?? 0) - committed - held };
  };
  const worker = new URL('sleeper-worker.ts', import.meta.url);
  const { child, ended } = start<SleeperReport>(worker, `${redis.server.port}`);
  const { books } = storeKeys('default');
  await expect.poll(async () => (await client.hkeys(books)).join(), SOON).toContain('rlease:');
  await expect.poll(async () => (await figures()).committed, SOON).toBeGreaterThan(1_000);
  child.kill('SIGSTOP');
  const expired = async () => {
    await figures();
    const ids = (await entriesOf(sink, 'expiry')).map(({ id }) => id);
    return ids.join();
  };
  await expect.poll(expired, SOON).toContain('lease:');

  // Somebody else takes all that is left meanwhile.
  const { left } = await figures();
  const claims = [{ account, amount: left }];
  expect(await sink.reserve({ id: 'rest', claims, ttlMs: 600_000 })).toMatchObject({
    admitted: true,
  });
  await sink.settle({ id: 'rest', outcome: 'known', charges: [], details: {} });
  expect((await figures()).left).toBe(0);

  child.kill('SIGCONT');
  let isOver = false;
  const end = ended.finally(() => {
    isOver = true;
  });
  while (!isOver) await figures();
  const { code, messages } = await end;
  expect(code).toBe(0);
  const { committed } = await figures();
  expect(committed).toBe(left + (messages[0]?.settled ?? Number.NaN));
  expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });
});
