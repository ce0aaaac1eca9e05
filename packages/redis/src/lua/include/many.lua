-- Several calls in one script, each carried out one after the other. Which accounts they are on is said
-- once for all that are on the same, in lists: how many accounts, their fields, and, with terms, what
-- stands for those. Calls say the place of their list, then their field and what else there is.
--
-- Where one needs more than nearly all do, it is left alone, and has to be asked singly. So no window
-- has to be turned, no threshold noticed, and nothing that is due looked at.

-- Reads what all of them need. Gives the lists by their places, and where the first call begins; or nil
-- and what to answer.
-- @param before so many arguments of a call come before its amounts
local function beginMany(hasTerms, before)
  local from, lists, fields, seen = 6, {}, { 'q' }, {}
  for place = 1, ARGV[5] + 0 do
    local size = ARGV[from] + 0
    lists[ARGV[from + 1]] = { size = size, from = from + 2 }
    for argument = from + 2, from + 1 + size do
      local account = ARGV[argument]
      if not seen[account] then
        seen[account] = true
        fields[#fields + 1], fields[#fields + 2] = account, 'c' .. sub(account, 2)
      end
    end
    from = from + 2 + size * (hasTerms and 2 or 1)
  end
  local first = from
  while ARGV[from] do
    fields[#fields + 1] = ARGV[from + 1]
    from = from + before + lists[ARGV[from]].size
  end
  local lost = begin(fields)
  if lost then return nil, lost end
  if at >= header[NEXT_DUE] or notices[1] or header[UNTOLD] == 1 then return nil, { 'stale', at } end
  return lists, first
end

-- The accounts of a list, as they are said to be; false where one is not there or its window is over.
local function accountsOf(list)
  local all = {}
  for place = 1, list.size do
    local known = account(sub(ARGV[list.from + place - 1], 2))
    if not known or at >= known[TILL] then return false end
    all[place] = known
  end
  return all
end

-- What reservations on a list have in common: see `reservations.lua`.
local function shapeOf(all, kinds, payers)
  local shape = {}
  for place, known in ipairs(all) do
    shape[place] = 'a' .. known[KEY] .. '\n' .. kinds[place] .. '\n' .. payers[place]
  end
  return concat(shape, '\n')
end

local function saveAll(list)
  list.isSaved = true
  for _, known in ipairs(list.accounts) do save(known) end
end

-- Puts a field of a call: none is put twice, since who comes second with it is left alone.
local function putOnce(field, value)
  local last = #writes
  writes[last + 1], writes[last + 2], raw[field] = field, value, value
end
