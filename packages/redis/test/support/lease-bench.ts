import type { Account, AccountReading, SinkEntry } from '@hardcap/core';
import { expect } from 'vitest';
import type { RedisClient, RedisUsageSinkOptions } from '../../src/index.ts';
import type { LeaseTerms } from '../../src/lease-options.ts';
import { LeaseSteps } from '../../src/lease-steps.ts';
import { LeasingSink } from '../../src/leasing-sink.ts';
import type { ReplicatedConnection } from '../../src/replicated-connection.ts';
import { type StoreKeys, storeKeys } from '../../src/store-keys.ts';
import { StoreSink } from '../../src/store-sink.ts';
import { claimOn } from './accounts.ts';
import { EAGER } from './leased-store.ts';

export const TTL = 600_000;
/** After so long a lease expires. */
export const LEASE_TTL = 30_000;

interface Opening extends RedisUsageSinkOptions {
  readonly client?: RedisClient;
  readonly replicated?: ReplicatedConnection | null;
}

/** Processes over one store whose time and leases a test drives. */
export class LeaseBench {
  time: number = Date.UTC(2026, 10, 30, 12);
  readonly #client: RedisClient;
  readonly keys: StoreKeys = storeKeys(crypto.randomUUID());
  #opened = 0;

  constructor(client: RedisClient) {
    this.#client = client;
  }

  /** A process that leases half of what is left of whatever it uses, when it sees to its leases. */
  open(
    terms: Partial<LeaseTerms> = {},
    { client = this.#client, replicated = null, ...options }: Opening = {},
  ): LeasingSink {
    const own = { now: () => this.time, timeoutMs: 10_000, ...options };
    const connection = { client, replicated, check: null };
    const store = new StoreSink(connection, this.keys, own, false);
    const all = { ...EAGER, share: 0.5, ttlMs: LEASE_TTL, ...terms };
    this.#opened += 1;
    return new LeasingSink(new LeaseSteps(store, all, own, `lease:p${this.#opened}:`));
  }

  /** The same with a lease on accounts, as after a call of some amount. */
  async openWith(accounts: readonly Account[], amount: number, terms: Partial<LeaseTerms> = {}) {
    const sink = this.open(terms);
    await this.lease(sink, accounts, amount);
    return sink;
  }

  async lease(sink: LeasingSink, accounts: readonly Account[], amount: number): Promise<void> {
    const id = `first-${crypto.randomUUID()}`;
    expect(await reserve(sink, id, accounts, amount)).toBe(true);
    await sink.release(id);
    await sink.sync();
  }

  /** What the store says, to a process that leases nothing. */
  async read(account: Account): Promise<AccountReading> {
    const [reading] = await this.open({ after: 1e9 }).read([account]);
    return reading as AccountReading;
  }

  /** Settled spend and holds, the leases of all processes among these. */
  async figures(account: Account): Promise<string> {
    const { committed, held } = await this.read(account);
    return `${committed}+${held}`;
  }

  async entries(): Promise<string[]> {
    const texts: string[] = [];
    for await (const entry of this.open({ after: 1e9 }).entries()) texts.push(textOf(entry));
    return texts;
  }

  /** Every counter is what the entries and the holds add up to. */
  async expectBooks(): Promise<void> {
    expect((await this.open({ after: 1e9 }).verify()).differences).toEqual([]);
  }
}

function textOf({ kind, id, charges }: SinkEntry): string {
  return `${kind} ${id} ${charges.map(({ amount }) => amount).join(',')}`;
}

export async function reserve(
  sink: LeasingSink,
  id: string,
  accounts: readonly Account[],
  amount: number,
  ttlMs = TTL,
): Promise<boolean> {
  const claims = accounts.map((account) => claimOn(account, amount));
  return (await sink.reserve({ id, claims, ttlMs })).admitted;
}

export async function settle(
  sink: LeasingSink,
  id: string,
  accounts: readonly Account[],
  amount: number,
) {
  const charges = accounts.map(({ key }) => ({ account: key, amount }));
  return sink.settle({ id, outcome: 'known', charges, details: {} });
}
