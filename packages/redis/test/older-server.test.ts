import { afterAll, expect, test } from 'vitest';
import { type RedisClient, RedisUsageSink } from '../src/index.ts';
import * as scripts from '../src/scripts.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const ask = { id: 'r1', claims: [claimOn(accountOf('a'), 60)], ttlMs: 60_000 };
const end = { id: 'r1', outcome: 'known', charges: [], details: {} } as const;
/** What no server before Redis 7 takes. */
const FLAGGED: ReadonlySet<string> = new Set(
  Object.values(scripts).flatMap(({ flagged }) => (flagged ? [flagged.sha, flagged.text] : [])),
);

afterAll(() => redis.stop());

test('a server that is of Redis 6 since a failover is asked without flags', async () => {
  const client = redis.client();
  let isOld = false;
  const call: RedisClient['call'] = async (command, ...args) => {
    const isFlagged = command.startsWith('EVAL') && FLAGGED.has(String(args[0]));
    if (isOld && command === 'EVALSHA' && isFlagged)
      throw new Error('NOSCRIPT No matching script.');
    if (isOld && isFlagged) {
      throw new Error(
        "ERR Error compiling script (new function): user_script:1: unexpected symbol near '#'",
      );
    }
    return client.call(command, ...args);
  };
  const sink = new RedisUsageSink({ call });
  await sink.reserve(ask);
  isOld = true;
  expect(await sink.settle(end)).toMatchObject({ status: 'settled', charged: [{ amount: 60 }] });
  expect(await sink.release('r1')).toMatchObject({ status: 'already-resolved' });
});
