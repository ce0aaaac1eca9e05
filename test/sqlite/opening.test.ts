import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { expect, test } from 'vitest';
import { type Running, start } from '../processes.ts';
import { randomOf } from '../random.ts';
import { accountOf } from './account.ts';
import { storeFile } from './store-file.ts';

const account = accountOf('org', 1_000);

async function readyOpener(file: string): Promise<Running<string>> {
  const opener = start<string>(new URL('opener-worker.ts', import.meta.url), file);
  await once(opener.child, 'message');
  return opener;
}

async function spent({ ended }: Running<string>): Promise<void> {
  const { code, messages, stderr } = await ended;
  expect(code, stderr).toBe(0);
  expect(messages).toEqual(['ready', 'spent']);
}

test('processes that make the same file at once share one store, also where some are killed', {
  timeout: 240_000,
}, async () => {
  const seed = Date.now() % 1e6;
  console.log(`opening: seed ${seed}`);
  const random = randomOf(seed);
  for (let round = 0; round < 5; round += 1) {
    const file = storeFile();
    const openers = await Promise.all(Array.from({ length: 6 }, () => readyOpener(file)));
    for (const { child } of openers) child.send('go');
    const doomed = openers.slice(0, 2).map(async ({ child, ended }) => {
      await pause(random(30));
      child.kill('SIGKILL');
      return (await ended).messages.includes('spent');
    });
    const lasting = openers.slice(2);
    await Promise.all(lasting.map(spent));
    const ofDoomed = (await Promise.all(doomed)).filter((hasSpent) => hasSpent).length;

    const sink = new SqliteUsageSink(file, { now: () => Date.now() + 60_000 });
    expect((await sink.verify()).differences).toEqual([]);
    const [reading] = await sink.read([account]);
    // What a killed one held is charged, and it may have been killed before it could say that it spent.
    expect(reading?.committed).toBeGreaterThanOrEqual(lasting.length + ofDoomed);
    expect(reading?.committed).toBeLessThanOrEqual(openers.length);
    await sink.close();
  }
});

test('a second sink in a process does not take the locks of the first away', async () => {
  const file = storeFile();
  const one = new SqliteUsageSink(file);
  const other = new SqliteUsageSink(file);
  await other.close();
  await one.reserve({ id: 'r1', claims: [{ account, amount: 5 }], ttlMs: 60_000 });
  // Another process may end the log only when nobody else has the file open.
  const { messages } = await start<string>(new URL('log-ender-worker.ts', import.meta.url), file)
    .ended;
  expect(messages).toEqual(['database is locked']);
  const opener = await readyOpener(file);
  opener.child.send('go');
  await spent(opener);
  expect(await one.read([account])).toMatchObject([{ committed: 1, held: 5 }]);
  expect((await one.verify()).differences).toEqual([]);
  await one.close();
});
