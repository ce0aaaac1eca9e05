-- Changes an account by hand.
--
-- ARGV[5] id     ARGV[6] key     ARGV[7] to ARGV[9] what stands for its terms, way, terms; of an account that is
-- in another store, of which this one has a part of the charges, nothing, nothing, and its names
-- ARGV[10] type of the change     ARGV[11] amount or limit, or empty     ARGV[12] until, or empty
-- ARGV[13] the change, as JSON   ARGV[14] details, as JSON
-- then of a correction: ids that the reservation may have, a line each, and for each charge: key, window,
-- slot or nothing, amount
--
-- 'adjusted' or 'repeated', time, limit, whether it is blocked, committed, held, denials, what was rolled
-- over, notices
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
local isHere = ARGV[8] ~= ''
local known = isHere and windows().open(key, ARGV[7], ARGV[8], ARGV[9])
if isHere and not known then return { 'stale', at } end
local w, cold = windows(), isHere and windows().coldOf(known) or {}
local window, amount, untilTime = cold.window, tonumber(ARGV[11]), tonumber(ARGV[12])
local charged = {}

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
  local holder = known and w.named(known, name)
  local window = holder and w.windowOf(holder)
  if not window or window.endsAt and window.endsAt <= at then return end
  if (window.step == nil) ~= (slot == nil) or slot and slot < w.startOf(window) then return end
  w.advance(holder)
  local there = slot and spentIn(holder, slot) or holder[COMMITTED]
  local by = math.max(asked, -math.max(0, there))
  if by == 0 then return end
  charges().book(known, holder, by, HUGE, slot)
  local slotText = slot and format('%.0f', slot) or 'null'
  charged[#charged + 1] = chargeOf(known, name, slotText, format('%.0f', by), '0')
end

local function correct()
  for id in string.gmatch(ARGV[15], '[^\n]+') do
    local field = 'r' .. id
    local record = get(field)
    -- The last word on the call: no late settlement is awaited any more.
    if record and sub(record, 1, 1) == EXPIRED then
      put(field, sub(record, 1, 9) .. cmsgpack.pack({}))
    end
  end
  for place = 16, #ARGV, 4 do
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
if not isRepeated then
  changes[ARGV[10]]()
  put('j' .. id, '1')
  due('j' .. id, at + w.remembered())
  enter('adjustment', id, '[' .. concat(charged, ',') .. ']', 'account', key, 'names',
    isHere and known[NAMES] or ARGV[9], 'change', ARGV[13], 'details', ARGV[14])
  if isHere then
    w.refresh(known)
    save(known)
  end
end
if not isHere then return { isRepeated and 'repeated' or 'adjusted', at, false, finish(false) } end
local limit = w.limitOf(known, window)
local reading = {
  limit ~= HUGE and limit or false, w.isBlocked(known) and 1 or 0,
  known[COMMITTED], known[HELD] + known[CARRIED], known[DENIED], w.rolledInto(known, window),
}
return { isRepeated and 'repeated' or 'adjusted', at, reading, finish(false) }
