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
local function holdsOf(record)
  local holds, place = {}, 18
  while place <= #record do
    local key, amount, reserved, kind, serial, after = unpacked('<sssss', record, place)
    holds[#holds + 1] = { sub(key, 2), amount, reserved == '' and amount or reserved, kind, serial }
    place = after
  end
  return holds
end

local function openRecord(expiresAt, admittedAt, holds)
  local parts = { OPEN_STATE .. packed('<dd', expiresAt, admittedAt) }
  for place, hold in ipairs(holds) do
    local reserved = hold[3] == hold[2] and '' or hold[3]
    parts[place + 1] = packed('<sssss', 'a' .. hold[1], hold[2], reserved, hold[4], hold[5])
  end
  return concat(parts)
end

-- How a reservation ended, for one that is not open.
local function ended(record)
  if not record then return { 'never', at, finish(false) } end
  return { 'ended', at, RESOLUTIONS[sub(record, 1, 1)], finish(false) }
end

local function endedRecord(state)
  return state .. packed('<d', at)
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
