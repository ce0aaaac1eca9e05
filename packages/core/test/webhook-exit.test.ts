import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { receiver } from './support/receiver.ts';

const WORKER = fileURLToPath(new URL('support/webhook-worker.ts', import.meta.url));

/** What a process with a webhook printed, and its exit code. */
function run(...args: string[]): Promise<{ code: unknown; lines: unknown[] }> {
  return new Promise((done) => {
    execFile(process.execPath, ['--no-warnings', WORKER, ...args], (error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      done({ code: error?.code ?? 0, lines: lines.map((line) => JSON.parse(line)) });
    });
  });
}

test('a receiver that is away keeps no process alive, and what was not delivered is told', async () => {
  await using server = await receiver(503, 503);
  expect(await run(server.url)).toEqual({
    code: 0,
    lines: [
      { reason: 'exit', attempts: 1, type: 'store-reset' },
      { reason: 'exit', attempts: 0, type: 'store-reset' },
    ],
  });
  expect(server.deliveries).toHaveLength(1);
});

test('what happens at the very end is told, too', async () => {
  await using server = await receiver(503);
  const { lines } = await run(server.url, 'late');
  expect(lines).toHaveLength(3);
  expect(lines.at(-1)).toEqual({ reason: 'exit', attempts: 0, type: 'store-reset' });
});

test('a process that flushes is there until all is delivered, and tells nothing', async () => {
  await using server = await receiver(503);
  expect(await run(server.url, 'flush')).toEqual({ code: 0, lines: [{ flushed: true }] });
  expect(server.deliveries).toHaveLength(3);
});
