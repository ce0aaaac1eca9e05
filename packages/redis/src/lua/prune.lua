-- Drops the oldest entries of the ledger. What they charged lives on as sums with the windows they are
-- of, so that these can still be proved.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the oldest entry that is dropped     ARGV[6] id of the oldest that is kept
-- ARGV[7] how many are dropped; then for each charge: key, window, slot or nothing, amount, and how
--         many entries there were with its own
--
-- 'pruned', time
-- 'stale', time: somebody else has dropped them, or they are needed for a rebuild
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
    local value, known = get('f' .. serial), {}
    local _, _, from = unpacked('<ss', value or packed('<ss', '', ''))
    for place = from, #(value or ''), 16 do
      local slot, amount = unpacked('<dd', value, place)
      known[slot] = amount
    end
    sums[serial] = known
  end
  return sums[serial]
end

local names = {}
for place = 8, #ARGV, 5 do
  local known = account(ARGV[place])
  if not known and isDeleted(ARGV[place]) then return { 'stale', at } end
  local holder = known and w.named(known, ARGV[place + 1])
  local count = tonumber(ARGV[place + 4])
  -- What came before the window began is of an account that was forgotten, if there were books by then.
  if holder and (count > (w.windowOf(holder).born or 0) or count <= tonumber(get('b') or 0)) then
    local slot, amount = tonumber(ARGV[place + 2]) or -HUGE, tonumber(ARGV[place + 3])
    local startsAt = w.windowOf(holder).step and w.startOf(w.windowOf(holder)) or -HUGE
    names[holder[SERIAL]] = packed('<ss', holder[KEY], holder[WINDOW])
    local known = sumsOf(holder[SERIAL])
    known[slot] = (known[slot] or 0) + amount
    for each in pairs(known) do
      if each < startsAt and each > -HUGE then known[each] = nil end
    end
  end
end
for serial, known in pairs(sums) do
  local parts = { names[serial] }
  for slot, amount in pairs(known) do parts[#parts + 1] = packed('<dd', slot, amount) end
  put('f' .. serial, concat(parts))
end
put('p', format('%.0f', tonumber(get('p') or '0') + tonumber(ARGV[7])))
finish(true)
call('XTRIM', LEDGER, 'MINID', '=', ARGV[6])
return { 'pruned', at }
