-- Which window pays for a hold: its serial where that is known, its span where the hold goes along and
-- expires in a later one; empty in a rolling window. Nil where the span is not the right one.
local function payerOf(known, kind, way, expiresAt)
  if kind == 'o' or kind == 'O' then return known[SERIAL] end
  if kind ~= 'c' and kind ~= 'C' then return '' end
  local endsAt = windows().windowOf(known).endsAt
  if not endsAt or expiresAt < endsAt then return known[SERIAL] end
  local span = string.match(way, '[^\n]*$')
  return windows().spanAt(span, expiresAt) and span or nil
end

-- Adds to what is held on an account, or takes from it.
-- @param holder the window that the hold is on
-- @param count how many holds that makes more
local function hold(known, kind, amount, count, holder)
  if kind == 'o' or kind == 'O' then
    holder = holder or known
    holder[HELD] = holder[HELD] + amount
    if holder ~= known then
      save(holder)
      -- What it leaves to the current one has changed.
      windows().refresh(known)
    end
  else
    known[CARRIED] = known[CARRIED] + amount
  end
  known[OPEN] = known[OPEN] + count
  save(known)
end
