import { inJson } from '../../src/account-text.ts';
import type { RedisClient } from '../../src/index.ts';

const ADD_TO_COMMITTED = `
local value = redis.call('HGET', KEYS[1], 'a' .. ARGV[1])
local committed = struct.unpack('<d', value)
local rest = string.sub(value, 9)
return redis.call('HSET', KEYS[1], 'a' .. ARGV[1], struct.pack('<d', committed + ARGV[2]) .. rest)`;

/** Changes the settled spend of an account's current window behind the back of its sinks. */
export async function tamper(
  client: RedisClient,
  books: string,
  account: string,
  by: number,
): Promise<void> {
  await client.call('EVAL', ADD_TO_COMMITTED, 1, books, inJson(account), by);
}
