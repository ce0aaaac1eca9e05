import type { Account } from '@hardcap/core';
import { RedisUsageSink, type RedisUsageSinkOptions } from '@hardcap/redis';
import { Cluster } from 'ioredis';
import { accountOf } from '../../packages/redis/test/support/accounts.ts';

/** Tenants, each with a cap of its own, under a cap above them all. */
export const ORGS: readonly string[] = ['acme', 'bolt', 'crux', 'dune', 'elm', 'fig'];
export const ORG_LIMIT = 25_000;
export const ALL_LIMIT = 100_000;

const OPTIONS = { namespace: 'fleet', partitionBy: ['org'], timeoutMs: 20_000 } as const;

export function orgAccount(org: string, limit: number = ORG_LIMIT): Account {
  return { ...accountOf('org-total', { limit }), key: `org-total|org=${org}` };
}

/** Above the partitions, in a window of its own kind. */
export function allAccount(limit: number = ALL_LIMIT): Account {
  return accountOf('all-daily', { limit, window: { fixed: '365d' } });
}

/** What a worker says when it is through. */
export interface PartitionReport {
  readonly type: 'begun' | 'false-denial' | 'done';
  readonly text: string;
  /** What it has settled, and seen to be settled, in all. */
  readonly settled: number;
}

/** A sink on a cluster of which these ports are nodes, and its client. */
export function sinkOnCluster(
  ports: string,
  options: RedisUsageSinkOptions = {},
): { readonly sink: RedisUsageSink; readonly client: Cluster } {
  const nodes = ports.split(',').map((port) => ({ host: '127.0.0.1', port: Number(port) }));
  const client = new Cluster(nodes);
  client.on('error', () => {});
  return { sink: new RedisUsageSink(client, { ...OPTIONS, ...options }), client };
}
