-- When enough spend has left a rolling window; nil where none ever does.
local function opensAtOf(holder, limit, requested)
  local window, committed, slots = windows().windowOf(holder), holder[COMMITTED], windows().slotsOf(holder)
  for place = 1, #slots, 2 do
    committed = committed - slots[place + 1]
    if committed < limit and committed + requested <= limit then
      return slots[place] + window.step + window.length
    end
  end
  return nil
end

-- Why a request does not fit a window, with every figure; nil where it fits.
-- @param own what the request holds already, and asks to hold as a part of the amount
local function refusalOf(place, known, holder, requested, own, terms)
  local window = windows().windowOf(holder)
  local limit = windows().boundOf(known, window, terms)
  local committed, held = holder[COMMITTED], holder[HELD] + known[CARRIED] - own
  local kind
  if windows().isBlocked(known, terms) then
    kind = 'blocked'
  elseif committed + held < limit and committed + held + requested <= limit then
    return nil
  else
    kind = committed >= limit and 'spent' or committed + requested > limit and 'too-large' or 'held'
  end
  local opensAt = window.endsAt
  if kind == 'blocked' or kind == 'held' or limit == 0 or requested > limit then
    opensAt = nil
  elseif window.step then
    opensAt = opensAtOf(holder, limit, requested)
  end
  local shown, rolled = limit ~= HUGE and limit or false, windows().rolledInto(known, window, terms)
  return { place, kind, shown, committed, held, requested, window.endsAt or false, opensAt or false, rolled }
end

-- Adds a refusal to those of an answer, where there is one.
local function refuse(refusals, refusal)
  for place = 1, refusal and 9 or 0 do refusals[#refusals + 1] = refusal[place] end
end
