import { partId } from './call-part.ts';
import { leaseTerms } from './lease-options.ts';
import { LeaseSteps } from './lease-steps.ts';
import { LeasingSink } from './leasing-sink.ts';
import type { RedisUsageSinkOptions } from './redis-usage-sink-options.ts';
import type { StoreKeys } from './store-keys.ts';
import { type StoreConnection, StoreSink } from './store-sink.ts';

/** A store as this process uses it. */
export type OpenStore = StoreSink | LeasingSink;

/**
 * @param isPart ids begin with the place of a part: see `call-part.ts`.
 * @throws ConfigError for leases that cannot be had.
 */
export function openStore(
  connection: StoreConnection,
  keys: StoreKeys,
  options: RedisUsageSinkOptions,
  isPart: boolean,
): OpenStore {
  const store = new StoreSink(connection, keys, options, isPart);
  if (options.leases === undefined) return store;
  const owner = `lease:${randomName()}:`;
  const prefix = isPart ? partId({ place: 1, count: 1, tells: true, id: owner }) : owner;
  return new LeasingSink(new LeaseSteps(store, leaseTerms(options.leases), options, prefix));
}

/** 48 random bits: no two processes have the same. */
function randomName(): string {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return ((high & 0xffff) * 2 ** 32 + low).toString(36);
}
