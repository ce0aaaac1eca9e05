import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { partId } from '../src/call-part.ts';
import { type DedicatedClient, type RedisClient, RedisUsageSink } from '../src/index.ts';
import { Partition } from '../src/partition.ts';
import { UnconfirmedError } from '../src/unconfirmed-error.ts';
import { claimOn } from './support/accounts.ts';
import { startPair } from './support/replica-pair.ts';
import { accounts, ask, askOnly, end, expectClean, figures, ofOrg } from './support/two-stores.ts';

const [master, replica] = await startPair();
const admin = master.client();
const follower = replica.client();
const SURE = { replicas: 1, timeoutMs: 4_000 } as const;
const UNSURE = { replicas: 1, timeoutMs: 50 } as const;
const partition = new Partition('parts', ['org']);
const [within, above] = [partition.keysOf('org=acme').books, partition.keysOf(null).books];
const opened: RedisUsageSink[] = [];

afterAll(async () => {
  await replica.stop();
  await master.stop();
});
beforeEach(() => admin.flushall());
afterEach(async () => {
  replica.server.signal('SIGCONT');
  for (const sink of opened.splice(0)) await sink.close();
});

function sinkOn(client: RedisClient, durability: typeof SURE | typeof UNSURE): RedisUsageSink {
  const options = { namespace: 'parts', partitionBy: ['org'], timeoutMs: 5_000, durability };
  const sink = new RedisUsageSink(client, options);
  opened.push(sink);
  return sink;
}

/** A client that does something before it sends the first script on a store that holds something. */
function before(books: string, act: () => void): RedisClient {
  const inner = master.client();
  let isDone = false;
  const dedicated: DedicatedClient = {
    call: (command, ...args) => {
      if (!isDone && args[2] === books) {
        isDone = true;
        act();
      }
      return inner.call(command, ...args);
    },
    on: (event, listener) => inner.on(event, listener),
    disconnect: () => inner.disconnect(),
  };
  return { call: (command, ...args) => admin.call(command, ...args), duplicate: () => dedicated };
}

/** What a replica has of the reservation: how many of its parts, and how many partitions it can find. */
async function onReplica(id: string): Promise<readonly number[]> {
  const [first, second] = [1, 2].map(
    (place) => `r${partId({ place, count: 2, tells: place === 1, id })}`,
  );
  const parts = [
    await follower.hexists(within, first ?? ''),
    await follower.hexists(above, second ?? ''),
  ];
  return [...parts, await follower.zcard(partition.registry)];
}

test('a call is admitted once the replica has both of its parts', async () => {
  const sink = sinkOn(master.client(), SURE);
  expect(await sink.reserve(ask('r1', 30))).toMatchObject({ admitted: true });
  expect(await onReplica('r1')).toEqual([1, 1, 1]);
  expect(await sink.extend(ask('r1', 40))).toMatchObject({ status: 'extended' });
  expect(await figures(sink)).toBe('0+40 0+40');
  expect(await sink.reserve(ask('r2', 70))).toMatchObject({ admitted: false });
  expect(await sink.settle(end('r1', 20))).toMatchObject({ status: 'settled' });
  expect(await figures(sink)).toBe('20+0 20+0');
  await expectClean(sink, 0);
});

test.each([
  ['before the first part', within],
  ['between the parts', above],
])(
  'a replica that goes away %s: the call is refused, and both are given back',
  async (_, books) => {
    const sink = sinkOn(
      before(books, () => replica.server.signal('SIGSTOP')),
      UNSURE,
    );
    await sink.read(accounts);
    const failure = sink.reserve(ask('r1', 30));
    await expect(failure).rejects.toThrow(UnconfirmedError);
    await expect(failure).rejects.toThrow('0 of 1 replicas confirmed a hold within 50 ms');
    expect(await figures(sink)).toBe('0+0 0+0');
    expect((await sink.settle(end('r1', 30))).status).not.toBe('settled');
    expect(await figures(sink)).toBe('0+0 0+0');
    await expectClean(sink, 0);
    replica.server.signal('SIGCONT');
    const patient = sinkOn(master.client(), SURE);
    expect(await patient.reserve(ask('r2', 100))).toMatchObject({ admitted: true });
    expect(await onReplica('r2')).toEqual([1, 1, 1]);
  },
);

test('without replicas no call of any partition is admitted, and none of them holds anything', async () => {
  const sink = sinkOn(master.client(), UNSURE);
  replica.server.signal('SIGSTOP');
  const calls = Array.from({ length: 8 }, (_, index) => sink.reserve(ask(`r${index}`, 10)));
  for (const { reason } of (await Promise.allSettled(calls)) as PromiseRejectedResult[]) {
    expect(reason).toBeInstanceOf(UnconfirmedError);
  }
  await expect(sink.reserve(askOnly('one', ofOrg, 10))).rejects.toThrow(UnconfirmedError);
  expect(await figures(sink)).toBe('0+0 0+0');
  await expectClean(sink, 0);
});

test('an extension that too few confirm is refused, and both parts hold what they held at least', async () => {
  const sure = sinkOn(master.client(), SURE);
  const unsure = sinkOn(master.client(), UNSURE);
  await sure.reserve(ask('r1', 30));
  replica.server.signal('SIGSTOP');
  await expect(
    unsure.extend({ ...ask('r1', 40), claims: accounts.map((account) => claimOn(account, 40)) }),
  ).rejects.toThrow(UnconfirmedError);
  for (const { held } of await unsure.read(accounts)) expect(held).toBeGreaterThanOrEqual(30);
  expect(await unsure.settle(end('r1', 20))).toMatchObject({ status: 'settled' });
  expect(await figures(unsure)).toBe('20+0 20+0');
  await expectClean(unsure, 0);
});
