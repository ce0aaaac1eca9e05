-- What every script is given, how the store is laid out, and the time.
--
-- KEYS[1] books, by field:
--   m          header                        a<key>     figures of an account, and its names
--   r<id>      reservation                   c<key>     its terms, and what seldom matters of it
--   j<id>      adjustment that was made      w<serial>  another window of an account
--   n          notices nobody was told of    s<serial>  slots of a rolling window
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
local call, format, sub, concat = redis.call, string.format, string.sub, table.concat
local packed, unpacked, HUGE = struct.pack, struct.unpack, math.huge
local BOOKS, DUE, LEDGER = KEYS[1], KEYS[2], KEYS[3]

-- Places in an account. It holds for calls before TILL: those that take committed and held spend above
-- GATE are refused, and charges that take committed spend to ALARM cross a threshold. Another window of
-- it has those of a window at the same places.
local COMMITTED, HELD, OPEN, CARRIED, TILL, GATE, ALARM, DENIED, ENDS = 1, 2, 3, 4, 5, 6, 7, 8, 9
local SERIAL, TERMS_ID, NAMES, WINDOW, TERMS, REST, KEY = 10, 11, 12, 13, 14, 15, 16
local COLD, CHANGED, FRESH, LEFT, SLOTS, IS_OTHER = 17, 18, 19, 20, 21, 22
local ACCOUNT = '<dddddddddssss'
-- Most calls change the first three figures alone, and take over what is stored from REMAINDER on.
local FIGURES, REMAINDER = '<ddd', 25

-- So much of its latest past a store may lose in a failover and go on, in ms; somebody is told.
local TOLERATED_LOSS = 5000

local CLOCK, NEXT_DUE, SERIALS, ENTRIES, TOUCH_AT, UNTOLD, QUEUE_DUE, QUEUED, EPOCH = 1, 2, 3, 4, 5, 6, 7, 8, 9
local HEADER = '<dddddddds'
-- So many reservations are looked at together.
local QUEUE_LENGTH = 32

local at, atText = tonumber(ARGV[1]), nil
if at then
  atText = format('%.0f', at)
else
  local time = call('TIME')
  atText = time[1] .. sub('00000' .. time[2], -6, -4)
  at = tonumber(atText)
end
