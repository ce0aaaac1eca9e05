import type { Account, ReserveRequest, SettleRequest } from '@hardcap/core';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import { RedisUsageSink, type RedisUsageSinkOptions } from '../../src/index.ts';
import { accountOf, claimOn } from './accounts.ts';
import type { Fate, PartingClient } from './parting-client.ts';
import { RedisServer } from './redis-server.ts';

export const START: number = Date.UTC(2026, 10, 30, 12);
export const TTL = 60_000;

/** An account of a tenant, and one above all tenants, of 100 each. */
export const ofOrg: Account = named('org-daily|org=acme');
export const ofAll: Account = named('all');
export const accounts: readonly Account[] = [ofOrg, ofAll];

export function named(key: string): Account {
  return { ...accountOf(key.split('|')[0] ?? ''), key };
}

/** A call on both. */
export function ask(id: string, amount: number): ReserveRequest {
  return { id, claims: accounts.map((account) => claimOn(account, amount)), ttlMs: TTL };
}

/** A call on one of them. */
export function askOnly(id: string, account: Account, amount: number): ReserveRequest {
  return { ...ask(id, 0), claims: [claimOn(account, amount)] };
}

export function end(id: string, amount: number): SettleRequest {
  const charges = accounts.map(({ key }) => ({ account: key, amount }));
  return { id, outcome: 'known', charges, details: { id } };
}

/** A server with a namespace that is partitioned by tenant, anew for each test. */
export class TwoStores {
  readonly owner: Redis;
  namespace = '';
  time = START;
  readonly #server: RedisServer;

  static async start(): Promise<TwoStores> {
    return new TwoStores(await RedisServer.start());
  }

  private constructor(server: RedisServer) {
    this.#server = server;
    this.owner = new Redis(server.port);
  }

  begin(): void {
    this.time = START;
    this.namespace = crypto.randomUUID();
  }

  async stop(): Promise<void> {
    this.owner.disconnect();
    await this.#server.stop();
  }

  /** A sink, as another process would have it. */
  sink(
    client: PartingClient | Redis = this.owner,
    options: RedisUsageSinkOptions = {},
  ): RedisUsageSink {
    const { namespace } = this;
    const own = { namespace, partitionBy: ['org'], now: () => this.time, timeoutMs: 10_000 };
    return new RedisUsageSink(client, { ...own, ...options });
  }

  /** For what goes to the store above the partitions. */
  above(fate: Fate): (key: string) => Fate {
    return (key) => (key.startsWith(`{hardcap:${this.namespace}|org}`) ? fate : 'sent');
  }

  /** For what goes to the tenant's store. */
  within(fate: Fate): (key: string) => Fate {
    return (key) => (key.startsWith(`{hardcap:${this.namespace}|org=acme}`) ? fate : 'sent');
  }
}

/** What is committed and held on both accounts. */
export async function figures(sink: RedisUsageSink): Promise<string> {
  const readings = await sink.read(accounts);
  return readings.map(({ committed, held }) => `${committed}+${held}`).join(' ');
}

export async function expectClean(sink: RedisUsageSink, reservations: number): Promise<void> {
  expect(await sink.verify()).toMatchObject({ reservations, differences: [] });
}

export async function entriesOf(sink: RedisUsageSink): Promise<string[]> {
  const entries: string[] = [];
  for await (const { kind, id, charges } of sink.entries()) {
    entries.push(`${kind} ${id} ${charges.map(({ account, amount }) => `${account}:${amount}`)}`);
  }
  return entries;
}
