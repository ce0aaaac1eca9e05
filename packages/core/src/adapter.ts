/** For authors of adapters: what their frameworks have in common. */
export { type AsyncStorage, findAsyncStorage } from './ambient-identity.ts';
export { anthropicUsage, type CacheWrites, cacheWritesOf } from './anthropic-usage.ts';
export { type ChannelOptions, checkedChannelOptions } from './channel-options.ts';
export { limitOfFallbacks, loweredFallbacks, modelsNamedIn } from './fallback-models.ts';
export { asObject, type JsonObject, listAt, numberAt, objectAt, textAt } from './json-object.ts';
export { type LinkedAbort, linkedAbort } from './linked-abort.ts';
export { looseCount } from './loose-count.ts';
export { NEVER_CONNECTED } from './never-connected.ts';
export { tierAskedIn, tierServed } from './service-tier.ts';
