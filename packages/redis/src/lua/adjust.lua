-- Changes an account by hand.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id     ARGV[6] key     ARGV[7] what is said of its terms; of an account that is in another store,
-- of which this one has a part of the charges, `@` and its names
-- ARGV[8] type of the change     ARGV[9] amount or limit, or empty     ARGV[10] until, or empty
-- ARGV[11] the change, as JSON   ARGV[12] details, as JSON
-- then of a correction: ARGV[13] ids that the reservation may have, a line each, and for each charge: key, window,
-- slot or nothing, amount
--
-- 'adjusted' or 'repeated', time, limit, whether it is blocked, committed, held, denials, what was rolled
-- over, notices
-- 'too-much', time, what the top-ups of the window come to already
-- 'stale', time
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
local id, key = ARGV[5], ARGV[6]
local lost = begin({ 'j' .. id, 'a' .. key })
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
local isHere = sub(ARGV[7], 1, 1) ~= '@'
local known = isHere and windows().open(key, termsIn(ARGV[7]))
if isHere and not known then return { 'stale', at } end
local w, cold = windows(), isHere and windows().coldOf(known) or {}
local window, amount, untilTime = cold.window, tonumber(ARGV[9]), tonumber(ARGV[10])
local charged = {}

-- No amount may be more.
local MOST = 9000000000000000

-- Charges that bring settled spend to 0, oldest slot first.
local function reset()
  local slots = window.step and { unpack(w.slotsOf(known)) } or { false, known[COMMITTED] }
  for place = 1, #slots, 2 do
    local slot, spent = slots[place], slots[place + 1]
    if spent ~= 0 then
      w.add(known, -spent, slot or nil)
      local slotText = slot and format('%.0f', slot) or 'null'
      charged[#charged + 1] = chargeOf(known, known[WINDOW], slotText, format('%.0f', -spent), '0')
    end
  end
  window.resets = window.resets + 1
end

local function spentIn(holder, slot)
  local slots = w.slotsOf(holder)
  for place = 1, #slots, 2 do
    if slots[place] == slot then return slots[place + 1] end
  end
  return 0
end

-- Adds what an account can take: nothing to a window that is over or a slot that has gone, and no less
-- than what is there.
local function applied(key, name, slot, asked)
  local known = account(key)
  if not known and isDeleted(key) then missing(key) end
  local holder = known and w.named(known, name)
  local window = holder and w.windowOf(holder)
  if not window or window.endsAt and window.endsAt <= at then return end
  if (window.step == nil) ~= (slot == nil) or slot and slot < w.startOf(window) then return end
  w.advance(holder)
  local there = slot and spentIn(holder, slot) or holder[COMMITTED]
  local by = max(asked, -max(0, there))
  if by == 0 then return end
  charges().book(known, holder, by, HUGE, slot)
  local slotText = slot and format('%.0f', slot) or 'null'
  charged[#charged + 1] = chargeOf(known, name, slotText, format('%.0f', by), '0')
end

local function correct()
  for id in string.gmatch(ARGV[13], '[^\n]+') do
    local field = 'r' .. id
    local record = get(field)
    -- The last word on the call: no late settlement is awaited any more.
    if record and sub(record, 1, 1) == EXPIRED then
      put(field, sub(record, 1, 9) .. cmsgpack.pack({}))
    end
  end
  for place = 14, #ARGV, 4 do
    applied(ARGV[place], ARGV[place + 1], tonumber(ARGV[place + 2]), tonumber(ARGV[place + 3]))
  end
end

local changes = {
  ['top-up'] = function() window.added = window.added + amount end,
  limit = function() cold.set = { to = amount, till = untilTime } end,
  ['limit-add'] = function() cold.raised = { by = amount, till = untilTime } end,
  block = function() cold.isBlocked = true end,
  unblock = function() cold.isBlocked = nil end,
  reset = reset,
  correction = correct,
}

local isRepeated = raw['j' .. id]
if not isRepeated and ARGV[8] == 'top-up' and window.added + amount > MOST then
  finish(true)
  return { 'too-much', at, window.added }
end
if not isRepeated then
  changes[ARGV[8]]()
  put('j' .. id, '1')
  due('j' .. id, at + w.remembered())
  enter('adjustment', id, '[' .. concat(charged, ',') .. ']', 'account', key, 'names',
    isHere and known[NAMES] or sub(ARGV[7], 2), 'change', ARGV[11], 'details', ARGV[12])
  if isHere then
    cold.used = true
    w.refresh(known)
    save(known)
  end
end
if not isHere then return { isRepeated and 'repeated' or 'adjusted', at, false, finish(false) } end
local limit = w.limitOf(known, window)
local reading = {
  limit ~= HUGE and limit or false, w.isBlocked(known) and 1 or 0,
  known[COMMITTED], known[HELD] + known[CARRIED], max(known[DENIED] - dayTally(), 0),
  w.rolledInto(known, window),
}
return { isRepeated and 'repeated' or 'adjusted', at, reading, finish(false) }
