-- Ends a reservation that was never used.
--
-- Runs when the server is full, too.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id     ARGV[6] where the call was refused elsewhere, the time of the hold that is undone: nothing
--                of it is remembered, and one of another time stays
--
-- 'released', time, notices
-- 'ended', time, how, notices        'never', time, notices
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
--@include claims
local field = 'r' .. ARGV[5]
local lost = begin({ field })
if lost then return lost end
if at >= header[NEXT_DUE] then sweep(field) end
local record = raw[field]
if not record or sub(record, 1, 1) ~= OPEN_STATE then return ended(record) end
local _, _, admittedAt = struct.unpack('<c1dd', record)
if ARGV[6] and tonumber(ARGV[6]) ~= admittedAt then return { 'never', at, finish(false) } end
for _, each in ipairs(holdsThere(record)) do
  local key, held, _, kind, serial = unpack(each)
  local known = account(key)
  hold(known, kind, -tonumber(held), -1, serial ~= '' and windows().find(known, serial) or known)
end
if ARGV[6] then
  deletes[#deletes + 1] = field
else
  put(field, endedRecord(RELEASED))
end
return { 'released', at, finish(false) }
