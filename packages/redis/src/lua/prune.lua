-- Drops the oldest entries of the ledger. What they charged lives on as sums with the windows they are
-- of, so that these can still be proved.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the oldest entry that is dropped     ARGV[6] id of the oldest that is kept
-- ARGV[7] how many are dropped; then for each charge: key, window, slot or nothing, amount
--
-- 'pruned', time
-- 'stale', time: somebody else has dropped them
--@include layout
--@include store
--@include windows
local lost = begin({})
if lost then return lost end
local oldest = call('XRANGE', LEDGER, '-', '+', 'COUNT', 1)[1]
if not oldest or oldest[1] ~= ARGV[5] then return { 'stale', at } end

local w, sums = windows(), {}
local function sumsOf(serial)
  if not sums[serial] then
    local value, known = get('f' .. serial) or '', {}
    for place = 1, #value, 16 do
      local slot, amount = unpacked('<dd', value, place)
      known[slot] = amount
    end
    sums[serial] = known
  end
  return sums[serial]
end

for place = 8, #ARGV, 4 do
  local known = account(ARGV[place])
  local holder = known and w.named(known, ARGV[place + 1])
  if holder then
    local slot, amount = tonumber(ARGV[place + 2]) or -HUGE, tonumber(ARGV[place + 3])
    local startsAt = w.windowOf(holder).step and w.startOf(w.windowOf(holder)) or -HUGE
    local known = sumsOf(holder[SERIAL])
    known[slot] = (known[slot] or 0) + amount
    for each in pairs(known) do
      if each < startsAt and each > -HUGE then known[each] = nil end
    end
  end
end
for serial, known in pairs(sums) do
  local parts = {}
  for slot, amount in pairs(known) do parts[#parts + 1] = packed('<dd', slot, amount) end
  put('f' .. serial, concat(parts))
end
put('p', format('%.0f', tonumber(get('p') or '0') + tonumber(ARGV[7])))
finish(true)
call('XTRIM', LEDGER, 'MINID', '=', ARGV[6])
return { 'pruned', at }
