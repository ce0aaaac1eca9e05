-- Makes the record of an account anew, in the window that it was last charged in as far as that is known.
-- What was set by hand is in force again, but for top-ups, of whose window the ledger says nothing; all
-- of it, and what else seldom matters, where that part of the record is left.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the last entry that the caller has     ARGV[6] key     ARGV[7] names     ARGV[8] window
-- ARGV[9] serial that it had, or nothing     ARGV[10] and ARGV[11] length and step of a rolling window
-- ARGV[12] `b` where it is blocked     ARGV[13] and ARGV[14] limit that was set, or `none`, and until when
-- ARGV[15] and ARGV[16] by how much the limit was raised, and until when; empty where it was not
-- ARGV[17] `r` where it may have been reset since something expired that is awaited, or empty
-- ARGV[18] settled spend without slots; then pairs of slots and amounts, oldest first
--
-- 'revived', time
-- 'stale', time: there are more entries     'there', time: there is the account
--@include layout
--@include store
--@include windows
local key, serial = ARGV[6], ARGV[9]
local lost = begin({ 'a' .. key, 'c' .. key })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if account(key) then return { 'there', at } end
if (last and last[1] or '0-0') ~= ARGV[5] then return { 'stale', at } end

-- Seven lines without terms: those of the next call take their place.
local terms, cold, denials = ARGV[7] .. '\n\n\n\n\n\n', nil, 0
if raw['c' .. key] then
  local from
  terms, from = unpacked('<s', raw['c' .. key])
  cold = cmsgpack.unpack(sub(raw['c' .. key], from))
else
  -- No count of resets is a half, so that a late settlement gives nothing back that a reset may have given.
  cold = { past = {}, window = { added = 0, resets = ARGV[17] == 'r' and 0.5 or 0, fired = {} } }
  cold.isBlocked = ARGV[12] ~= '' or nil
  if ARGV[13] ~= '' then cold.set = { to = tonumber(ARGV[13]), till = tonumber(ARGV[14]) } end
  if ARGV[15] ~= '' then cold.raised = { by = tonumber(ARGV[15]), till = tonumber(ARGV[16]) } end
end
if raw['a' .. key] then
  local before = { unpacked(ACCOUNT, raw['a' .. key]) }
  denials = before[DENIED]
  if not raw['c' .. key] then terms = before[NAMES] .. '\n\n\n\n\n\n' end
end
cold.window.isRevived = true
cold.window.length = tonumber(ARGV[10]) or cold.window.length
cold.window.step = tonumber(ARGV[11]) or cold.window.step
if serial == '' then serial = nextSerial() end
local known = {
  [COMMITTED] = tonumber(ARGV[18]), [HELD] = 0, [OPEN] = 0, [DENIED] = denials, [CARRIED] = 0, [TILL] = 0,
  [GATE] = HUGE, [ALARM] = HUGE, [ENDS] = HUGE, [SERIAL] = serial, [TERMS_ID] = '',
  [NAMES] = string.match(terms, '^[^\n]*'), [WINDOW] = ARGV[8], [TERMS] = terms, [KEY] = key, [COLD] = cold,
}
known[FRESH] = at + windows().remembered()
local slots = {}
for place = 19, #ARGV do slots[place - 18] = tonumber(ARGV[place]) end
for place = 2, #slots, 2 do known[COMMITTED] = known[COMMITTED] + slots[place] end
if slots[1] or get('s' .. serial) then windows().setSlots(known, slots) end
save(known)
finish(true)
return { 'revived', at }
