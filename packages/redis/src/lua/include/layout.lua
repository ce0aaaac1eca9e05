-- What every script is given, how the store is laid out, and the time.
--
-- KEYS[1] books, by field:
--   m          header                        a<key>     figures of an account, and its names
--   r<id>      reservation                   c<key>     its terms, and what seldom matters of it
--   j<id>      adjustment that was made      w<serial>  another window of an account
--   n          notices nobody was told of    s<serial>  slots of a rolling window
--   b          how many entries there were before the books
--   p          how many entries were dropped f<serial>  what dropped entries charged to a window
--   q          the latest reservations, to be looked at together, each field on a line
--   q<serial>  earlier ones
-- KEYS[2] due: those fields by the time at which something has to be done about them. A reservation
--         is in a list of those that are looked at together, or here.
-- KEYS[3] ledger
-- ARGV[1] time in ms, for tests; empty for the server's clock
-- ARGV[2] latest time of an operation that was acknowledged to the client
-- ARGV[3] epoch that the client knows the store by
-- ARGV[4] ms for which these are remembered, with spaces between: what has ended, what has expired,
--         accounts that nobody uses
local call, format, sub, find, concat = redis.call, string.format, string.sub, string.find, table.concat
local packed, unpacked, HUGE = struct.pack, struct.unpack, math.huge
local ARGV, unpack, min, max, floor = ARGV, unpack, math.min, math.max, math.floor
local BOOKS, DUE, LEDGER = KEYS[1], KEYS[2], KEYS[3]

-- Lua goes through every byte of every text that it makes, so the shortest ways make as few as they can,
-- and no function.
local ACCOUNT, HEADER = '<dddddddddssss', '<dddddddds'
-- So many bytes of an open reservation come before what it has in common with others on the same accounts.
local BEFORE_SHAPE = 17
-- So many reservations are looked at together.
local QUEUE_LENGTH = 32

local at, time = tonumber(ARGV[1]), nil
if not at then
  time = call('TIME')
  at = time[1] * 1000 + floor(time[2] / 1000)
end
