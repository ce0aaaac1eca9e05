export { checkPartition, type PartitionPlan } from './check-partition.ts';
export type { ConfirmedDurability, Durability } from './durability.ts';
export type { LeaseOptions } from './lease-options.ts';
export {
  type DedicatedNodeRedisClient,
  fromNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisMaster,
} from './node-redis.ts';
export type { DedicatedClient, RedisClient } from './redis-client.ts';
export { RedisUsageSink } from './redis-usage-sink.ts';
export type { RedisUsageSinkOptions } from './redis-usage-sink-options.ts';
export { fromUpstash, type UpstashClient } from './upstash-client.ts';
export { type UpstashRestOptions, upstashRest } from './upstash-rest.ts';
