-- Ends several reservations at what they cost, as one settle after the other would.
--
-- Runs when the server is full, too.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] how many lists of accounts, and those: see `many.lua`; then for each call its list, its field,
-- its id, outcome and details as JSON, and all amounts or `hold`s
--
-- 'many', time, and for each call its charges as JSON where it is settled, or nothing where it has to be
-- asked singly
-- 'stale', time: all of them have to be
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include many
local lists, first = beginMany(false, 3)
if not lists then return first end
local ending = endedRecord(SETTLED)

-- What has to be known of a list once: what its reservations have in common while no window of theirs is
-- over, and their charges as JSON but for the amounts.
local function prepare(list)
  list.isPrepared = true
  local all, kinds, payers, texts = accountsOf(list), {}, {}, {}
  for place, known in ipairs(all or {}) do
    kinds[place], payers[place] = sub(known[TERMS_ID], 1, 1), known[SERIAL]
    if kinds[place] ~= 'o' and kinds[place] ~= 'O' then return end
    local opening = place == 1 and '[["' or '],["'
    texts[place * 4 - 3] =
      opening .. known[KEY] .. '",' .. known[NAMES] .. ',"' .. known[WINDOW] .. '",null,'
    texts[place * 4 - 1] = ','
    texts[place * 4 + 1] = ']]'
  end
  if not all then return end
  list.accounts, list.texts, list.costs, list.holds = all, texts, {}, {}
  list.shape = shapeOf(all, kinds, payers) .. '\0'
end

local function settle(from)
  local list, field, record = lists[ARGV[from]], ARGV[from + 1], raw[ARGV[from + 1]]
  if not list.isPrepared then prepare(list) end
  local all, size = list.accounts, list.size
  if not all or size == 0 or not record or sub(record, 1, 1) ~= OPEN_STATE then return false end
  if find(record, list.shape, BEFORE_SHAPE + 1, true) ~= BEFORE_SHAPE + 1 then return false end
  local costs, holds, texts, next = list.costs, list.holds, list.texts, BEFORE_SHAPE + 1 + #list.shape
  for place = 1, size do
    local known, amount, held = all[place], ARGV[from + 2 + place], nil
    held, next = unpacked('<s', record, next)
    if amount == 'hold' then amount = held end
    local cost, hold = amount + 0, held + 0
    if cost > hold or known[COMMITTED] + cost >= known[ALARM] then return false end
    costs[place], holds[place] = cost, hold
    texts[place * 4 - 2], texts[place * 4] = amount, held
  end
  for place = 1, size do
    local known = all[place]
    known[COMMITTED], known[HELD] = known[COMMITTED] + costs[place], known[HELD] - holds[place]
    known[OPEN] = known[OPEN] - 1
  end
  if not list.isSaved then saveAll(list) end
  local charged = concat(texts)
  enter('settlement', ARGV[from + 2], charged)
  putOnce(field, ending)
  return charged
end

local answers, isKept, from = { 'many', at }, false, first
while ARGV[from] do
  local answer = settle(from)
  answers[#answers + 1], isKept = answer, isKept or answer
  from = from + 3 + lists[ARGV[from]].size
end
if not isKept then return { 'stale', at } end
finish(false)
return answers
