import { expect, test } from 'vitest';
import { fateOf } from '../src/redis-failure.ts';

const IN_SCRIPT =
  'ERR Error running script (call to f_6b14bad49c0453806c1506e4943d34577f8c3047): @user_script:91: @user_script: 91: ';

// As Redis 6.2.16 and 7.0.15 and Valkey 8.0.1 wrote them.
test.each([
  ["OOM command not allowed when used memory > 'maxmemory'.", 'raise `maxmemory`'],
  [`${IN_SCRIPT}-OOM command not allowed when used memory > 'maxmemory'.`, 'raise `maxmemory`'],
  [`${IN_SCRIPT}-READONLY You can't write against a read only replica.`, 'Connect to the master'],
  [`${IN_SCRIPT}-NOREPLICAS Not enough good replicas to write.`, 'min-replicas-to-write'],
  [
    `${IN_SCRIPT}The user executing the script can't run this command or subcommand`,
    'the permissions of docs/redis.md',
  ],
  [
    "NOPERM User budgets has no permissions to run the 'hset' command script: 1f, on @user_script:91.",
    'the permissions of docs/redis.md',
  ],
])('%s: nothing was done, and what to do', (message, advice) => {
  const { isPassing, text } = fateOf(new Error(message));
  expect(isPassing).toBe(false);
  expect(text).toMatch(/^[A-Z]+ .*Nothing was done\./);
  expect(text).toContain(advice);
  expect(text).not.toContain('Error running script');
});

test('what else went wrong in a script is not worth another attempt', () => {
  const text = 'ERR user_script:12: attempt to index a nil value script: 1f, on @user_script:12.';
  expect(fateOf(new Error(text))).toMatchObject({
    isPassing: false,
    text: text.replace(/\.$/, ''),
  });
});
