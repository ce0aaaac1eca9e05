-- Charges, and what follows from them: thresholds, overshoot, entries of the ledger.
local madeCharges
local function charges()
  if madeCharges then return madeCharges end
  local made, w = {}, windows()
  madeCharges = made

  local function textOf(number) return number and format('%.0f', number) or 'null' end

  -- Marks the thresholds that settled spend has newly reached, and has them noticed. A rolling window
  -- never starts anew, so a threshold counts again once spend has fallen below it.
  local function cross(known, holder, before)
    local window, terms = w.windowOf(holder), w.termsOf(known[TERMS])
    local limit = w.limitOf(known, window)
    if limit == HUGE then return end
    for _, share in ipairs(terms.shares) do
      local amount = w.reachedAt(limit, share)
      if window.step and before < amount then window.fired[share] = nil end
      if holder[COMMITTED] >= amount and not window.fired[share] then
        window.fired[share] = true
        notices[#notices + 1] = concat({
          '["t","', known[KEY], '",', known[NAMES], ',', textOf(share), ',',
          textOf(holder[COMMITTED]), ',', textOf(limit), ',"', holder[WINDOW], '",',
          textOf(w.startOf(window)), ',', textOf(window.endsAt), ',', textOf(at), ']',
        })
      end
    end
  end

  -- Adds a charge to a window of an account. Gives what it went above the limit by, if it did.
  -- @param held what had been held: no overshoot is more than what was not
  function made.book(known, holder, amount, held, slot)
    w.advance(holder)
    local window = w.windowOf(holder)
    local before, overshoot = holder[COMMITTED], 0
    w.add(holder, amount, slot)
    if window.isPart then return nil end
    cross(known, holder, before)
    if amount > held then
      local above = holder[COMMITTED] + holder[HELD] + known[CARRIED] - w.boundOf(known, window)
      overshoot = min(above, amount - held)
    end
    w.refresh(known)
    w.coldOf(known).used = true
    save(known)
    if known ~= holder then save(holder) end
    return overshoot > 0 and overshoot or nil
  end

  -- A window of which nothing is known but the name: what is charged to it counts nowhere.
  function made.forgotten(known, name)
    local holder = w.windowWith(0, 0)
    holder[WINDOW], holder[SERIAL], holder[IS_OTHER] = name, '', true
    holder[COLD] = { window = { added = 0, resets = 0, fired = {}, isPart = true } }
    return holder
  end

  return made
end

-- A charge as JSON; amounts are texts.
local function chargeOf(known, name, slot, amount, held)
  return concat({ '["', known[KEY], '",', known[NAMES], ',"', name, '",', slot, ',', amount, ',', held, ']' })
end

local stamp

-- Appends an entry to the ledger. Times never go back and the count only grows, so ids do, too.
-- Its first field says what it is, and of what.
local function enter(kind, subject, charged, ...)
  header[ENTRIES] = header[ENTRIES] + 1
  if header[ENTRIES] == 1 then header[TOUCH_AT] = 0 end
  stamp = stamp or format('%.0f-', at)
  local id = stamp .. format('%.0f', header[ENTRIES])
  entries[#entries + 1] = { id, kind, subject, 'charges', charged, ... }
end
