-- Holds amounts on all accounts of a call, or on none.
--
-- ARGV[5] id, as inside a JSON text     ARGV[6] ms until it expires; 0 asks who would refuse, and holds nothing
-- ARGV[7] time after which nobody waits for the answer, or empty
-- then for each account: key, amount, what stands for its terms, its way, and its terms or nothing
-- A way has these lines: how it is to be charged, the span of its window, and the span of that in which
-- the hold would expire where it goes along. An `s` after the first letter: it refuses nothing. An `r`:
-- it rolls over, and has a line more before the last, the names of the two windows before.
--
-- 'held', time, expiry, notices, refusals of accounts that refuse nothing, of a repetition the time of the first
-- 'denied', time, refusals, notices
-- 'mismatch', time, how the reservation ended where it has
-- 'stale', time: a span is not of now, or terms are needed
--@include layout
--@include plain-reserve
--@include store
--@include windows
--@include refusals
--@include charges
--@include reservations
--@include sweep
--@include claims
local field, ttl, count = 'r' .. ARGV[5], tonumber(ARGV[6]), (#ARGV - 7) / 5
local fields = { field }
for place = 1, count do fields[place + 1] = 'a' .. ARGV[3 + place * 5] end
local lost = begin(fields)
if lost then return lost end
if ARGV[7] ~= '' and at > tonumber(ARGV[7]) then return { 'stale', at } end
if at >= header[NEXT_DUE] then sweep() end

local record = raw[field]
if record then
  local state, expiresAt = struct.unpack('<c1d', record)
  if state == OPEN_STATE and isSame(holdsOf(record), 8, count) then
    return { 'held', at, expiresAt, finish(false), false, (struct.unpack('<d', record, 10)) }
  end
  finish(true)
  return { 'mismatch', at, RESOLUTIONS[state] or false }
end

local asked, refusals, isDenied, holds, expiresAt = {}, {}, false, {}, at + ttl
for place = 1, count do
  local key, amount, id, way, terms = unpack(ARGV, 3 + place * 5, 7 + place * 5)
  local known = open(key, id, way, terms)
  if not known then return { 'stale', at } end
  local requested = tonumber(amount)
  local taken = known[COMMITTED] + known[HELD] + known[CARRIED]
  if taken >= known[GATE] or taken + requested > known[GATE] then
    refusals[#refusals + 1] = refusalOf(place - 1, known, known, requested, 0)
    isDenied = isDenied or sub(way, 2, 2) ~= 's'
    known[DENIED] = known[DENIED] + 1
    save(known)
  end
  local kind = sub(way, 1, 1)
  local serial = payerOf(known, kind, way, expiresAt)
  if not serial then return { 'stale', at } end
  asked[place], holds[place] = known, { key, amount, amount, kind, serial }
end
if isDenied or ttl == 0 then return { 'denied', at, refusals, finish(false) } end

for place, known in ipairs(asked) do hold(known, holds[place][4], tonumber(holds[place][2]), 1) end
put(field, openRecord(expiresAt, at, holds))
due(field, expiresAt)
return { 'held', at, expiresAt, finish(false), refusals[1] and refusals }
