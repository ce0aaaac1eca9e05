import type { Account } from '@hardcap/core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RedisClient, RedisUsageSink } from '../src/index.ts';
import { EXTEND, READ, RESERVE } from '../src/scripts.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { TestRedis } from './support/test-redis.ts';

const redis = await TestRedis.start();
const admin = redis.client();
const MINUTE = 60_000;
const START = 1_800_000_000_000;

let time = START;
let trips = 0;
/** Counts what is sent. */
const client: RedisClient = {
  call: (command, ...args) => {
    trips += 1;
    return admin.call(command, ...args);
  },
};

// A server that knows a script needs no second word on it.
beforeAll(async () => {
  for (const { text } of [RESERVE, READ, EXTEND]) await admin.script('LOAD', text);
});
afterAll(() => redis.stop());
beforeEach(() => {
  time = START;
});

function openSink(): RedisUsageSink {
  return new RedisUsageSink(client, { now: () => time, namespace: crypto.randomUUID() });
}

async function tripsOf(ask: () => PromiseLike<unknown>): Promise<number> {
  trips = 0;
  await ask();
  return trips;
}

let calls = 0;
async function reserve(sink: RedisUsageSink, accounts: readonly Account[], amount = 1) {
  calls += 1;
  const claims = accounts.map((account) => claimOn(account, amount));
  return sink.reserve({ id: `r${calls}`, claims, ttlMs: 10 * MINUTE });
}

const MINUTELY = { window: { fixed: '1m' } } as const;

test('a call that is refused again and again takes one round trip, also on a window that has turned', async () => {
  const sink = openSink();
  const spent = accountOf('spent', { limit: 1 });
  const minute = accountOf('minute', MINUTELY);
  await reserve(sink, [spent, minute]);
  time += MINUTE;
  for (let turn = 0; turn < 4; turn += 1) {
    expect(await tripsOf(() => reserve(sink, [spent, minute, accountOf('unknown')]))).toBe(1);
  }
  expect(await tripsOf(() => reserve(sink, [minute]))).toBe(1);
});

test('an account that nobody uses is read in one round trip, again and again', async () => {
  const sink = openSink();
  const minute = accountOf('minute', MINUTELY);
  const unknown = accountOf('unknown');
  await reserve(sink, [minute]);
  time += MINUTE;
  for (let turn = 0; turn < 3; turn += 1) {
    expect(await tripsOf(() => sink.read([minute, unknown]))).toBe(1);
  }
  expect(await tripsOf(() => reserve(sink, [minute, unknown]))).toBe(1);
});

test('a call that is extended in another window than it began in costs the next one no round trip', async () => {
  const sink = openSink();
  const minute = accountOf('minute', MINUTELY);
  await sink.reserve({ id: 'stream', claims: [claimOn(minute, 1)], ttlMs: 10 * MINUTE });
  time += MINUTE;
  const extension = { id: 'stream', claims: [claimOn(minute, 2)], ttlMs: 10 * MINUTE };
  expect(await tripsOf(() => sink.extend(extension))).toBe(1);
  expect(await tripsOf(() => reserve(sink, [minute]))).toBe(1);
});
