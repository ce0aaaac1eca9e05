-- Makes an account anew of which the ledger alone is left, in the window that it was last charged in. What
-- was set by hand is in force again, but for top-ups, of whose window the ledger says nothing.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the last entry that the caller has     ARGV[6] key     ARGV[7] names     ARGV[8] window
-- ARGV[9] `b` where it is blocked     ARGV[10] and ARGV[11] limit that was set, or `none`, and until when
-- ARGV[12] and ARGV[13] by how much the limit was raised, and until when; empty where it was not
-- ARGV[14] settled spend without slots; then pairs of slots and amounts, oldest first
--
-- 'revived', time
-- 'stale', time: there are more entries     'there', time: there is the account
--@include layout
--@include store
--@include windows
local key = ARGV[6]
local lost = begin({ 'a' .. key })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if raw['a' .. key] then return { 'there', at } end
if not last or last[1] ~= ARGV[5] then return { 'stale', at } end

-- Seven lines without terms: those of the next call take their place.
local terms = ARGV[7] .. '\n\n\n\n\n\n'
local known = windows().open(key, '', '\t\t' .. ARGV[8], terms)
local cold = windows().coldOf(known)
cold.window.isRevived = true
cold.isBlocked = ARGV[9] ~= '' or nil
if ARGV[10] ~= '' then cold.set = { to = tonumber(ARGV[10]), till = tonumber(ARGV[11]) } end
if ARGV[12] ~= '' then cold.raised = { by = tonumber(ARGV[12]), till = tonumber(ARGV[13]) } end
local slots = {}
for place = 15, #ARGV do slots[place - 14] = tonumber(ARGV[place]) end
known[COMMITTED] = tonumber(ARGV[14])
for place = 2, #slots, 2 do known[COMMITTED] = known[COMMITTED] + slots[place] end
if slots[1] then windows().setSlots(known, slots) end
save(known)
finish(true)
return { 'revived', at }
