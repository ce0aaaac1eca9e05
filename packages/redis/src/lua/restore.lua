-- Sets what is settled in a window to what the ledger adds up to.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the last entry that the caller has     ARGV[6] field of the window, as of a proof; `w` to make one
-- ARGV[7] key of its account     ARGV[8] its name     ARGV[9] when it is over, or nothing
-- ARGV[10] and ARGV[11] length and step of a rolling one
-- ARGV[12] settled spend of a window without slots; then pairs of slots and amounts, oldest first
--
-- 'restored', time
-- 'stale', time: there are more entries     'gone', time: the window was forgotten
--@include layout
--@include store
--@include windows
local field, key = ARGV[6], ARGV[7]
local lost = begin({ field })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if (last and last[1] or '0-0') ~= ARGV[5] then return { 'stale', at } end

local w, owner, serial = windows(), account(key), sub(field, 2)
local holder = field == 'a' .. key and owner or nil
if sub(field, 1, 1) == 'w' then
  local isKnown = field == 'w'
  if not isKnown then holder = w.otherOf(serial) end
  for _, past in ipairs(owner and w.coldOf(owner).past or {}) do
    isKnown = isKnown or past[2] == serial and past[3] > at
  end
  if not holder and owner and isKnown and (field ~= 'w' or not w.named(owner, ARGV[8])) then
    holder = w.remake(owner, serial, ARGV[8], tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]))
  end
end
if not holder then return { 'gone', at } end
local slots = {}
for place = 13, #ARGV do slots[place - 12] = tonumber(ARGV[place]) end
holder[COMMITTED] = tonumber(ARGV[12])
for place = 2, #slots, 2 do holder[COMMITTED] = holder[COMMITTED] + slots[place] end
if w.windowOf(holder).step then w.setSlots(holder, slots) end
if owner then
  w.refresh(owner)
  save(owner)
end
save(holder)
finish(true)
return { 'restored', at }
