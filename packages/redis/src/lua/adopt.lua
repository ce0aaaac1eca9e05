-- Makes reservations of their own of calls that were drawn from leases. Where a lease has expired, so has the
-- call, and what expiry charged for the lease is charged for the call instead.
--
-- Runs when the server is full, too.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] how many calls; for each of them: field, expiry, time of its admission, how many accounts; and for each
-- of those: field of the lease, what the call holds, what it was first asked for
--
-- 'adopted', time, notices, for each call a letter: how it is known, or `-` where nothing of it is
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include claims
--@include leases
local from, places, fields = 6, {}, { 'q' }
for place = 1, ARGV[5] + 0 do
  places[place], fields[#fields + 1] = from, ARGV[from]
  for part = from + 4, from + 1 + ARGV[from + 3] * 3, 3 do fields[#fields + 1] = ARGV[part] end
  from = from + 4 + ARGV[from + 3] * 3
end
local lost = begin(fields)
if lost then return lost end

local awaited = tonumber(string.match(ARGV[4], '^%d+ (%d+)'))
local open, earliest = {}, HUGE

local function partsOf(from)
  local parts, isOpen = {}, true
  for part = from + 4, from + 1 + ARGV[from + 3] * 3, 3 do
    local lease = leaseOf(ARGV[part])
    if lease.state ~= OPEN_STATE and lease.state ~= EXPIRED then return nil end
    isOpen = isOpen and lease.state == OPEN_STATE
    parts[#parts + 1] = { lease, ARGV[part + 1], ARGV[part + 2] }
  end
  return parts, isOpen
end

local function keepOpen(field, expiresAt, admittedAt, parts)
  local holds = {}
  for place, part in ipairs(parts) do
    local lease, amount, reserved = unpack(part)
    local taken = takeOf(lease, tonumber(amount))
    hold(lease.known, lease.kind, tonumber(amount) - taken, 1, lease.holder)
    holds[place] = { lease.key, amount, reserved, lease.kind, lease.serial }
  end
  put(field, openRecord(expiresAt, admittedAt, holds))
  open[#open + 1], earliest = field, math.min(earliest, expiresAt)
  return OPEN_STATE
end

-- Has a part expire of which the lease has not: gives its charge, and what a late settlement needs of it.
local function expirePart(lease, amount)
  local held = tonumber(amount)
  local charged = string.lower(lease.kind) == lease.kind and amount or '0'
  hold(lease.known, lease.kind, -takeOf(lease, held), 0, lease.holder)
  chargeLeased(lease, tonumber(charged), held)
  local known, holder = lease.known, lease.holder
  return chargeOf(known, holder[WINDOW], 'null', charged, amount), {
    lease.key, amount, charged, holder[SERIAL], holder[WINDOW], 'null', windows().windowOf(holder).resets, known[NAMES],
  }
end

-- The same of a part that has expired with its lease.
local function inheritPart(lease, amount)
  local await = lease.awaits[1]
  local key, held, before, serial, name, slot, resets, names = unpack(await)
  local charged = math.min(tonumber(amount), tonumber(before))
  await[2] = format('%.0f', math.max(0, tonumber(held) - tonumber(amount)))
  await[3] = format('%.0f', tonumber(before) - charged)
  lease.isChanged = true
  local known, text = { [KEY] = key, [NAMES] = names }, format('%.0f', charged)
  local back = '{"of":"' .. sub(lease.field, 2) .. '","outcome":"unknown","details":{}}'
  enter('correction', back, '[' .. chargeOf(known, name, slot, format('%.0f', -charged), '0') .. ']')
  return chargeOf(known, name, slot, text, amount), { key, amount, text, serial, name, slot, resets, names }
end

local function expireWith(field, parts)
  local charged, awaits = {}, {}
  for place, part in ipairs(parts) do
    local lease, amount = part[1], part[2]
    local take = lease.state == OPEN_STATE and expirePart or inheritPart
    charged[place], awaits[place] = take(lease, amount)
  end
  writeExpiry(field, charged, awaits, awaited)
  return EXPIRED
end

local letters = {}
for place, from in ipairs(places) do
  local field, record = ARGV[from], raw[ARGV[from]]
  local parts, isOpen
  if not record then parts, isOpen = partsOf(from) end
  if record then
    letters[place] = sub(record, 1, 1)
  elseif not parts then
    letters[place] = '-'
  elseif isOpen then
    letters[place] = keepOpen(field, tonumber(ARGV[from + 1]), tonumber(ARGV[from + 2]), parts)
  else
    letters[place] = expireWith(field, parts)
  end
end
if open[1] then enqueue(open, earliest) end
putLeases()
return { 'adopted', at, finish(false), concat(letters) }
