import { expect, test } from 'vitest';
import { start } from '../processes.ts';

test('a URL without `ioredis` installed: each call says what to install, and nothing is left open', async () => {
  const worker = new URL('no-ioredis-worker.ts', import.meta.url);
  const { code, messages, stderr } = await start<readonly string[]>(worker).ended;
  const told = expect.stringMatching(/^true .*a URL needs the package `ioredis`\. Install it/);
  expect(messages).toEqual([[told, told]]);
  expect([code, stderr]).toEqual([0, '']);
});
