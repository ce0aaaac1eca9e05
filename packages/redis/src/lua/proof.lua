-- Settled spend of some windows, at an instant at which the caller has the whole ledger.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] id of the last entry that the caller has     ARGV[6] where to go on in the books, or `of` and
-- then the keys of the accounts that are meant
--
-- 'entries', time, how many entries were ever dropped, the next entries: there are more of them
-- 'proof', time, how many were dropped, the last entries, where to go on, windows, what is left of accounts
--   without a whole record, and how many entries there were before the books
-- A window is: field, key, name; committed, start; what dropped entries add up to, slot (or nothing) and
--   amount in turn; of a rolling one its slots, likewise; how many entries there were before it
-- What is left: key, whether it is listed, name of its window, serial of that, sums as above, and names of
--   windows that it has left
--@include layout
--@include store
--@include windows
local PAGE = 500

local lost = begin({ 'p', 'b' })
if lost then return lost end
local dropped = raw['p'] or '0'
local found = call('XRANGE', LEDGER, '(' .. ARGV[5], '+', 'COUNT', PAGE)
if #found == PAGE then return { 'entries', at, dropped, found } end

local shown, left, w = {}, {}, windows()

local function show(field, holder)
  w.advance(holder)
  local window, names = w.windowOf(holder), { field, holder[KEY], holder[WINDOW] }
  local slots = window.oldest and w.slotsOf(holder) or {}
  local folded = w.foldedOf(holder[SERIAL])
  shown[#shown + 1] = { names, holder[COMMITTED], w.startOf(window) or false, folded, slots, window.born or 0 }
end

-- The account, and those of its windows that have not been forgotten but are gone.
local function showAccount(known)
  show('a' .. known[KEY], known)
  for _, past in ipairs(w.coldOf(known).past) do
    local serial = past[2]
    if past[3] > at and not w.otherOf(serial) then
      shown[#shown + 1] = { { 'w' .. serial, known[KEY], past[1] }, 0, false, (w.foldedOf(serial)), {}, 0 }
    end
  end
end

-- What there is of an account without a whole record.
local function showLeft(key, serial, name, folded)
  local value = get('a' .. key)
  if value then
    local known = { unpacked(ACCOUNT, value) }
    serial, name = known[SERIAL], known[WINDOW]
    folded = w.foldedOf(serial)
  end
  local isListed, rest, past = call('ZSCORE', DUE, 'a' .. key) and 1 or 0, get('c' .. key), {}
  local cold = rest and cmsgpack.unpack(sub(rest, ({ unpacked('<s', rest) })[2]))
  for place, each in ipairs(cold and cold.past or {}) do past[place] = each[1] end
  left[#left + 1] = { key, isListed, name or '', serial or '', folded or {}, past }
end

if ARGV[6] == 'of' then
  for place = 7, #ARGV do
    local known = account(ARGV[place])
    if known then showAccount(known) else showLeft(ARGV[place]) end
  end
  return { 'proof', at, dropped, found, '0', shown, left, tonumber(raw['b'] or 0) }
end

local page = call('HSCAN', BOOKS, ARGV[6], 'COUNT', 100)
for place = 1, #page[2], 2 do raw[page[2][place]] = page[2][place + 1] end
for place = 1, #page[2], 2 do
  local field = page[2][place]
  local kind, rest = sub(field, 1, 1), sub(field, 2)
  if kind == 'a' or kind == 'c' then
    local known = account(rest)
    if not known then
      showLeft(rest)
    elseif kind == 'a' then
      showAccount(known)
    end
  elseif kind == 'w' then
    show(field, w.otherOf(rest))
  elseif kind == 'f' then
    local folded, key, name = w.foldedOf(rest)
    if not account(key) and not w.otherOf(rest) then showLeft(key, rest, name, folded) end
  end
end
return { 'proof', at, dropped, found, page[1], shown, left, tonumber(raw['b'] or 0) }
