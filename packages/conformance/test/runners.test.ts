import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('the contract runs with node:test', { timeout: 60_000 }, async () => {
  const file = fileURLToPath(new URL('runners/memory.node.ts', import.meta.url));
  // The flag is for Node 22 before 22.18; the variable would make a run inside a run report nothing.
  const flags = ['--experimental-strip-types', '--no-warnings', '--test', '--test-reporter=tap'];
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const { stdout } = await run(process.execPath, [...flags, file], { env });
  expect(stdout).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThan(150);
});
