import { once } from 'node:events';
import { SqliteUsageSink } from '@hardcap/sqlite';
import { expect, test } from 'vitest';
import { start } from '../processes.ts';
import { accountOf } from './account.ts';
import { storeFile } from './store-file.ts';

test('case C-93: what one process adjusts, the next call of another sees', async () => {
  const file = storeFile();
  const account = accountOf('org', 100);
  const sink = new SqliteUsageSink(file);
  const { child } = start(new URL('spender-worker.ts', import.meta.url), file);
  const isAdmitted = async (amount: number): Promise<boolean> => {
    child.send(amount);
    const [{ admitted }] = await once(child, 'message');
    return admitted;
  };
  const adjust = (id: string, change: Parameters<typeof sink.adjust>[0]['change']) =>
    sink.adjust({ id, account, change, details: {} });

  expect(await isAdmitted(100)).toBe(true);
  expect(await isAdmitted(20)).toBe(false);
  await adjust('more', { type: 'top-up', amount: 20 });
  expect(await isAdmitted(20)).toBe(true);
  await adjust('far-more', { type: 'limit', limit: 1_000, until: null });
  await adjust('stop', { type: 'block' });
  expect(await isAdmitted(1)).toBe(false);
  await adjust('go-on', { type: 'unblock' });
  expect(await isAdmitted(1)).toBe(true);
  await sink.close();
});
