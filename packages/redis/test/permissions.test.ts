import { readFileSync } from 'node:fs';
import { ConfigError } from '@hardcap/core';
import { afterAll, expect, test } from 'vitest';
import { RedisUsageSink } from '../src/index.ts';
import * as scripts from '../src/scripts.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { LEAST_PERMISSIONS } from './support/least-permissions.ts';
import { TestRedis } from './support/test-redis.ts';
import { UNHURRIED_MS } from './support/unhurried.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const account = accountOf('a');
/** Servers before Redis 7 do not say what a user may do until it is done. */
const isTold = Number(/redis_version:(\d+)/.exec(await admin.info('server'))?.[1]) >= 7;
/** What scripts need; without TIME not even the first can say what is missing. */
const NEEDED = Object.values(scripts)
  .filter((script) => script !== scripts.OPEN)
  .flatMap(({ text }) =>
    [...text.matchAll(/(?:call|send)\('([A-Z]+)'/g)].map(([, name = '']) => name),
  )
  .filter((name, place, all) => name !== 'TIME' && all.indexOf(name) === place);
/** What the sink asks of the server itself, and what clients do. */
const OTHERS = ['EVALSHA', 'EVAL', 'TIME', 'INFO', 'HELLO', 'CLIENT', 'PING', 'XLEN'];

afterAll(() => redis.stop());

function reserve(sink: RedisUsageSink): Promise<unknown> {
  return sink.reserve({ id: crypto.randomUUID(), claims: [claimOn(account, 1)], ttlMs: 60_000 });
}

async function sinkWithout(...rules: string[]): Promise<RedisUsageSink> {
  const left = LEAST_PERMISSIONS.filter((rule) => !rules.includes(rule));
  await admin.call('ACL', 'SETUSER', 'budgets', ...left);
  const client = redis.client({ username: 'budgets', password: 'secret' });
  return new RedisUsageSink(client, {
    namespace: crypto.randomUUID(),
    timeoutMs: UNHURRIED_MS,
  });
}

test('docs/redis.md has the permissions with which the contract is run', () => {
  const docs = readFileSync(new URL('../../../docs/redis.md', import.meta.url), 'utf8');
  const [, rules = ''] = /ACL SETUSER budgets on >… ([^`]*)```/.exec(docs) ?? [];
  const published = rules.split(/\s+/).filter((rule) => rule !== '');
  const own = LEAST_PERMISSIONS.filter((rule) => !['reset', 'on', '>secret'].includes(rule));
  expect(published.toSorted()).toEqual(own.toSorted());
});

test('none of them is there for nothing', () => {
  const names = LEAST_PERMISSIONS.filter((rule) => rule.startsWith('+'));
  const needed = [...NEEDED, ...OTHERS].map((name) => `+${name.toLowerCase()}`);
  expect(names.toSorted()).toEqual([...new Set(needed)].toSorted());
});

test.each(isTold ? NEEDED : [])(
  'without %s no call is admitted, and the error names it',
  async (name) => {
    const sink = await sinkWithout(`+${name.toLowerCase()}`);
    await expect(reserve(sink)).rejects.toThrow(ConfigError);
    await expect(reserve(sink)).rejects.toThrow(
      `may not run ${name}. Give the user the permissions of docs/redis.md`,
    );
  },
);

test('without EVALSHA, the time, or the keys: a ConfigError with the advice', async () => {
  for (const rule of ['+evalsha', '+time', '~{hardcap:*']) {
    const sink = await sinkWithout(rule);
    await expect(reserve(sink), rule).rejects.toThrow(ConfigError);
    await expect(reserve(sink), rule).rejects.toThrow('permissions of docs/redis.md');
  }
});

test('what is taken away later fails the call, and says what to give back', async () => {
  const sink = await sinkWithout();
  expect(await reserve(sink)).toMatchObject({ admitted: true });
  await admin.call('ACL', 'SETUSER', 'budgets', '-hset');
  await expect(reserve(sink)).rejects.toThrow('permissions of docs/redis.md');
  await expect(reserve(sink)).rejects.not.toThrow(ConfigError);
  await admin.call('ACL', 'SETUSER', 'budgets', '+hset');
  expect(await reserve(sink)).toMatchObject({ admitted: true });
});
