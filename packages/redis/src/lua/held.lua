-- Compares what is held with the open reservations, all of them in one step: about a millisecond for
-- each thousand of them.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] 'repair' to set what is wrong     ARGV[6] 'parts' where ids begin with the place of a part: those of a
--                                          call are one reservation
--
-- 'held', time, accounts, entries, reservations, differences: key, name, counter, expected
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
local lost = begin({})
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end

local holders, fixed, carried, opened = {}, {}, {}, {}
local accountCount, reservationCount = 0, 0
local w = windows()

local function count(field, record)
  local isFirst = ARGV[6] ~= 'parts' or sub(field, 2, 2) == '1'
  reservationCount = reservationCount + (isFirst and 1 or 0)
  for _, each in ipairs(holdsOf(record)) do
    local key, amount, _, kind, serial = unpack(each)
    local sums, place = carried, key
    if kind == 'o' or kind == 'O' then sums, place = fixed, serial end
    sums[place] = (sums[place] or 0) + tonumber(amount)
    opened[key] = (opened[key] or 0) + 1
  end
end

local seen, cursor = {}, '0'
local function look(field)
  if seen[field] then return end
  seen[field] = true
  local kind, value = sub(field, 1, 1), raw[field]
  if kind == 'r' and value and sub(value, 1, 1) == OPEN_STATE then count(field, value) end
  if kind == 'a' and value then
    accountCount = accountCount + 1
    holders[#holders + 1] = account(sub(field, 2))
  end
  if kind == 'w' and value then holders[#holders + 1] = w.otherOf(sub(field, 2)) end
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
  if ARGV[5] ~= 'repair' then return end
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
    if ARGV[5] == 'repair' then holder[OPEN] = opened[holder[KEY]] or 0 end
  end
end
local entryCount = header[ENTRIES]
finish(true)
return { 'held', at, accountCount, entryCount, reservationCount, differences }
