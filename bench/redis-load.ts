import { type Account, compileWindow, type WindowSpec } from '@hardcap/core';
import { type RedisClient, RedisUsageSink } from '@hardcap/redis';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

const LIMIT = 9e15;
const HOLD_MS = 600_000;
const AMOUNT = 1_500_000;

function accountOf(key: string, window: WindowSpec, limit = LIMIT): Account {
  return {
    key,
    rule: {
      budget: key.split('|', 1)[0] ?? key,
      unit: 'usd',
      limit,
      blocked: false,
      window: compileWindow(window),
      attribute: 'reserve',
      onExpiry: 'charge',
      thresholds: [800_000, 1_000_000],
    },
  };
}

const DAY: WindowSpec = { calendar: 'day', timeZone: 'America/New_York' };
export const ACCOUNTS: readonly Account[] = [
  accountOf('user-daily|user=u1', DAY),
  accountOf('org-monthly|org=acme', { calendar: 'month' }),
  accountOf('run|run=r9', 'total'),
];
const SPENT = [...ACCOUNTS.slice(0, 2), accountOf('tight|run=r9', 'total', 1)];

/** The commands that a client is given, to send the same for a script that does nothing. */
class Recorder implements RedisClient {
  readonly #client: RedisClient;
  last: readonly (string | number)[] = [];

  constructor(client: RedisClient) {
    this.#client = client;
  }

  call(command: string, ...args: (string | number)[]): Promise<unknown> {
    if (command === 'EVALSHA') this.last = args;
    return this.#client.call(command, ...args);
  }
}

export const PROCESSES = 16;

/** The operations that are measured, on one connection. */
export class RedisLoad {
  readonly client: Redis;
  /** As many processes: what one of them asks for at once goes together. */
  readonly #sinks: readonly RedisUsageSink[];
  readonly #limiter: RateLimiterRedis;
  #noop = '';
  #reserveArgs: readonly (string | number)[] = [];
  #settleArgs: readonly (string | number)[] = [];
  #made = 0;

  constructor(client: Redis) {
    this.client = client;
    this.#sinks = Array.from({ length: PROCESSES }, () => {
      return new RedisUsageSink(client, { namespace: 'bench', timeoutMs: 30_000 });
    });
    this.#limiter = new RateLimiterRedis({ storeClient: client, points: 1e9, duration: 86_400 });
  }

  async prepare(): Promise<void> {
    this.#noop = String(await this.client.script('LOAD', 'return 1'));
    const recorder = new Recorder(this.client);
    const sink = new RedisUsageSink(recorder, { namespace: 'bench', timeoutMs: 30_000 });
    const claims = ACCOUNTS.map((account) => ({ account, amount: AMOUNT }));
    await sink.reserve({ id: 'recorded', claims, ttlMs: HOLD_MS });
    // Once more, since the clock of the server is known by now.
    await sink.reserve({ id: 'recorded2', claims, ttlMs: HOLD_MS });
    this.#reserveArgs = recorder.last.slice(1);
    await sink.settle(settlementOf('recorded'));
    await sink.settle(settlementOf('recorded2'));
    this.#settleArgs = recorder.last.slice(1);
  }

  newId(): string {
    this.#made += 1;
    return `Ab3dE6gh${this.#made.toString(36)}`;
  }

  /** @param process whose sink it is asked of */
  async reserve(process = 0): Promise<string> {
    const id = this.newId();
    const claims = ACCOUNTS.map((account) => ({ account, amount: AMOUNT }));
    await this.#sinks[process]?.reserve({ id, claims, ttlMs: HOLD_MS });
    return id;
  }

  async settle(id: string, process = 0): Promise<void> {
    await this.#sinks[process]?.settle(settlementOf(id));
  }

  async denied(process = 0): Promise<void> {
    const claims = SPENT.map((account) => ({ account, amount: AMOUNT }));
    await this.#sinks[process]?.reserve({ id: this.newId(), claims, ttlMs: HOLD_MS });
  }

  /** A script that does nothing, with the keys and arguments of a reservation. */
  async noopReserve(): Promise<void> {
    await this.client.call('EVALSHA', this.#noop, ...this.#reserveArgs);
  }

  async noopSettle(): Promise<void> {
    await this.client.call('EVALSHA', this.#noop, ...this.#settleArgs);
  }

  async limiterPair(): Promise<void> {
    await this.#limiter.consume('one-key', 7);
    await this.#limiter.reward('one-key', 2);
  }
}

function settlementOf(id: string) {
  const charges = ACCOUNTS.map(({ key: account }) => ({ account, amount: AMOUNT - 100_000 }));
  return { id, outcome: 'known', charges, details: { model: 'small', input: 812 } } as const;
}

/** Does a piece of work `count` times, so many at once, and says which of them it is. */
export async function inParallel(
  count: number,
  width: number,
  work: (worker: number) => Promise<unknown>,
): Promise<void> {
  let begun = 0;
  const worker = async (number: number) => {
    while (begun < count) {
      begun += 1;
      await work(number);
    }
  };
  await Promise.all(Array.from({ length: width }, (_, number) => worker(number)));
}
