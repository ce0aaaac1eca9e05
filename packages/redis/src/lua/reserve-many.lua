-- Holds amounts for several calls, as one reserve after the other would.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] how many lists of accounts, and those: see `many.lua`; then for each call its list, its field,
-- ms until it expires, the time after which nobody waits for the answer or nothing, and all amounts
--
-- 'many', time, and for each call 1 where it is held, its refusals as reserve has them, or nothing where
-- it has to be asked singly
-- 'stale', time: all of them have to be
--@include layout
--@include store
--@include windows
--@include refusals
--@include charges
--@include reservations
--@include many
local lists, first = beginMany(true, 4)
if not lists then return first end

local held, earliest = {}, HUGE

-- What has to be known of a list once; nothing where one of its accounts needs more.
local function prepare(list)
  list.isPrepared, list.latest = true, HUGE
  local all, kinds, payers, counters, isPlain, isShadow = accountsOf(list), {}, {}, {}, {}, {}
  for place, known in ipairs(all or {}) do
    local id = ARGV[list.from + list.size + place - 1]
    local kind = sub(id, 1, 1)
    if known[TERMS_ID] ~= id then return end
    local isFixed, goesAlong = kind == 'o' or kind == 'O', kind == 'c' or kind == 'C'
    if goesAlong then list.latest = min(list.latest, known[TILL]) end
    kinds[place], isShadow[place] = kind, sub(id, 2, 2) == 's'
    isPlain[place] = (isFixed or goesAlong) and sub(id, 2, 2) == ':'
    counters[place] = isFixed and HELD or CARRIED
    payers[place] = (isFixed or goesAlong) and known[SERIAL] or ''
  end
  if not all then return end
  list.accounts, list.counters, list.isPlain, list.isShadow = all, counters, isPlain, isShadow
  list.shape, list.form = shapeOf(all, kinds, payers), '<c1dds' .. string.rep('s', list.size)
end

-- The refusals of a call that does not fit everywhere; false where it has to be asked singly.
local function refusalsOf(list, before)
  local answer = {}
  for place, known in ipairs(list.accounts) do
    local requested, gate, ends = ARGV[before + place] + 0, known[GATE], known[ENDS]
    local committed, held = known[COMMITTED], known[HELD] + known[CARRIED]
    if committed + held >= gate or committed + held + requested > gate then
      if list.isShadow[place] then return false end
      if gate >= 0 and list.isPlain[place] then
        --@inside plain/refusal
      else
        refuse(answer, refusalOf(place - 1, known, known, requested, 0))
      end
    end
  end
  for from = 1, #answer, 9 do
    local known = list.accounts[answer[from] + 1]
    known[DENIED] = max(known[DENIED], dayTally()) + 1
    save(known)
  end
  return answer
end

local function reserve(from)
  local list, field, expiresAt, notAfter = lists[ARGV[from]], ARGV[from + 1], at + ARGV[from + 2], ARGV[from + 3]
  if not list.isPrepared then prepare(list) end
  local all, counters, before = list.accounts, list.counters, from + 3
  -- Who only asks who would refuse is answered by itself.
  local isOdd = not all or raw[field] or ARGV[from + 2] == '0' or expiresAt >= list.latest
  if isOdd or notAfter ~= '' and at > notAfter + 0 then return false end
  for place = 1, list.size do
    local known = all[place]
    local taken, gate = known[COMMITTED] + known[HELD] + known[CARRIED], known[GATE]
    if taken >= gate or taken + ARGV[before + place] > gate then return refusalsOf(list, before) end
  end
  if not list.isSaved then saveAll(list) end
  for place = 1, list.size do
    local known, counter = all[place], counters[place]
    known[counter], known[OPEN] = known[counter] + ARGV[before + place], known[OPEN] + 1
  end
  putOnce(field, packed(list.form, OPEN_STATE, expiresAt, at, list.shape, unpack(ARGV, from + 4, before + list.size)))
  held[#held + 1], earliest = field, min(earliest, expiresAt)
  return 1
end

local answers, isKept, from = { 'many', at }, false, first
while ARGV[from] do
  local answer = reserve(from)
  answers[#answers + 1], isKept = answer, isKept or answer
  from = from + 4 + lists[ARGV[from]].size
end
if not isKept then return { 'stale', at } end
enqueue(held, earliest)
finish(false)
return answers
