-- Changes what an open reservation holds to new totals, all or none, and gives it a new life.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id     ARGV[6] ms until it expires; 0 asks who would refuse, and changes nothing
-- ARGV[7] how many accounts follow
-- for each of them: key, amount, and what is said of its terms; then pairs of other accounts it holds,
-- and the spans of their windows, now and when it would expire
--
-- 'extended', time, expiry, notices, refusals of accounts that refuse nothing, as in reserve
-- 'denied', time, '', notices, refusals
-- 'ended', time, how, notices        'never', time, notices
-- 'mismatch', time                   'stale', time, key, terms, key, terms …
--@include layout
--@include store
--@include windows
--@include refusals
--@include charges
--@include reservations
--@include sweep
--@include claims
local field, ttl, count = 'r' .. ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local fields, ways, claims = { field }, {}, {}
for place = 1, count do
  local key, amount, text = unpack(ARGV, 5 + place * 3, 7 + place * 3)
  local id, way, terms = termsIn(text)
  fields[place + 1], ways[key] = 'a' .. key, way
  claims[place] = { key, amount, id, way, terms }
end
for place = 8 + count * 3, #ARGV, 2 do ways[ARGV[place]] = ARGV[place + 1] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep(field) end

local record = raw[field]
if not record or sub(record, 1, 1) ~= OPEN_STATE then return ended(record) end
local _, before, admittedAt = unpacked('<c1dd', record)
local holds, byKey, expiresAt = holdsThere(record), {}, at + ttl
for _, each in ipairs(holds) do byKey[each[1]] = each end

local refusals, isDenied, stale = {}, false, { 'stale', at }
local function isOwn(kind) return kind == 'o' or kind == 'O' end
local function staleAt(known)
  stale[#stale + 1], stale[#stale + 2] = known[KEY], known[TERMS]
end

for place, claim in ipairs(claims) do
  local key, amount, id, way, terms = unpack(claim)
  local held = byKey[key]
  if not held then
    finish(true)
    return { 'mismatch', at }
  end
  local known, requested, own = account(key), tonumber(amount), tonumber(held[2])
  claim.known, claim.holder, claim.by = known, known, requested - own
  if isOwn(held[4]) then
    claim.holder = windows().find(known, held[5]) or known
    held[5] = claim.holder[SERIAL]
  elseif not open(key, id, way, terms) then
    staleAt(known)
  end
  if requested > own then
    local isKnown = known[TERMS_ID] == id
    if not isKnown and terms == '' then return { 'stale', at } end
    local terms = windows().termsOf(isKnown and known[TERMS] or terms)
    local refusal = refusalOf(place - 1, known, claim.holder, requested, own, terms)
    refuse(refusals, refusal)
    isDenied = isDenied or refusal and sub(id, 2, 2) ~= 's'
  end
end
for _, each in ipairs(holds) do
  local known = account(each[1])
  if each[4] == 'c' or each[4] == 'C' then
    each[5] = payerOf(known, each[4], ways[each[1]] or '', expiresAt)
    if not each[5] then staleAt(known) end
  end
end
if stale[3] then return stale end
if isDenied or ttl == 0 then return { 'denied', at, '', finish(false), unpack(refusals) } end

for _, claim in ipairs(claims) do
  local held = byKey[claim[1]]
  hold(claim.known, held[4], claim.by, 0, claim.holder)
  held[2] = claim[2]
end
put(field, openRecord(expiresAt, admittedAt, holds))
-- Where it is looked at too early, it is looked at again.
if expiresAt < before then due(field, expiresAt) end
return { 'extended', at, expiresAt, finish(false), unpack(refusals) }
