import { setTimeout as pause } from 'node:timers/promises';
import type { SinkEntry, UsageSink } from '@hardcap/core';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { expect, test } from 'vitest';
import { type Running, start } from '../processes.ts';
import { randomOf } from '../random.ts';
import { accountOf } from './account.ts';
import { LIMITS, SMALLEST, TTL_MS } from './hammer.ts';
import { storeFile } from './store-file.ts';

type Message =
  | { readonly type: 'began' }
  | { readonly type: 'done'; readonly calls: number }
  | { readonly type: 'false-denial'; readonly wrong: unknown };

async function began({ child, ended }: Running<Message>): Promise<void> {
  await Promise.race([ended, new Promise((done) => child.once('message', done))]);
}

async function entriesOf(sink: UsageSink): Promise<SinkEntry[]> {
  const entries: SinkEntry[] = [];
  for await (const entry of sink.entries()) entries.push(entry);
  return entries;
}

test('four processes, two of which are killed and restarted, use one cap up and never more', {
  timeout: 240_000,
}, async () => {
  const seed = Date.now() % 1e6;
  console.log(`hammer: seed ${seed}`);
  const random = randomOf(seed);
  const file = storeFile();
  const run = (number: number) =>
    start<Message>(new URL('hammer-worker.ts', import.meta.url), file, String(seed + number));
  const workers = [0, 1, 2, 3].map(run);
  const killed = [0, 1].map(async (number) => {
    const doomed = workers[number] as Running<Message>;
    await began(doomed);
    await pause(random(700));
    doomed.child.kill('SIGKILL');
    const { code, signal, messages, stderr } = await doomed.ended;
    // It may have come to its end before.
    if (signal === null) {
      expect(code, stderr).toBe(0);
      return messages;
    }
    const restarted = await run(number + 10).ended;
    expect(restarted.code, restarted.stderr).toBe(0);
    return [...messages, ...restarted.messages];
  });
  const lasting = workers.slice(2).map(async ({ ended }) => {
    const { code, messages, stderr } = await ended;
    expect(code, stderr).toBe(0);
    return messages;
  });
  const messages = (await Promise.all([...killed, ...lasting])).flat();
  expect(messages.filter(({ type }) => type === 'false-denial')).toEqual([]);

  // After the last hold of the dead has expired.
  const sink = new SqliteUsageSink(file, { now: () => Date.now() + TTL_MS });
  const accounts = LIMITS.map(([key, limit]) => accountOf(key, limit));
  const [org, fleet] = await sink.read(accounts);
  expect(org).toMatchObject({ held: 0 });
  expect(fleet).toMatchObject({ held: 0, committed: org?.committed });
  expect(org?.committed).toBeLessThanOrEqual(LIMITS[0][1]);
  expect(org?.committed).toBeGreaterThan(LIMITS[0][1] - SMALLEST);
  expect(await sink.verify()).toMatchObject({ reservations: 0, differences: [] });

  const entries = await entriesOf(sink);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
  const charges = entries
    .flatMap((entry) => entry.charges)
    .filter(({ account }) => account === 'org');
  expect(charges.reduce((sum, { amount }) => sum + amount, 0)).toBe(org?.committed);
  expect(charges.filter(({ amount }) => amount < 0)).toEqual([]);
  await sink.close();
});
