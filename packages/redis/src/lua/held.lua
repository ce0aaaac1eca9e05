-- Compares what is held with the open reservations, all of them in one step: about a millisecond for
-- each thousand of them.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] 'repair' to set what is wrong     ARGV[6] 'parts' where ids begin with the place of a part: those of a
--                                          call are one reservation
--
-- 'held', time, accounts, entries, reservations, differences: key, name, counter, expected; those of accounts
-- without a record have no name; and windows with holds whose record was deleted, as in a proof
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
local lost = begin({})
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end

local isRepair = ARGV[5] == 'repair'
local holders, fixed, carried, opened, nowhere = {}, {}, {}, {}, {}
local accountCount, reservationCount = 0, 0
local serials, sums, ends, listed, remade, w = {}, {}, {}, {}, {}, windows()

-- The window of a hold. One of which the record was deleted is made anew, where its name is known.
local function windowOf(known, serial)
  local found = w.find(known, serial)
  for _, past in ipairs(not found and w.coldOf(known).past or {}) do
    if past[2] == serial then
      found = w.remake(known, serial, past[1], at)
      holders[#holders + 1], serials[serial] = found, true
      remade[#remade + 1] = { { 'w' .. serial, known[KEY], past[1] }, 0, false, (w.foldedOf(serial)), {}, 0 }
      if isRepair then save(found) end
    end
  end
  return found
end

-- Where a hold counts: its sums, and the place in them.
local function placeOf(each)
  local key, kind, serial = each[1], each[4], each[5]
  local known = account(key)
  if not known then nowhere[key] = nowhere[key] or 0 end
  local isFixed = kind == 'o' or kind == 'O'
  if not known and not (isFixed and w.otherOf(serial)) then return nowhere, key end
  if not isFixed then return carried, key end
  if not known then return fixed, serial end
  -- A hold of nothing may outlive its window.
  return fixed, (each[2] == '0' or windowOf(known, serial)) and serial or known[SERIAL]
end

local function count(field, record)
  local isCounted = ARGV[6] ~= 'parts' or sub(field, 2, 2) == '1'
  local _, expiresAt, admittedAt = unpacked('<c1dd', record)
  local holds, isMended = holdsOf(record), false
  ends[field] = expiresAt
  for _, each in ipairs(holds) do
    local sums, place = placeOf(each)
    sums[place] = (sums[place] or 0) + tonumber(each[2])
    opened[each[1]] = (opened[each[1]] or 0) + 1
    -- A lease is no call.
    isCounted = isCounted and sub(each[3], 1, 1) ~= 'v'
    -- Where the window that it names was deleted, the current one pays.
    local known, serial = account(each[1]), each[5]
    local isSerial = each[2] ~= '0' and serial ~= '' and not string.find(serial, '\t', 1, true)
    if known and isSerial and not w.find(known, serial) then each[5], isMended = known[SERIAL], true end
  end
  reservationCount = reservationCount + (isCounted and 1 or 0)
  if isRepair and isMended then put(field, openRecord(expiresAt, admittedAt, holds)) end
end

local seen, cursor = {}, '0'
local function look(field)
  if seen[field] then return end
  seen[field] = true
  local kind, value = sub(field, 1, 1), raw[field]
  if not value then return end
  if kind == 'r' and sub(value, 1, 1) == OPEN_STATE then count(field, value) end
  if kind == 'q' then for member in string.gmatch(value, '[^\n]+') do listed[member] = true end end
  if kind == 's' or kind == 'f' then sums[#sums + 1] = field end
  local holder = kind == 'a' and account(sub(field, 2)) or kind == 'w' and w.otherOf(sub(field, 2))
  if not holder then return end
  if kind == 'a' then accountCount = accountCount + 1 end
  holders[#holders + 1] = holder
  serials[holder[SERIAL]] = true
end
repeat
  local page = call('HSCAN', BOOKS, cursor, 'COUNT', 1000)
  cursor = page[1]
  for place = 1, #page[2], 2 do
    local field = page[2][place]
    -- What is due has been changed above, and is not written yet.
    if raw[field] == nil then raw[field] = page[2][place + 1] end
    look(field)
  end
until cursor == '0'

local differences = {}
local function compare(holder, place, expected)
  local counter = holder[place]
  if counter == expected then return end
  differences[#differences + 1] = { holder[KEY], holder[WINDOW], counter, expected }
  if not isRepair then return end
  holder[place] = expected
  save(holder)
  local owner = account(holder[KEY])
  if owner then
    w.refresh(owner)
    save(owner)
  end
end
for _, holder in ipairs(holders) do
  compare(holder, HELD, fixed[holder[SERIAL]] or 0)
  if not holder[IS_OTHER] then
    compare(holder, CARRIED, carried[holder[KEY]] or 0)
    local count = opened[holder[KEY]] or 0
    if isRepair and holder[OPEN] ~= count then
      holder[OPEN] = count
      save(holder)
    end
  end
end
-- Accounts that are listed, and have no record.
local from, page = 0, nil
repeat
  page = call('ZRANGE', DUE, from, from + 999)
  for _, field in ipairs(page) do
    local key = sub(field, 2)
    if sub(field, 1, 1) == 'a' and not account(key) and isDeleted(key) then nowhere[key] = nowhere[key] or 0 end
  end
  from = from + 1000
until #page < 1000
for key, expected in pairs(nowhere) do differences[#differences + 1] = { key, '', 0, expected } end

-- A window that its account does not know.
local function link(other)
  local owner = account(other[KEY])
  if not owner or w.named(owner, other[WINDOW]) then return end
  local past = w.coldOf(owner).past
  past[#past + 1] = { other[WINDOW], other[SERIAL], at + w.remembered() }
  save(owner)
end

if isRepair then
  for _, holder in ipairs(holders) do
    if holder[IS_OTHER] then link(holder) end
  end
  -- What nobody would look at once it is due.
  for field in pairs(seen) do
    local isListed = listed[field] or not string.find(field, '^[arwj]') and not string.find(field, '^q.')
    if raw[field] and not isListed and not call('ZSCORE', DUE, field) then
      due(field, ends[field] or at + w.remembered())
    end
  end
  if not call('ZSCORE', DUE, 'end') then
    scores[#scores + 1], scores[#scores + 2], header[TOUCH_AT] = '+inf', 'end', 0
  end
  -- What is left of windows that were deleted.
  for _, field in ipairs(next(nowhere) and {} or sums) do
    if not serials[sub(field, 2)] then deletes[#deletes + 1] = field end
  end
end
local entryCount = header[ENTRIES]
finish(true)
return { 'held', at, accountCount, entryCount, reservationCount, differences, remade }
