import type { Account, Refusal } from '@hardcap/core';
import { compileWindow } from '@hardcap/core';
import { type LeaseOptions, RedisUsageSink } from '@hardcap/redis';
import type { Redis } from 'ioredis';
import type { Gate } from './gate.ts';
import { inParallel } from './redis-load.ts';
import { quietNanoseconds } from './rounds.ts';

const HOLD_MS = 600_000;
/** Of processes that use up a cap within seconds. */
const LEASES: LeaseOptions = { syncMs: 100, ttlMs: 10_000 };

function accountOf(key: string, limit: number): Account {
  return {
    key,
    rule: {
      budget: key,
      unit: 'usd',
      limit,
      blocked: false,
      window: compileWindow('total'),
      attribute: 'reserve',
      onExpiry: 'charge',
      thresholds: [1_000_000],
    },
  };
}

/** Calls of one process on a hot account, with leases and without. */
class HotCalls {
  readonly #sink: RedisUsageSink;
  readonly #claims: { readonly account: Account; readonly amount: number }[];
  readonly #charges: { readonly account: string; readonly amount: number }[];
  #made = 0;

  constructor(client: Redis, leases: LeaseOptions | null) {
    const namespace = crypto.randomUUID();
    const own = leases === null ? {} : { leases };
    this.#sink = new RedisUsageSink(client, { namespace, timeoutMs: 30_000, ...own });
    const account = accountOf('hot', 9e15);
    this.#claims = [{ account, amount: 1_500 }];
    this.#charges = [{ account: account.key, amount: 1_400 }];
  }

  readonly call = async (): Promise<void> => {
    this.#made += 1;
    const id = `Ab3dE6gh${this.#made.toString(36)}`;
    await this.#sink.reserve({ id, claims: this.#claims, ttlMs: HOLD_MS });
    const charges = this.#charges;
    const details = { model: 'small', input: 812 };
    await this.#sink.settle({ id, outcome: 'known', charges, details });
  };

  /** Everything is told to the server by then. */
  async run(count: number, width: number): Promise<void> {
    await inParallel(count, width, this.call);
    await this.#sink.flush();
  }

  close(): Promise<void> {
    return this.#sink.close();
  }
}

/** @param width how many calls are under way at once */
async function gainGate(
  client: Redis,
  { width, count, atMost }: { width: number; count: number; atMost: number },
): Promise<Gate> {
  // As they are by default: an account must not cool while the other one has its turn.
  const leased = new HotCalls(client, {});
  const plain = new HotCalls(client, null);
  const contenders = [
    { name: 'leased', run: (calls: number) => leased.run(calls, width) },
    { name: 'plain', run: (calls: number) => plain.run(calls, width) },
  ];
  const times = await quietNanoseconds(contenders, { rounds: 21, count });
  await leased.close();
  const [own, trips] = [times.get('leased') ?? Number.NaN, times.get('plain') ?? Number.NaN];
  const rate = (time: number) => `${(1e6 / time).toFixed(0)}k calls/s`;
  return {
    what: `calls on a hot account, ${width} at once: leased / a round trip each to reserve and to settle`,
    measured: own / trips,
    atMost,
    unit: 'x the time',
    note: `${rate(own)} and ${rate(trips)}, ${(trips / own).toFixed(1)} times as many`,
  };
}

const PROCESSES = 8;
const CAP = 10_000_000;
const MEAN = 1_000;

interface Exhaustion {
  /** What was spent when the first call was refused, and at the end. */
  readonly first: number;
  readonly last: number;
  /** Scripts of all kinds for each call that was asked for. */
  readonly scripts: number;
}

async function scriptCount(client: Redis): Promise<number> {
  const stats = await client.info('commandstats');
  return Number(stats.match(/cmdstat_evalsha:calls=(\d+)/)?.[1] ?? 0);
}

/** Processes that use a cap up, each at its own pace, with amounts from half to one and a half of the mean. */
async function exhaust(client: Redis, skewed: boolean): Promise<Exhaustion> {
  const account = accountOf(`cap-${skewed}`, CAP);
  const namespace = 'bench-cap';
  const own = { namespace, timeoutMs: 30_000, leases: LEASES };
  const sinks = Array.from({ length: PROCESSES }, () => new RedisUsageSink(client, own));
  let [first, made, spent] = [Number.NaN, 0, 0];
  const call = async (sink: RedisUsageSink, amount: number): Promise<readonly Refusal[]> => {
    made += 1;
    const id = `c${skewed}${made}`;
    const answer = await sink.reserve({ id, claims: [{ account, amount }], ttlMs: HOLD_MS });
    if (!answer.admitted) return answer.refusals;
    spent += amount;
    await sink.settle({ id, outcome: 'known', charges: [], details: {} });
    return [];
  };
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const caller = async (sink: RedisUsageSink, pace: number) => {
    for (let each = 0; ; each += 1) {
      if (each % pace === 0) await pause(1);
      const amount = MEAN / 2 + ((each * 7_919) % MEAN);
      const refusals = await call(sink, amount);
      if (refusals.length === 0) continue;
      if (Number.isNaN(first)) first = spent;
      const least = await call(sink, MEAN / 2);
      if (least.some(({ kind }) => kind !== 'held')) return;
      await pause(20);
    }
  };
  const before = await scriptCount(client);
  await Promise.all(sinks.map((sink, place) => caller(sink, skewed && place > 0 ? 1 : 8)));
  await Promise.all(sinks.map((sink) => sink.close()));
  const scripts = ((await scriptCount(client)) - before) / made;
  const reader = new RedisUsageSink(client, { namespace });
  const [reading] = await reader.read([account]);
  return { first, last: (reading?.committed ?? 0) + (reading?.held ?? 0), scripts };
}

async function capGates(client: Redis, skewed: boolean): Promise<Gate[]> {
  const { first, last, scripts } = await exhaust(client, skewed);
  const how = skewed ? 'one of 8 processes makes most calls' : '8 processes at one pace';
  const share = (amount: number) => `${((100 * amount) / CAP).toFixed(2)} %`;
  return [
    {
      what: `overshoot of leases: ${how}`,
      measured: Math.max(0, last - CAP),
      atMost: 0,
      unit: '',
      note: `${share(last)} of the cap used in the end; ${scripts.toFixed(2)} scripts a call`,
    },
    {
      what: 'of the cap not used when the first call was refused',
      measured: 100 * (1 - first / CAP),
      atMost: 2,
      unit: '%',
      note: `first refusal at ${share(first)}`,
    },
    {
      what: 'of the cap not used in the end',
      measured: CAP - last,
      atMost: MEAN / 2 - 1,
      unit: 'of 1e7',
      note: `the smallest call is ${MEAN / 2}`,
    },
  ];
}

/** What leases gain, and what they cost near the end of a cap. */
export async function leaseGates(client: Redis): Promise<Gate[]> {
  return [
    await gainGate(client, { width: 1, count: 2_000, atMost: 1 / 8 }),
    await gainGate(client, { width: 64, count: 20_000, atMost: 1 / 1.2 }),
    ...(await capGates(client, false)),
    ...(await capGates(client, true)),
  ];
}
