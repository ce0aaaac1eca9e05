-- Holds amounts on all accounts of a call, or on none.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] field of the reservation     ARGV[6] ms until it expires; 0 asks who would refuse, and holds nothing
-- ARGV[7] time after which nobody waits for the answer, or empty     ARGV[8] how many accounts
-- then the fields of all accounts, all amounts, and what is said of the terms of all accounts
--
-- time alone where it is held, until `ms until it expires` later, and nothing else is to be told
-- 'held', time, expiry, notices, refusals of accounts that refuse nothing
-- 'again', time, expiry, notices, time of the first: it is held already
-- 'denied', time, '', notices, refusals: each is nine values of this list
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
local field, ttl, count = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[8])
local lost = begin({ field, unpack(ARGV, 9, 8 + count) })
if lost then return lost end
if ARGV[7] ~= '' and at > tonumber(ARGV[7]) then return { 'stale', at } end
local isMoreDue = at >= header[NEXT_DUE] and sweep(field, true)

local record = raw[field]
if record then
  local state, expiresAt = unpacked('<c1d', record)
  if state == OPEN_STATE and isSame(holdsOf(record), 9, count) then
    return { 'again', at, expiresAt, finish(false), (unpacked('<d', record, 10)) }
  end
  finish(true)
  return { 'mismatch', at, RESOLUTIONS[state] or false }
end

local asked, holds, refusals, refusing, isDenied, expiresAt = {}, {}, {}, {}, false, at + ttl

-- Whether all accounts can carry it; nothing is changed by that. False where the client has to say more.
local function decide()
  refusals, refusing, isDenied = {}, {}, false
  for place = 1, count do
    local key, amount = sub(ARGV[8 + place], 2), ARGV[8 + count + place]
    local id, way, terms = termsIn(ARGV[8 + count * 2 + place])
    local known = open(key, id, way, terms)
    if not known then return false end
    local requested = tonumber(amount)
    local taken = known[COMMITTED] + known[HELD] + known[CARRIED]
    if taken >= known[GATE] or taken + requested > known[GATE] then
      refuse(refusals, refusalOf(place - 1, known, known, requested, 0))
      refusing[#refusing + 1] = known
      isDenied = isDenied or sub(id, 2, 2) ~= 's'
    end
    local kind = sub(id, 1, 1)
    local serial = payerOf(known, kind, way, expiresAt)
    if not serial then return false end
    asked[place], holds[place] = known, { key, amount, amount, kind, serial }
  end
  return true
end

if not decide() then return { 'stale', at } end
-- Nobody is refused for what is only held because it was not looked at yet.
if isDenied and isMoreDue then
  sweep(nil, false, SWEEP_LIMIT - FEW)
  if not decide() then return { 'stale', at } end
end
for _, known in ipairs(refusing) do
  known[DENIED] = max(known[DENIED], dayTally()) + 1
  save(known)
end
if isDenied or ttl == 0 then return { 'denied', at, '', finish(false), unpack(refusals) } end

for place, known in ipairs(asked) do hold(known, holds[place][4], tonumber(holds[place][2]), 1) end
put(field, openRecord(expiresAt, at, holds))
enqueue({ field }, expiresAt)
return { 'held', at, expiresAt, finish(false), unpack(refusals) }
