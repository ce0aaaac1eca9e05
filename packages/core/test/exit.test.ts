import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const WORKER = fileURLToPath(new URL('support/exiting-worker.ts', import.meta.url));

/** What a process printed until it came to its end in some way, and its exit code. */
function runUntilExit(way: string): Promise<{ code: unknown; lines: unknown[] }> {
  return new Promise((done) => {
    execFile(process.execPath, ['--no-warnings', WORKER, way], (error, stdout) => {
      const lines = stdout.trim().split('\n');
      done({ code: error?.code ?? 0, lines: lines.map((line) => JSON.parse(line)) });
    });
  });
}

test.each([
  ['comes to its end', 'end', 'exit', 0],
  ['calls process.exit', 'exit', 'exit', 3],
  ['fails', 'throw', 'exit', 1],
  ['closes the guard', 'closed', 'closed', 0],
])('a process that %s says which settlements are lost', async (_, way, reason, code) => {
  const ended = await runUntilExit(way);
  const [[settled, released], ...events] = ended.lines as [[string, string], ...unknown[]];
  const charges = (amount: number) => [{ account: 'cap', amount }];
  const settlements = [
    { id: settled, operation: 'settle', charges: charges(7) },
    { id: released, operation: 'release', charges: charges(0) },
  ];
  // What was tried in vain has gone to the end.
  const told = { type: 'settlements-lost', reason, settlements: expect.anything() };
  expect(events).toEqual([told]);
  const [event] = events as [{ settlements: unknown[] }];
  expect(new Set(event.settlements)).toEqual(new Set(settlements));
  expect(ended.code).toBe(code);
});

test('a process that has sent everything says nothing', async () => {
  expect(await runUntilExit('sent')).toMatchObject({ code: 0, lines: [{}] });
});
