-- What every script is given, how the store is laid out, and the time.
--
-- KEYS[1] books, by field:
--   m          header                        a<key>     figures of an account
--   r<id>      reservation                   b<key>     names of its budget, unit and window
--   j<id>      adjustment that was made      w<serial>  another window of an account
--   n          notices nobody was told of    c<key>     its terms, and what seldom matters of it
--   p          how many entries were dropped s<serial>  slots of a rolling window
--                                            f<serial>  what dropped entries charged to a window
-- KEYS[2] due: those fields by the time at which something has to be done about them
-- KEYS[3] ledger
-- ARGV[1] time in ms, for tests; empty for the server's clock
-- ARGV[2] latest time of an operation that was acknowledged to the client
-- ARGV[3] epoch that the client knows the store by
-- ARGV[4] ms for which these are remembered, with spaces between: what has ended, what has expired,
--         accounts that nobody uses
local call, format, sub, concat = redis.call, string.format, string.sub, table.concat
local HUGE = math.huge
local BOOKS, DUE, LEDGER = KEYS[1], KEYS[2], KEYS[3]

-- Places in an account. It holds for calls before TILL: those that take committed and held spend above
-- GATE are refused, and charges that take committed spend to ALARM cross a threshold. Another window of it has those of a window at the same places.
local COMMITTED, HELD, CARRIED, OPEN, DENIED, ENDS, TILL, GATE, ALARM = 1, 2, 3, 4, 5, 6, 7, 8, 9
local SERIAL, TERMS_ID, NAMES, WINDOW, TERMS, REST, KEY = 10, 11, 12, 13, 14, 15, 16
local COLD, CHANGED, FRESH, LEFT, SLOTS, IS_OTHER = 17, 18, 19, 20, 21, 22
-- DENIED only grows: ten digits are for the denials of a day, and before them stands the day.
local ACCOUNT = '<dddddddddss'

-- So much of its latest past a store may lose in a failover and go on, in ms; somebody is told.
local TOLERATED_LOSS = 5000

local CLOCK, NEXT_DUE, SERIALS, ENTRIES, TOUCH_AT, UNTOLD, EPOCH = 1, 2, 3, 4, 5, 6, 7
local HEADER = '<dddddds'

-- When what ends now is forgotten: many at a time, since nearly every call would come upon one else.
local function forgottenAt(now)
  local remembered = tonumber(string.match(ARGV[4], '^%d+'))
  local step = math.ceil(remembered / 64)
  return math.ceil((now + remembered) / step) * step
end

local at = tonumber(ARGV[1])
if not at then
  local time = call('TIME')
  at = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- What DENIED is before the first denial of today, in UTC.
local function dayTally() return math.floor(at / 86400000) * 1e10 end
