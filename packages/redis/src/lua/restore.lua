-- Sets what is settled in a window to what the ledger adds up to.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the last entry that the caller has     ARGV[6] field of the window, as of a proof
-- ARGV[7] settled spend of a window without slots; then pairs of slots and amounts, oldest first
--
-- 'restored', time
-- 'stale', time: there are more entries, or the window has gone
--@include layout
--@include store
--@include windows
local field = ARGV[6]
local lost = begin({ field })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
local isWhole = (last and last[1] or '0-0') == ARGV[5]
if not isWhole or not raw[field] then return { 'stale', at } end

local w = windows()
local known = account(sub(field, 2))
local holder = known or w.otherOf(sub(field, 2))
holder[COMMITTED] = tonumber(ARGV[7])
local slots = {}
for place = 8, #ARGV do slots[place - 7] = tonumber(ARGV[place]) end
for place = 2, #slots, 2 do holder[COMMITTED] = holder[COMMITTED] + slots[place] end
if w.windowOf(holder).step then w.setSlots(holder, slots) end
local owner = known or account(holder[KEY])
if owner then
  w.refresh(owner)
  save(owner)
end
save(holder)
finish(true)
return { 'restored', at }
