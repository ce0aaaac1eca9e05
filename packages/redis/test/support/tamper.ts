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

/** Deletes all that is known of an account beside its holds. */
export async function deleteAccount(
  client: RedisClient,
  books: string,
  account: string,
): Promise<void> {
  await client.call('HDEL', books, `a${inJson(account)}`, `c${inJson(account)}`);
}

const ADD_TO_FIGURE = `
local value = redis.call('HGET', KEYS[1], ARGV[1])
local place, by = ARGV[2] + 0, ARGV[3] + 0
if string.sub(ARGV[1], 1, 1) == 'w' then
  local parts = cmsgpack.unpack(value)
  parts[1][place + 1] = parts[1][place + 1] + by
  return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(parts))
end
local from = place * 8
if #value < from + 8 then return 0 end
local figure = struct.unpack('<d', value, from + 1)
return redis.call('HSET', KEYS[1], ARGV[1],
  string.sub(value, 1, from) .. struct.pack('<d', figure + by) .. string.sub(value, from + 9))`;

/** Changes one of the figures that a field begins with. */
export async function tamperFigure(
  client: RedisClient,
  books: string,
  field: string,
  [place, by]: readonly [place: number, by: number],
): Promise<void> {
  await client.call('EVAL', ADD_TO_FIGURE, 1, books, field, place, by);
}
