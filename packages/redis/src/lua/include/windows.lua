-- Windows: what is done where an account comes under new terms or into a new window, where a limit
-- set by hand ends, and where spend leaves a rolling window. Most calls need none of it, so nothing
-- of it is made until one does.
local madeWindows
local function windows()
  if madeWindows then return madeWindows end
  local made = {}
  madeWindows = made
  local parsed, slotsBy, others = {}, {}, {}

  local function floorTo(time, step)
    local rest = math.fmod(time, step)
    return time - rest - (rest < 0 and step or 0)
  end

  -- What seldom matters of an account: limits set by hand, and more of its current window.
  local function coldOf(known)
    if not known[COLD] then known[COLD] = cmsgpack.unpack(known[REST]) end
    return known[COLD]
  end
  made.coldOf = coldOf

  function made.windowOf(holder) return coldOf(holder).window end

  -- The terms of a budget, which a client writes on seven lines: names, limit, flags, thresholds,
  -- length and step of a rolling window, and the window for clients to read.
  local function termsOf(text)
    local terms = parsed[text]
    if terms then return terms end
    local limit, flags, shares, length, step =
      string.match(text, '^[^\n]*\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n')
    terms = { limit = tonumber(limit), shares = {} }
    terms.length, terms.step = tonumber(length), tonumber(step)
    terms.isBlocked = find(flags, 'b', 1, true) ~= nil
    terms.rollover = tonumber(string.match(flags, 'r(%d+)'))
    for share in string.gmatch(shares, '%d+') do
      terms.shares[#terms.shares + 1] = tonumber(share)
    end
    parsed[text] = terms
    return terms
  end
  made.termsOf = termsOf

  -- The limit of the terms, or what was set by hand in its place; nil where there is none.
  local function baseOf(known, terms)
    local set = coldOf(known).set
    if set and (not set.till or at < set.till) then return set.to end
    return (terms or termsOf(known[TERMS])).limit
  end

  -- What of the limit was left by the window before: nothing once a window is over.
  function made.rolledInto(known, window, terms)
    local base = window.before and at < window.endsAt and baseOf(known, terms)
    local before = base and window.before ~= '' and made.otherOf(window.before)
    if not base or window.before ~= '' and not before then return 0 end
    local left = base - (before and before[COMMITTED] + before[HELD] or 0)
    return max(0, min((terms or termsOf(known[TERMS])).rollover or 0, left))
  end

  -- The limit in force, as changed by hand, and what was rolled over; huge where there is none.
  function made.limitOf(known, window, terms)
    local limit, raised = baseOf(known, terms), coldOf(known).raised
    if not limit then return HUGE end
    if raised and (not raised.till or at < raised.till) then limit = limit + raised.by end
    return limit + window.added + made.rolledInto(known, window, terms)
  end

  -- The limit for calls: of a window that is over, without what the next one has used of its rest.
  function made.boundOf(known, window, terms)
    local limit, after = made.limitOf(known, window, terms), window.next and made.find(known, window.next)
    if not after or limit == HUGE then return limit end
    local lent = after[COMMITTED] + after[HELD] - (limit - window.added + made.windowOf(after).added)
    return lent > 0 and max(0, baseOf(known, terms) - lent) or limit
  end

  function made.isBlocked(known, terms)
    return coldOf(known).isBlocked or (terms or termsOf(known[TERMS])).isBlocked
  end

  -- Settled spend at which a share of the limit, in parts per million, is reached, rounded up.
  function made.reachedAt(limit, share)
    local rest = math.fmod(limit, 1000000)
    return (limit - rest) / 1000000 * share + math.ceil(rest * share / 1000000)
  end

  -- Rolling slots with what was spent in each, oldest first: start, amount, start, amount and so on.
  local function slotsOf(holder)
    local serial = holder[SERIAL]
    local slots = slotsBy[serial]
    if slots then return slots end
    local value = get('s' .. serial) or ''
    slots = { unpacked('<' .. string.rep('d', #value / 8), value) }
    slots[#slots] = nil
    slotsBy[serial] = slots
    return slots
  end
  made.slotsOf = slotsOf

  local function setSlots(holder, slots)
    slotsBy[holder[SERIAL]] = slots
    made.windowOf(holder).oldest = slots[1]
    holder[SLOTS] = slots
  end
  made.setSlots = setSlots

  -- The slot that a time belongs to; nil in other windows.
  function made.slotAt(window, time)
    return window.step and floorTo(time, window.step) or nil
  end

  function made.startOf(window)
    return window.step and floorTo(at - window.length, window.step) or window.startsAt
  end

  -- Lets the slots go that have left a rolling window.
  function made.advance(holder)
    local window = made.windowOf(holder)
    local startsAt = window.step and made.startOf(window)
    if not startsAt or not window.oldest or window.oldest >= startsAt then return end
    local slots, kept = slotsOf(holder), {}
    for place = 1, #slots, 2 do
      if slots[place] < startsAt then
        holder[COMMITTED] = holder[COMMITTED] - slots[place + 1]
      else
        kept[#kept + 1], kept[#kept + 2] = slots[place], slots[place + 1]
      end
    end
    setSlots(holder, kept)
  end

  -- Adds settled spend; in a slot that has left already it counts no more.
  function made.add(holder, amount, slot)
    local window = made.windowOf(holder)
    if slot and window.step then
      if slot < made.startOf(window) then return end
      local slots = slotsOf(holder)
      local place = #slots - 1
      while place > 0 and slots[place] > slot do place = place - 2 end
      if place > 0 and slots[place] == slot then
        slots[place + 1] = slots[place + 1] + amount
      else
        table.insert(slots, place + 2, amount)
        table.insert(slots, place + 2, slot)
      end
      setSlots(holder, slots)
    end
    holder[COMMITTED] = holder[COMMITTED] + amount
  end

  -- Works out anew what calls look at first: whether to pass, which charge comes to a threshold, and
  -- how long that holds.
  function made.refresh(known)
    made.advance(known)
    local cold, terms = coldOf(known), termsOf(known[TERMS])
    local window, set, raised = cold.window, cold.set, cold.raised
    local limit = made.limitOf(known, window)
    known[GATE] = made.isBlocked(known) and -1 or limit
    local till = window.endsAt or HUGE
    if set and set.till and at < set.till then till = min(till, set.till) end
    if raised and raised.till and at < raised.till then till = min(till, raised.till) end
    if window.oldest then till = min(till, window.oldest + window.step + window.length) end
    known[ENDS], known[TILL], known[ALARM] = window.endsAt or HUGE, till, HUGE
    if limit == HUGE then return end
    for _, share in ipairs(terms.shares) do
      local amount = made.reachedAt(limit, share)
      local isDone = window.fired[share] and not (window.step and amount > known[COMMITTED])
      if not isDone then known[ALARM] = min(known[ALARM], amount) end
    end
  end

  --@inside windows/turns

  return made
end

-- What a call says of the terms of an account: what stands for them, and, where the store may not have
-- them or has another window, a way and the terms, or nothing where only the window may be another. A way
-- has three lines: the span of the window now; where it rolls over, the names of the two windows before;
-- the span in which a hold would expire. What stands for the terms begins with how a hold is charged, and
-- after that an `s` where the account refuses nothing, and an `r` where it rolls over.
local function termsIn(text)
  local id, way, terms = string.match(text, '^([^\n]*)\n([^\n]*\n[^\n]*\n[^\n]*)\n(.*)$')
  if id then return id, way, terms end
  return text, '', ''
end

-- The account under the terms of a call, in its window of now; nil where the span is not of now.
local function open(key, id, way, terms)
  local known = account(key)
  if known and known[TERMS_ID] == id and at < known[TILL] then return known end
  return windows().open(key, id, way, terms)
end
