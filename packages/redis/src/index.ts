export { fromNodeRedis, type NodeRedisClient } from './node-redis.ts';
export type { RedisClient } from './redis-client.ts';
export { RedisUsageSink } from './redis-usage-sink.ts';
export type { RedisUsageSinkOptions } from './redis-usage-sink-options.ts';
export { type UpstashRestOptions, upstashRest } from './upstash-rest.ts';
