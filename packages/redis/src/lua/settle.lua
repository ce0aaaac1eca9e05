-- Ends a reservation at what it cost; one that has expired is corrected to that.
--
-- Runs when the server is full, too.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] field of the reservation     ARGV[6] id, outcome and details, as JSON
-- ARGV[7] how many amounts; then the fields of their accounts, and all amounts or `hold`s; then pairs of
-- accounts whose holds go along, and the spans of their windows
--
-- time and charges as JSON, in one text, where it is settled, and nothing else is to be told
-- 'settled' or 'late', time, charges as JSON, overshoot as key, amount, key, amount …, notices
-- 'ended', time, how, notices        'never', time, notices
-- 'stale', time, key, terms, key, terms …
--@include layout
--@include plain-settle
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
--@include claims
local field, count, asked, ways = ARGV[5], tonumber(ARGV[7]), {}, {}
for place = 8, 7 + count do
  local amount = ARGV[place + count]
  if amount ~= 'hold' then asked[sub(ARGV[place], 2)] = amount end
end
for place = 8 + count * 2, #ARGV, 2 do ways[ARGV[place]] = ARGV[place + 1] end
local lost = begin({ field, unpack(ARGV, 8, 7 + count) })
if lost then return lost end
if at >= header[NEXT_DUE] then sweep(field, true) end

local record = raw[field]
local state = record and sub(record, 1, 1)
if state == EXPIRED then
  -- Nobody waits for it any more, be it that it was not looked at yet: its accounts may be forgotten.
  local _, expiredAt = unpacked('<c1d', record)
  if at >= expiredAt + string.match(ARGV[4], ' (%d+) ') then record, state = nil, nil end
end
local charged, overshoot, stale = {}, {}, { 'stale', at }

-- Charges an amount, in one step where no threshold and no limit comes near.
local function charge(known, holder, kind, amount, held, slot)
  local isPlain = kind == 'o' and holder == known and at < known[TILL] and amount <= held
  if isPlain and known[COMMITTED] + amount < known[ALARM] then
    known[COMMITTED] = known[COMMITTED] + amount
    return
  end
  local above = charges().book(known, holder, amount, held, slot)
  if above then overshoot[#overshoot + 1], overshoot[#overshoot + 2] = known[KEY], above end
end

local function settle(each, admittedAt)
  local key, held, _, flag, serial = unpack(each)
  local known, kind, amount = account(key), string.lower(flag), asked[key] or held
  local holder, slot = known, nil
  if kind == 'o' then
    holder = windows().find(known, serial) or known
  else
    local now = open(key, known[TERMS_ID], ways[key] or '', '')
    if not now then
      stale[#stale + 1], stale[#stale + 2] = key, known[TERMS]
      return 'stale'
    end
    slot = windows().slotAt(windows().windowOf(known), kind == 'l' and admittedAt or at)
  end
  hold(known, flag, -tonumber(held), -1, holder)
  charge(known, holder, kind, tonumber(amount), tonumber(held), slot)
  return chargeOf(known, holder[WINDOW], slot and format('%.0f', slot) or 'null', amount, held)
end

-- What expiry charged is replaced. A reset has given that back, and cannot do so again.
local function correct(each)
  local key, held, before, serial, name, slot, resets, names = unpack(each)
  local found = account(key)
  -- Whether a reset has given it back is not known until there is a record again.
  if not found and isDeleted(key) then missing(key) end
  local known = found or { [KEY] = key, [NAMES] = names }
  -- One that was made anew from the ledger has another serial.
  -- What is left of the windows of an account that was forgotten counts nowhere.
  local holder = found and (windows().find(found, serial) or windows().named(found, name))
  holder = holder or charges().forgotten(known, name)
  local amount = tonumber(asked[key] or held) - tonumber(before)
  if windows().windowOf(holder).resets ~= resets and not windows().windowOf(holder).isPart then
    amount = max(0, amount)
  end
  charge(known, holder, 'x', amount, 0, tonumber(slot))
  return chargeOf(known, name, slot, format('%.0f', amount), '0')
end

if state == OPEN_STATE then
  local _, _, admittedAt = unpacked('<c1dd', record)
  for place, each in ipairs(holdsThere(record)) do charged[place] = settle(each, admittedAt) end
elseif state == EXPIRED then
  for place, each in ipairs(cmsgpack.unpack(sub(record, 10))) do charged[place] = correct(each) end
end
if stale[3] then return stale end
if state ~= OPEN_STATE and not charged[1] then return ended(record) end

local list = '[' .. concat(charged, ',') .. ']'
local above = {}
for place, part in ipairs(overshoot) do
  above[place] = type(part) == 'number' and format('%.0f', part) or '"' .. part .. '"'
end
local kind = state == EXPIRED and 'correction' or 'settlement'
local overshot = '[' .. concat(above, ',') .. ']'
enter(kind, ARGV[6], list, 'overshoot', overshot)
put(field, endedRecord(SETTLED))
return { state == EXPIRED and 'late' or 'settled', at, list, overshot, finish(false) }
