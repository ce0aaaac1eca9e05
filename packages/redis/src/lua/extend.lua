-- Changes what an open reservation holds to new totals, all or none, and gives it a new life.
--
-- ARGV[5] id     ARGV[6] ms until it expires; 0 asks who would refuse, and changes nothing
-- ARGV[7] how many accounts follow
-- for each of them as in reserve; then pairs of other accounts it holds, and the same for them
--
-- 'extended', time, expiry, notices, refusals of accounts that refuse nothing
-- 'denied', time, refusals, notices
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
  local key, amount, id, way, terms = unpack(ARGV, 3 + place * 5, 7 + place * 5)
  fields[place + 1], ways[key] = 'a' .. key, way
  claims[place] = { key, amount, id, way, terms }
end
for place = 8 + count * 5, #ARGV, 2 do ways[ARGV[place]] = ARGV[place + 1] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end

local record = raw[field]
if not record or sub(record, 1, 1) ~= OPEN_STATE then return ended(record) end
local _, _, admittedAt = struct.unpack('<c1dd', record)
local holds, byKey, expiresAt = holdsOf(record), {}, at + ttl
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
    claim.holder = windows().find(known, held[5])
  elseif not open(key, id, way, terms) then
    staleAt(known)
  end
  if requested > own then
    local isKnown = known[TERMS_ID] == id
    if not isKnown and terms == '' then return { 'stale', at } end
    local terms = windows().termsOf(isKnown and known[TERMS] or terms)
    local refusal = refusalOf(place - 1, known, claim.holder, requested, own, terms)
    refusals[#refusals + 1] = refusal
    isDenied = isDenied or refusal and sub(way, 2, 2) ~= 's'
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
if isDenied or ttl == 0 then return { 'denied', at, refusals, finish(false) } end

for _, claim in ipairs(claims) do
  local held = byKey[claim[1]]
  hold(claim.known, held[4], claim.by, 0, claim.holder)
  held[2] = claim[2]
end
put(field, openRecord(expiresAt, admittedAt, holds))
due(field, expiresAt)
return { 'extended', at, expiresAt, finish(false), refusals[1] and refusals }
