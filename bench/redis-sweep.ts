import { setTimeout as sleep } from 'node:timers/promises';
import { RedisUsageSink } from '@hardcap/redis';
import type { Redis } from 'ioredis';
import type { Gate } from './gate.ts';
import { ACCOUNTS, inParallel } from './redis-load.ts';

const HOLDS = 50_000;
/** For making the holds. */
const PATIENCE_MS = 15_000;

/** Reservations in a store of their own, one at a time. */
class Store {
  readonly #sink: RedisUsageSink;
  #made = 0;
  /** In microseconds. */
  readonly times: number[] = [];

  constructor(client: Redis, namespace: string) {
    this.#sink = new RedisUsageSink(client, { namespace, timeoutMs: 30_000 });
  }

  async reserve(ttlMs: number): Promise<number> {
    this.#made += 1;
    const id = `Ab3dE6gh${this.#made.toString(36)}`;
    const claims = ACCOUNTS.map((account) => ({ account, amount: 1_500 }));
    const { notices } = await this.#sink.reserve({ id, claims, ttlMs });
    return notices.filter(({ type }) => type === 'reservation-expired').length;
  }

  /** How many others expired with it. */
  async timed(): Promise<number> {
    const startedAt = performance.now();
    const expired = await this.reserve(600_000);
    this.times.push((performance.now() - startedAt) * 1_000);
    return expired;
  }

  percentile(share: number): number {
    const sorted = this.times.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  }
}

/**
 * How long a reservation takes, one at a time, while 50,000 holds that expired at one instant are swept,
 * against one in a store in which nothing is due. Both in turn, until none is left.
 */
export async function sweepGate(client: Redis): Promise<Gate> {
  const [swept, quiet] = [new Store(client, 'swept'), new Store(client, 'quiet')];
  const expiresAt = Date.now() + PATIENCE_MS;
  await inParallel(HOLDS, 64, () => swept.reserve(Math.max(1, expiresAt - Date.now())));
  await inParallel(1_000, 64, () => quiet.reserve(600_000));
  await sleep(Math.max(0, expiresAt - Date.now()) + 100);
  for (let left = HOLDS; left > 0; ) {
    left -= await swept.timed();
    await quiet.timed();
  }
  const [slow, normal] = [swept.percentile(0.99), quiet.percentile(0.99)];
  const medians = `${swept.percentile(0.5).toFixed(0)} and ${quiet.percentile(0.5).toFixed(0)} us p50`;
  return {
    what: 'reserve while 50,000 expired holds are swept / while nothing is due, p99',
    measured: slow / normal,
    atMost: 3,
    unit: 'x',
    note: `${slow.toFixed(0)} and ${normal.toFixed(0)} us, ${medians}, in ${swept.times.length} calls`,
  };
}
