import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { LeasingSink } from '../src/leasing-sink.ts';
import { Partition } from '../src/partition.ts';
import { PartitionStores } from '../src/partition-stores.ts';
import { ADOPT, LEASE, type Script, SETTLE_LEASED } from '../src/scripts.ts';
import { accountOf, claimOn } from './support/accounts.ts';
import { LEASE_TTL, LeaseBench, reserve, settle, TTL } from './support/lease-bench.ts';
import { TestRedis } from './support/test-redis.ts';
import { type Fate, UnsureClient } from './support/unsure-client.ts';

const redis = await TestRedis.start();
const client = redis.client();
const a = accountOf('a', { limit: 1_000 });
let bench = new LeaseBench(client);

afterAll(() => redis.stop());
beforeEach(() => {
  bench = new LeaseBench(client);
});

/** A process whose next script of a kind has a fate, or has something done once it was carried out. */
class Fateful {
  readonly unsure: UnsureClient;
  #fate: readonly [Script, Fate] | null = null;
  #meanwhile: readonly [Script, () => Promise<unknown>] | null = null;

  constructor() {
    this.unsure = new UnsureClient(
      client,
      (sha) => {
        const [script, fate] = this.#fate ?? [];
        if (fate === undefined || script?.sha !== sha) return 'answered';
        this.#fate = null;
        return fate;
      },
      async (sha) => {
        const [script, work] = this.#meanwhile ?? [];
        if (work === undefined || script?.sha !== sha) return;
        this.#meanwhile = null;
        await work();
      },
    );
  }

  is(script: Script, fate: Fate): void {
    this.#fate = [script, fate];
  }

  meanwhile(script: Script, work: () => Promise<unknown>): void {
    this.#meanwhile = [script, work];
  }
}

/** With its scripts known to the server, which is asked for by their hashes from then on. */
async function open(fateful: Fateful, share = 0.5): Promise<LeasingSink> {
  for (const { text } of [ADOPT, LEASE, SETTLE_LEASED]) await client.call('SCRIPT', 'LOAD', text);
  return bench.open({ share }, { client: fateful.unsure });
}

async function isCharged(sink: LeasingSink, amount: number): Promise<void> {
  await sink.close();
  expect(await bench.figures(a)).toBe(`${amount}+0`);
  await bench.expectBooks();
}

describe('a call of which two things are asked at once', () => {
  test('is charged once where it is settled twice', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'call', [a], 50);
    const answers = await Promise.all([
      settle(sink, 'call', [a], 40),
      settle(sink, 'call', [a], 40),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['settled', 'already-resolved']);
    await isCharged(sink, 40);
  });

  test('ends once where it is settled and released', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'call', [a], 50);
    const answers = await Promise.all([settle(sink, 'call', [a], 40), sink.release('call')]);
    expect(answers.map(({ status }) => status)).toEqual(['settled', 'already-resolved']);
    await isCharged(sink, 40);
  });

  test('is drawn once where it is reserved twice', async () => {
    const sink = await bench.openWith([a], 100);
    const answers = await Promise.all([
      reserve(sink, 'call', [a], 50),
      reserve(sink, 'call', [a], 50),
    ]);
    expect(answers).toEqual([true, true]);
    await sink.release('call');
    await isCharged(sink, 0);
  });

  test('holds no more once it has ended, where it grew', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'call', [a], 50);
    const growing = sink.extend({ id: 'call', claims: [claimOn(a, 60)], ttlMs: TTL });
    const settling = settle(sink, 'call', [a], 40);
    await Promise.all([growing, settling, sink.release('call')]);
    await isCharged(sink, 40);
  });
});

describe('what the store has done though its owner does not know', () => {
  test('a call that was made a reservation is not held by its lease, too', async () => {
    const fateful = new Fateful();
    const sink = await open(fateful, 1);
    await bench.lease(sink, [a], 1_000);
    expect(await bench.figures(a)).toBe('0+1000');
    await reserve(sink, 'call', [a], 600);
    fateful.is(ADOPT, 'reply lost');
    await expect(settle(sink, 'call', [a], 700)).rejects.toThrow('GONE');
    await sink.sync();
    expect(await bench.figures(a)).toBe('0+1000');
    await settle(sink, 'call', [a], 600);
    await isCharged(sink, 600);
  });

  test('what was charged is not held by its lease, too', async () => {
    const fateful = new Fateful();
    const sink = await open(fateful, 1);
    await bench.lease(sink, [a], 1_000);
    await reserve(sink, 'call', [a], 600);
    await settle(sink, 'call', [a], 600);
    fateful.is(SETTLE_LEASED, 'reply lost');
    expect(await sink.flush()).toBe(1);
    // Refused, and asked for again once the lease was to give back what can be drawn of it.
    expect(await reserve(sink, 'dear', [a], 500)).toBe(false);
    expect(await bench.figures(a)).toBe('600+400');
    await sink.sync();
    expect(await reserve(sink, 'others', [a], 400)).toBe(true);
    await sink.release('others');
    await isCharged(sink, 600);
  });

  test('a change of a lease that comes late holds nothing that was charged before', async () => {
    const fateful = new Fateful();
    const sink = await open(fateful, 1);
    await bench.lease(sink, [a], 1_000);
    await reserve(sink, 'call', [a], 600);
    await settle(sink, 'call', [a], 600);
    fateful.is(LEASE, 'late');
    await expect(sink.sync()).rejects.toThrow('GONE');
    await reserve(sink, 'next', [a], 100);
    await settle(sink, 'next', [a], 100);
    await sink.flush();
    await fateful.unsure.runLate(0);
    expect(await bench.figures(a)).toBe('700+300');
    await isCharged(sink, 700);
  });
});

describe('more than one script can carry', () => {
  test('calls that are drawn while other leases are seen to are held', async () => {
    const fateful = new Fateful();
    const many = Array.from({ length: 70 }, (_, place) => accountOf(`a${place}`, { limit: 100 }));
    const last = many.at(-1) as typeof a;
    const sink = await open(fateful, 1);
    for (const account of many) await reserve(sink, account.key, [account], 50);
    for (const account of many) await sink.release(account.key);
    await sink.sync();
    let seen = '';
    fateful.meanwhile(LEASE, async () => {
      expect(await reserve(sink, 'call', [last], 80)).toBe(true);
      fateful.meanwhile(LEASE, async () => {
        seen = await bench.figures(last);
      });
    });
    await sink.sync();
    expect(seen).toBe('0+100');
    await settle(sink, 'call', [last], 80);
    await sink.close();
    expect(await bench.figures(last)).toBe('80+0');
    await bench.expectBooks();
  });

  test('calls that end while others are handed over are charged once', async () => {
    const fateful = new Fateful();
    const sink = await open(fateful);
    await bench.lease(sink, [a], 200);
    for (let call = 0; call < 70; call += 1) await reserve(sink, `call-${call}`, [a], 1);
    let settling: Promise<unknown> | null = null;
    fateful.meanwhile(ADOPT, async () => {
      settling = settle(sink, 'call-69', [a], 1);
    });
    await sink.close();
    await settling;
    expect(await bench.figures(a)).toBe('1+69');
    for (let call = 0; call < 69; call += 1) await settle(sink, `call-${call}`, [a], 1);
    await isCharged(sink, 70);
  });

  test('a store that is not remembered any more is told what its calls have cost', async () => {
    const options = { leases: { after: 1, share: 0.5 }, timeoutMs: 10_000 };
    const connection = { client, replicated: null, check: null };
    const partition = new Partition(crypto.randomUUID(), ['org']);
    const stores = new PartitionStores(connection, partition, options);
    const store = stores.at('org=first') as LeasingSink;
    await reserve(store, '1:1:1:first', [a], 100);
    await store.renew();
    await reserve(store, '1:1:1:call', [a], 50);
    await settle(store, '1:1:1:call', [a], 40);
    for (let place = 0; place < 10_000; place += 1) stores.at(`org=${place}`);
    await stores.close();
    await store.release('1:1:1:first');
    const others = new PartitionStores(connection, partition, { timeoutMs: 10_000 });
    const [reading] = await others.at('org=first').read([a]);
    expect(reading).toMatchObject({ committed: 40, held: 0 });
  });
});

describe('an owner that closes', () => {
  test('has back what expired of its lease while it slept', async () => {
    const sink = await bench.openWith([a], 100);
    await reserve(sink, 'call', [a], 50);
    await settle(sink, 'call', [a], 40);
    bench.time += LEASE_TTL;
    await isCharged(sink, 40);
  });

  test('hands over later what it could not', async () => {
    const fateful = new Fateful();
    const sink = await open(fateful);
    await bench.lease(sink, [a], 100);
    await reserve(sink, 'call', [a], 50);
    fateful.is(ADOPT, 'lost');
    await sink.close();
    expect(await bench.figures(a)).toBe('0+200');
    await settle(sink, 'call', [a], 40);
    await sink.sync();
    expect(await bench.figures(a)).toBe('40+0');
    await bench.expectBooks();
  });
});
