-- Ends several reservations at what they cost, as one settle after the other would.
--
-- Runs when the server is full, too.
--
-- ARGV[5] how many calls; then for each of them what settle is given from ARGV[5] on, without spans
--
-- 'many', time, and for each of them what settle answers, or nothing where it has to be asked singly
-- 'stale', time: all of them have to be
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include many
local places, otherwise = beginMany(3, 2)
if not places then return otherwise end
local now = format('%.0f', at)
local asked, costs, held, charged, beginnings = {}, {}, {}, {}, {}
local ending = endedRecord(SETTLED)

-- The charge to an account as JSON, up to the amounts.
local function beginningOf(known)
  local text = beginnings[known]
  if not text then
    text = '"' .. known[KEY] .. '",' .. known[NAMES] .. ',"' .. known[WINDOW] .. '",null,'
    beginnings[known] = text
  end
  return text
end

local function settle(from)
  local field, size = ARGV[from], ARGV[from + 2] + 0
  local record, first, next = raw[field], from + 2, 18
  if not record or sub(record, 1, 1) ~= OPEN_STATE or size == 0 then return false end
  for place = 1, size do
    if next > #record then return false end
    local account, holds, _, kind, serial, after = unpacked('<sssss', record, next)
    local known, amount = accountIn(account), ARGV[first + size + place]
    if amount == 'hold' then amount = holds end
    local cost = amount + 0
    asked[place], costs[place], held[place], next = known, cost, holds + 0, after
    local isPlain = known and account == ARGV[first + place] and (kind == 'o' or kind == 'O')
      and known[SERIAL] == serial and at < known[TILL]
      and cost <= held[place] and known[COMMITTED] + cost < known[ALARM]
    if not isPlain then return false end
    charged[place] = beginningOf(known) .. amount .. ',' .. holds
  end
  if next <= #record then return false end
  for place = 1, size do
    local known = asked[place]
    known[COMMITTED] = known[COMMITTED] + costs[place]
    known[HELD], known[OPEN] = known[HELD] - held[place], known[OPEN] - 1
    save(known)
  end
  local list = '[[' .. concat(charged, '],[', 1, size) .. ']]'
  enter('settlement', ARGV[from + 1], list)
  put(field, ending)
  return now .. list
end

local answers, isKept = { 'many', at }, false
for place, from in ipairs(places) do
  answers[place + 2] = settle(from)
  isKept = isKept or answers[place + 2]
end
if not isKept then return { 'stale', at } end
finish(false)
return answers
