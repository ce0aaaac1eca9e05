-- The figures of accounts now. Nothing is written but what was due.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] on, for each account: key, and what is said of its terms
--
-- 'read', time, then for each account: limit, whether it is blocked, committed, held, denials,
--   what was rolled over
-- 'stale', time
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
local fields = {}
for place = 5, #ARGV, 2 do fields[#fields + 1] = 'a' .. ARGV[place] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then
  sweep()
  finish(true)
end
local answer = { 'read', at }
for place = 5, #ARGV, 2 do
  local known = open(ARGV[place], termsIn(ARGV[place + 1]))
  if not known then return { 'stale', at } end
  local window = windows().windowOf(known)
  local limit = windows().limitOf(known, window)
  answer[#answer + 1] = {
    limit ~= HUGE and limit or false, windows().isBlocked(known) and 1 or 0,
    known[COMMITTED], known[HELD] + known[CARRIED], max(known[DENIED] - dayTally(), 0),
    windows().rolledInto(known, window),
  }
end
return answer
