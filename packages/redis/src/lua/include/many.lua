-- Several calls in one script, which are carried out one after the other. Each begins with the field of
-- its reservation; `before` arguments of it come before the fields of its accounts, and the last of
-- those says how many accounts there are; `each` times as many arguments follow.
--
-- Where one needs more than nearly all do, it is left alone, and has to be asked singly. So no window
-- has to be turned, no threshold noticed, and nothing that is due looked at.

-- Reads what all of them need. Gives where each of them begins, or nil and what to answer.
local function beginMany(before, each)
  local from, places, fields, seen = 6, {}, { 'q' }, {}
  for place = 1, ARGV[5] + 0 do
    local size = ARGV[from + before - 1] + 0
    places[place], fields[#fields + 1] = from, ARGV[from]
    for argument = from + before, from + before + size - 1 do
      local account = ARGV[argument]
      if not seen[account] then
        seen[account] = true
        fields[#fields + 1], fields[#fields + 2] = account, 'c' .. sub(account, 2)
      end
    end
    from = from + before + size * each
  end
  local lost = begin(fields)
  if lost then return nil, lost end
  if at >= header[NEXT_DUE] or notices[1] or header[UNTOLD] == 1 then return nil, { 'stale', at } end
  return places
end

local byField = {}

-- The account of a field that was read at the beginning.
local function accountIn(field)
  local known = byField[field]
  if known == nil then
    known = account(sub(field, 2)) or false
    byField[field] = known
  end
  return known
end
