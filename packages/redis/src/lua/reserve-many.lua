-- Holds amounts for several calls, as one reserve after the other would.
--
-- ARGV[5] how many calls; then for each of them what reserve is given from ARGV[5] on
--
-- 'many', time, and for each of them what reserve answers, or nothing where it has to be asked singly
-- 'stale', time: all of them have to be
--@include layout
--@include store
--@include windows
--@include refusals
--@include charges
--@include reservations
--@include many
local places, otherwise = beginMany(4, 3)
if not places then return otherwise end

local asked, counters, refusing, held, earliest = {}, {}, {}, {}, HUGE

local function reserve(from)
  local field, expiresAt, notAfter, size = ARGV[from], at + ARGV[from + 1], ARGV[from + 2], ARGV[from + 3] + 0
  -- Who only asks who would refuse is answered by itself.
  if ARGV[from + 1] == '0' or raw[field] or notAfter ~= '' and at > notAfter + 0 then return false end
  local first, refused, answer = from + 3, 0, nil
  local record = packed('<c1dd', OPEN_STATE, expiresAt, at)
  for place = 1, size do
    local account, amount, id = ARGV[first + place], ARGV[first + size + place], ARGV[first + size + size + place]
    local known, kind = accountIn(account), sub(id, 1, 1)
    local isFixed = kind == 'o' or kind == 'O'
    if not known or known[TERMS_ID] ~= id or at >= known[TILL] then return false end
    local requested, paying, gate = amount + 0, known[SERIAL], known[GATE]
    if not isFixed then
      if kind ~= 'c' and kind ~= 'C' then
        paying = ''
      elseif expiresAt >= known[TILL] then
        return false
      end
    end
    local taken = known[COMMITTED] + known[HELD] + known[CARRIED]
    if taken >= gate or taken + requested > gate then
      if sub(id, 2, 2) == 's' then return false end
      answer, refused = answer or { 'denied', at, '', '' }, refused + 1
      refuse(answer, refusalOf(place - 1, known, known, requested, 0))
      refusing[refused] = known
    end
    asked[place], counters[place] = known, isFixed and HELD or CARRIED
    record = record .. packed('<sssss', account, amount, '', kind, paying)
  end
  for place = 1, refused do
    refusing[place][DENIED] = math.max(refusing[place][DENIED], dayTally()) + 1
    save(refusing[place])
  end
  if answer then return answer end
  for place = 1, size do
    local known, counter = asked[place], counters[place]
    known[counter], known[OPEN] = known[counter] + ARGV[first + size + place], known[OPEN] + 1
    save(known)
  end
  put(field, record)
  held[#held + 1], earliest = field, math.min(earliest, expiresAt)
  return at
end

local answers, isKept = { 'many', at }, false
for place, from in ipairs(places) do
  answers[place + 2] = reserve(from)
  isKept = isKept or answers[place + 2]
end
if not isKept then return { 'stale', at } end
enqueue(held, earliest)
finish(false)
return answers
