-- Reservations. An open one is its expiry, the time of its admission and its holds; an ended one says
-- how and when it ended; an expired one still has its holds, for a late settlement.
local OPEN_STATE, SETTLED, RELEASED, EXPIRED = 'o', 's', 'l', 'x'
local RESOLUTIONS = { s = 'settled', l = 'released', x = 'expired' }

-- A hold, each part a text: field of the account, amount, amount that was first asked for where that is
-- another, how it is to be charged, and the serial of the window that pays where that is fixed. Else
-- it goes along with the account, and this is the window in which it would expire: its serial, or its
-- span.
--   o  fixed by the reservation
--   l  rolling, in the slot of the reservation    p  rolling, in the slot of the settlement
--   c  the window of the settlement
-- Upper case: released by expiry, not charged.
--
-- What many reservations have in common comes first, on three lines for each hold: account, how it is
-- charged, and what pays. All amounts follow, and where one of them has grown, those first asked for.
local function holdsOf(record)
  local holds, _, _, _, shape, next = {}, unpacked('<c1dds', record)
  for account, kind, serial in string.gmatch(shape, '([^\n]+)\n([^\n]+)\n([^\n]*)') do
    local amount
    amount, next = unpacked('<s', record, next)
    holds[#holds + 1] = { sub(account, 2), amount, amount, kind, serial }
  end
  if next > #record then return holds end
  for _, hold in ipairs(holds) do hold[3], next = unpacked('<s', record, next) end
  return holds
end

local function openRecord(expiresAt, admittedAt, holds)
  local shape, amounts, reserved, hasGrown = {}, {}, {}, false
  for place, hold in ipairs(holds) do
    shape[place] = 'a' .. hold[1] .. '\n' .. hold[4] .. '\n' .. hold[5]
    amounts[place], reserved[place] = packed('<s', hold[2]), packed('<s', hold[3])
    hasGrown = hasGrown or hold[2] ~= hold[3]
  end
  local record = packed('<c1dds', OPEN_STATE, expiresAt, admittedAt, concat(shape, '\n')) .. concat(amounts)
  return hasGrown and record .. concat(reserved) or record
end

-- How a reservation ended, for one that is not open.
local function ended(record)
  if not record then return { 'never', at, finish(false) } end
  return { 'ended', at, RESOLUTIONS[sub(record, 1, 1)], finish(false) }
end

local function endedRecord(state)
  return state .. packed('<d', at)
end

-- Writes that a reservation has expired: its record, in which a late settlement finds what it replaces, its
-- entry, and the notice.
-- @param awaited for how long, in ms
local function writeExpiry(field, charged, awaits, awaited)
  local id, list = sub(field, 2), '[' .. concat(charged, ',') .. ']'
  put(field, endedRecord(EXPIRED) .. cmsgpack.pack(awaits))
  due(field, at + awaited)
  enter('expiry', id, list)
  notices[#notices + 1] = concat({ '["x","', id, '",', list, ',', format('%.0f', at), ']' })
end

-- True where a repeated reservation asks for exactly what was reserved. Fields of accounts begin at
-- `from`, and amounts follow them.
local function isSame(holds, from, count)
  if #holds ~= count then return false end
  for place = from, from + count - 1 do
    local isHeld, key, amount = false, sub(ARGV[place], 2), ARGV[place + count]
    for _, hold in ipairs(holds) do isHeld = isHeld or hold[1] == key and hold[3] == amount end
    if not isHeld then return false end
  end
  return true
end
