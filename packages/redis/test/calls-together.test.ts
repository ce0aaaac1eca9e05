import {
  type Account,
  MemoryUsageSink,
  type ReserveAnswer,
  type SettleAnswer,
  type SettleRequest,
  type SinkEntry,
  type SinkNotice,
  type UsageSink,
} from '@hardcap/core';
import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type RedisClient, RedisUsageSink } from '../src/index.ts';
import { storeKeys } from '../src/store-keys.ts';
import { StoreSink } from '../src/store-sink.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { PartingClient } from './support/parting-client.ts';
import { TestRedis } from './support/test-redis.ts';
import { UNHURRIED_MS } from './support/unhurried.ts';

// What a process asks for in one turn of its event loop goes in one script, and has to come to what it
// comes to one by one.
const redis = await TestRedis.start();
const admin = redis.client();
const MINUTE = 60_000;
const LIMIT = 60;

afterAll(() => redis.stop());

const CALL = fc.record({
  amounts: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9)),
  /** How much less than was held is charged; null says `hold`. */
  under: fc.option(fc.nat(9)),
  ending: fc.constantFrom('settle', 'settle', 'settle', 'release', 'none'),
});
type Call = typeof CALL extends fc.Arbitrary<infer Value> ? Value : never;
const TURN = fc.array(CALL, { minLength: 1, maxLength: 70 });

async function entriesOf(sink: UsageSink): Promise<SinkEntry[]> {
  const entries: SinkEntry[] = [];
  for await (const entry of sink.entries()) entries.push(entry);
  return entries;
}

test('calls at once are answered as one after the other', async () => {
  const property = fc.asyncProperty(
    fc.array(TURN, { minLength: 1, maxLength: 6 }),
    async (turns) => {
      const accounts = [
        accountOf('total', { limit: 3 * LIMIT }),
        accountOf('minute', { limit: LIMIT, window: { fixed: '1m' }, onExpiry: 'release' }),
        accountOf('bare', { limit: null }),
      ];
      let time = 1_800_000_000_000;
      const now = () => time;
      const memory = new MemoryUsageSink({ now });
      const sink = new RedisUsageSink(admin, {
        now,
        namespace: crypto.randomUUID(),
        timeoutMs: UNHURRIED_MS,
      });
      // From here on the store knows the accounts, and no call needs more than the shortest way.
      const begin = { id: 'begin', claims: accounts.map((each) => claimOn(each, 0)), ttlMs: 9e8 };
      const ended: SettleRequest = { id: 'begin', outcome: 'known', charges: [], details: {} };
      for (const each of [memory, sink]) {
        await each.reserve(begin);
        await each.settle(ended);
      }
      for (const [place, calls] of turns.entries()) {
        const asked = calls.map(({ amounts }, call) => ({
          id: `${place}-${call}`,
          claims: accounts.map((account, index) => claimOn(account, amounts[index] ?? 0)),
          ttlMs: 9e8,
        }));
        const expected: ReserveAnswer[] = [];
        for (const each of asked) expected.push(await memory.reserve(each));
        expect(await Promise.all(asked.map((each) => sink.reserve(each)))).toEqual(expected);
        time += 1;
        const requests = calls.flatMap(({ amounts, under, ending }, call): SettleRequest[] => {
          const charges = accounts.map(({ key: account }, index) => {
            const held = amounts[index] ?? 0;
            return {
              account,
              amount: under === null ? ('hold' as const) : Math.max(0, held - under),
            };
          });
          if (ending !== 'settle' || !expected[call]?.admitted) return [];
          return [{ id: `${place}-${call}`, outcome: 'known', charges, details: { call } }];
        });
        const settled: SettleAnswer[] = [];
        for (const each of requests) settled.push(await memory.settle(each));
        expect(await Promise.all(requests.map((each) => sink.settle(each)))).toEqual(settled);
        const released = calls.flatMap(({ ending }, call) =>
          ending === 'release' ? [`${place}-${call}`] : [],
        );
        for (const id of released) expect(await sink.release(id)).toEqual(await memory.release(id));
        expect(await sink.read(accounts)).toEqual(await memory.read(accounts));
      }
      expect(await sink.verify()).toEqual(await memory.verify());
      expect(await entriesOf(sink)).toEqual(await entriesOf(memory));
    },
  );
  await fc.assert(property, { numRuns: 60 });
}, 60_000);

const WARNED = accountOf('warned', { limit: 90, thresholds: [100_000, 500_000, 1_000_000] });
const CURRENT = accountOf('minute', { limit: LIMIT, window: { fixed: '1m' } });
const OTHERS = [
  accountOf('rolling', { limit: LIMIT, window: { rolling: '5m', resolution: '1m' } }),
  accountOf('carried', { limit: LIMIT, window: { fixed: '1m' }, attribute: 'settle' }),
];
const SETS = [[WARNED], [WARNED, CURRENT], [CURRENT], [CURRENT, ...OTHERS]];
const EVERY = [WARNED, CURRENT, ...OTHERS];

test('one of them that needs more is asked singly, and no cap gives way', async () => {
  const property = fc.asyncProperty(
    fc.array(TURN, { minLength: 2, maxLength: 8 }),
    async (turns) => {
      let time = 1_800_000_000_000;
      const namespace = crypto.randomUUID();
      const sink = new RedisUsageSink(admin, {
        now: () => time,
        namespace,
        rememberedMs: MINUTE,
        timeoutMs: UNHURRIED_MS,
      });
      const crossed: number[] = [];
      const listen = (notices: readonly SinkNotice[]): void => {
        for (const notice of notices) {
          const isOfIt = notice.type === 'threshold-crossed' && notice.account === WARNED.key;
          if (isOfIt) crossed.push(notice.threshold);
        }
      };
      const spend = async (id: string, accounts: readonly Account[], call: Call): Promise<void> => {
        const claims = accounts.map((account, index) =>
          claimOn(account, call.amounts[index % 3] ?? 0),
        );
        // The same id with other claims is an error.
        const answer = await sink.reserve({ id, claims, ttlMs: MINUTE }).catch(() => null);
        listen(answer?.notices ?? []);
        if (!answer?.admitted || call.ending !== 'settle') return;
        const charges = claims.map(({ account, amount }) => {
          return { account: account.key, amount: Math.max(0, amount - (call.under ?? 0)) };
        });
        const settled = await sink.settle({ id, outcome: 'known', charges, details: {} });
        for (const { account, window } of settled.status === 'settled' ? settled.charged : []) {
          if (account === CURRENT.key) expect(window).toBe(CURRENT.rule.window.at(time).id);
        }
        listen(settled.notices);
      };
      for (const [place, calls] of turns.entries()) {
        // Some ids come twice in a turn.
        const all = calls.map((call, index) => {
          return spend(`${place}-${index % 12}`, SETS[(index + place) % SETS.length] ?? [], call);
        });
        await Promise.all(all);
        for (const { limit, committed, held } of await sink.read(EVERY)) {
          expect(committed + held).toBeLessThanOrEqual(limit ?? 0);
        }
        expect((await sink.verify()).differences).toEqual([]);
        time += place % 3 === 2 ? MINUTE : 7_000;
      }
      // What has expired may cross one, too, and is told to whoever comes next.
      const [reading] = await sink.read([WARNED]);
      listen((await sink.release('nobody')).notices);
      const reached = [0.1, 0.5, 1].filter((share) => (reading?.committed ?? 0) >= share * 90);
      expect(crossed.toSorted()).toEqual(reached);
    },
  );
  await fc.assert(property, { numRuns: 60 });
}, 60_000);

test('they are sent together, at most thirty-two at once, and in no script but one each alone', async () => {
  const sent: unknown[] = [];
  const client = {
    call: (command: string, ...args: (string | number)[]) => {
      if (command === 'EVALSHA')
        sent.push(args.find((each) => typeof each === 'string' && each.startsWith('r')));
      return admin.call(command, ...args);
    },
  };
  const sink = new RedisUsageSink(client, { namespace: crypto.randomUUID() });
  const a = accountOf('a');
  const ask = (id: string) => sink.reserve({ id, claims: [claimOn(a, 1)], ttlMs: MINUTE });
  await ask('first');
  await ask('second');
  sent.length = 0;
  await Promise.all(Array.from({ length: 40 }, (_, call) => ask(`r${call}`)));
  expect(sent).toHaveLength(2);
  sent.length = 0;
  await ask('last');
  expect(sent).toEqual(['rlast']);
  expect((await sink.read([a]))[0]).toMatchObject({ held: 43 });

  // What the store may not know goes ahead of the others, and none of them is asked twice.
  const b = accountOf('b');
  sent.length = 0;
  await Promise.all(
    ['new', 'other', 'third'].map((id) =>
      sink.reserve({ id, claims: [claimOn(b, 1)], ttlMs: MINUTE }),
    ),
  );
  expect(sent).toEqual(['rnew', 'rother']);
});

test('a call whose time is nearly over takes none from those that are asked with it', async () => {
  const client = new PartingClient(admin);
  const connection = { client, replicated: null, check: null };
  const store = new StoreSink(connection, storeKeys(crypto.randomUUID()), {}, false);
  const a = accountOf('a');
  const ask = (id: string, deadline?: number) => {
    return store.reserve({ id, claims: [claimOn(a, 1)], ttlMs: MINUTE }, deadline);
  };
  await ask('first');
  let tell = () => {};
  const told = new Promise<void>((resolve) => {
    tell = resolve;
  });
  client.late = () => told;
  client.fateOf = () => 'late';
  const late = ask('r1', Date.now());
  const others = Promise.allSettled([ask('r2'), ask('r3')]);
  await expect(late).rejects.toThrow('did not answer');
  tell();
  for (const other of await others) expect(other).toMatchObject({ value: { admitted: true } });
});

test('a batch whose reply is lost is sent again, and nothing is held or charged twice', async () => {
  let toLose = 0;
  const client: RedisClient = {
    call: async (command, ...args) => {
      const reply = await admin.call(command, ...args);
      toLose -= 1;
      if (toLose >= 0) throw new Error('Connection is closed.');
      return reply;
    },
  };
  const sink = new RedisUsageSink(client, { namespace: crypto.randomUUID(), timeoutMs: MINUTE });
  const a = accountOf('a', { limit: 20 });
  const ask = (id: string) => sink.reserve({ id, claims: [claimOn(a, 5)], ttlMs: MINUTE });
  const end = (id: string) => {
    const charges = [{ account: a.key, amount: 3 }];
    return sink.settle({ id, outcome: 'known', charges, details: {} });
  };
  // The account is known from here on, and so are the scripts.
  await Promise.all([ask('r0'), ask('r1')]);
  await Promise.all([end('r0'), end('r1')]);
  toLose = 1;
  // One of them is refused, one comes twice, and two are new.
  const answers = await Promise.all(['r2', 'r3', 'r3', 'r4'].map(ask));
  expect(answers.map(({ admitted }) => admitted)).toEqual([true, true, true, false]);
  expect((await sink.read([a]))[0]).toMatchObject({ committed: 6, held: 10 });
  toLose = 1;
  const settled = await Promise.all([end('r2'), end('r3'), end('r4')]);
  expect(settled).toMatchObject([
    { status: 'already-resolved', first: 'settled' },
    { status: 'already-resolved', first: 'settled' },
    { status: 'never-held' },
  ]);
  expect((await sink.read([a]))[0]).toMatchObject({ committed: 12, held: 0 });
  expect((await sink.verify()).differences).toEqual([]);
});
