-- Settled spend of some windows, at an instant at which the caller has the whole ledger.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the last entry that the caller has     ARGV[6] where to go on in the books
--
-- 'entries', time, how many entries were ever dropped, the next entries: there are more of them
-- 'proof', time, how many were dropped, the last entries, where to go on, and windows: field, key, name,
-- committed, start, and what dropped entries add up to, slot (or nothing) and amount in turn
--@include layout
--@include store
--@include windows
local PAGE = 500

local lost = begin({ 'p' })
if lost then return lost end
local dropped = raw['p'] or '0'
local found = call('XRANGE', LEDGER, '(' .. ARGV[5], '+', 'COUNT', PAGE)
if #found == PAGE then return { 'entries', at, dropped, found } end

local page, shown, w = call('HSCAN', BOOKS, ARGV[6], 'COUNT', 100), {}, windows()

local function foldedOf(serial)
  local value, folded = get('f' .. serial) or '', {}
  for place = 1, #value, 16 do
    local slot, amount = unpacked('<dd', value, place)
    folded[#folded + 1] = slot > -HUGE and slot
    folded[#folded + 1] = amount
  end
  return folded
end

for place = 1, #page[2], 2 do
  local field, value = page[2][place], page[2][place + 1]
  local kind, holder = sub(field, 1, 1), nil
  raw[field] = value
  if kind == 'a' then holder = account(sub(field, 2)) end
  if kind == 'w' then holder = w.otherOf(sub(field, 2)) end
  if holder then
    w.advance(holder)
    local startsAt = w.startOf(w.windowOf(holder)) or false
    local names = { field, holder[KEY], holder[WINDOW] }
    shown[#shown + 1] = { names, holder[COMMITTED], startsAt, foldedOf(holder[SERIAL]) }
  end
end
return { 'proof', at, dropped, found, page[1], shown }
