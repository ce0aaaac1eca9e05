-- Makes an account anew of which the ledger alone is left, in the window that it was last charged in.
--
-- ARGV[5] id of the last entry that the caller has     ARGV[6] key     ARGV[7] names     ARGV[8] window
-- ARGV[9] settled spend without slots; then pairs of slots and amounts, oldest first
--
-- 'revived', time
-- 'stale', time: there are more entries, or the account
--@include layout
--@include store
--@include windows
local key = ARGV[6]
local lost = begin({ 'a' .. key })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if raw['a' .. key] or not last or last[1] ~= ARGV[5] then return { 'stale', at } end

-- Seven lines without terms: those of the next call take their place.
local terms = ARGV[7] .. '\n\n\n\n\n\n'
local known = windows().open(key, '', '\t\t' .. ARGV[8], terms)
windows().windowOf(known).isRevived = true
local slots = {}
for place = 10, #ARGV do slots[place - 9] = tonumber(ARGV[place]) end
known[COMMITTED] = tonumber(ARGV[9])
for place = 2, #slots, 2 do known[COMMITTED] = known[COMMITTED] + slots[place] end
if slots[1] then windows().setSlots(known, slots) end
save(known)
finish(true)
return { 'revived', at }
