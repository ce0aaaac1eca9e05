  -- Inside of windows(): how an account goes from one window into another.

  -- The figures of a window that is not the current one.
  local function windowWith(committed, held)
    return { [COMMITTED] = committed, [HELD] = held, [DENIED] = 0, [OPEN] = 0, [CARRIED] = 0 }
  end
  made.windowWith = windowWith

  -- Another window of an account than the current one; nil where it is forgotten.
  local function otherOf(serial)
    local other = others[serial]
    if other ~= nil then return other or nil end
    local value = get('w' .. serial)
    others[serial] = false
    if not value then return nil end
    local figures, names, window = unpack(cmsgpack.unpack(value))
    other = windowWith(figures[1], figures[2])
    other[SERIAL], other[WINDOW], other[KEY], other[NAMES] = serial, names[1], names[2], names[3]
    other[COLD], other[IS_OTHER] = { window = window }, true
    others[serial] = other
    return other
  end
  made.otherOf = otherOf
  function made.forget(serial) others[serial] = false end

  -- The window by its serial, wherever it is.
  function made.find(known, serial)
    if known[SERIAL] == serial then return known end
    return otherOf(serial)
  end

  -- The window by its name.
  function made.named(known, name)
    if known[WINDOW] == name then return known end
    for _, past in ipairs(coldOf(known).past) do
      if past[1] == name then return otherOf(past[2]) end
    end
    return nil
  end

  -- For how long a window matters after its end: until the next two are over, where it rolls over.
  function made.lookedBack(known, window)
    local rolls = window.endsAt and termsOf(known[TERMS]).rollover
    return rolls and 3 * (window.endsAt - window.startsAt) or 0
  end

  local function remembered() return tonumber(string.match(ARGV[4], '^%d+')) end
  made.remembered = remembered
  function made.idle() return tonumber(string.match(ARGV[4], '%d+$')) end

  -- Whether something would be missed of a window that never ends: spend, top-ups, what was told.
  function made.isMarked(holder, window)
    local isSpent = not window.step and (holder[COMMITTED] ~= 0 or next(window.fired) ~= nil)
    return isSpent or window.added ~= 0
  end

  local function newWindow(terms, startsAt, endsAt)
    return {
      added = 0, resets = 0, fired = {}, startsAt = startsAt, endsAt = endsAt,
      length = terms.length, step = terms.step, born = not endsAt and header[ENTRIES] or nil,
    }
  end

  -- Puts the current window by, even a blank one: a late settlement may still name it.
  local function leave(known)
    local cold = coldOf(known)
    local window, past, late = cold.window, {}, {}
    for _, each in ipairs(cold.past) do
      if each[3] <= at and #late < 1000 then late[#late + 1] = 'w' .. each[2] end
    end
    fetch(late)
    for _, each in ipairs(cold.past) do
      -- Some are needed for longer than was thought.
      if each[3] > at or otherOf(each[2]) then past[#past + 1] = each end
    end
    cold.past = past
    local other = windowWith(known[COMMITTED], known[HELD])
    other[SERIAL], other[WINDOW], other[KEY] = known[SERIAL], known[WINDOW], known[KEY]
    other[NAMES] = known[NAMES]
    other[COLD], other[IS_OTHER], other[SLOTS] = { window = window }, true, known[SLOTS]
    known[SLOTS] = nil
    -- Where holds have expired in several later windows, one has been left before.
    if known[LEFT] then save(known[LEFT]) end
    local endsAt = window.endsAt or (window.length and at + window.length + window.step) or at
    -- One without end may be come back to.
    if not window.endsAt and made.isMarked(known, window) then endsAt = at + made.idle() end
    other[FRESH] = max(endsAt, at) + remembered() + made.lookedBack(known, window)
    others[known[SERIAL]] = other
    known[LEFT] = other
    past[#past + 1] = { known[WINDOW], known[SERIAL], other[FRESH] }
  end

  -- Makes a window current.
  local function turn(known, name, startsAt, endsAt)
    local cold, back = coldOf(known), nil
    leave(known)
    for place, past in ipairs(cold.past) do
      if past[1] == name then
        back = otherOf(past[2])
        table.remove(cold.past, place)
        break
      end
    end
    if back then
      known[COMMITTED], known[HELD] = back[COMMITTED], back[HELD]
      known[SERIAL], cold.window = back[SERIAL], back[COLD].window
      -- It stays where the account is not saved, as by a denial.
      known[BACK] = known[BACK] or {}
      table.insert(known[BACK], 'w' .. back[SERIAL])
    else
      known[COMMITTED], known[HELD] = 0, 0
      known[SERIAL] = nextSerial()
      cold.window = newWindow(termsOf(known[TERMS]), startsAt, endsAt)
    end
    known[WINDOW] = name
  end
  made.turn = turn

  -- Of a window what dropped entries add up to, slot (or nothing) and amount in turn, and whose it is.
  function made.foldedOf(serial)
    local value, folded = get('f' .. serial), {}
    if not value then return folded end
    local key, name, from = unpacked('<ss', value)
    for place = from, #value, 16 do
      local slot, amount = unpacked('<dd', value, place)
      folded[#folded + 1] = slot > -HUGE and slot
      folded[#folded + 1] = amount
    end
    return folded, key, name
  end

  -- Another window of an account, made anew since its record was deleted.
  -- @param serial that it had; empty where that is not known, either
  function made.remake(known, serial, name, endsAt, length, step)
    local other, past = windowWith(0, 0), coldOf(known).past
    if serial == '' then
      serial = nextSerial()
      other[FRESH] = (endsAt or at + made.idle()) + remembered()
      past[#past + 1] = { name, serial, other[FRESH] }
    end
    other[SERIAL], other[WINDOW], other[KEY], other[NAMES] = serial, name, known[KEY], known[NAMES]
    local window = { added = 0, resets = 0, fired = {}, endsAt = endsAt, length = length, step = step }
    other[COLD], other[IS_OTHER], others[serial] = { window = window }, true, other
    return other
  end

  -- Notes which window leaves its rest to the current one: `before` is empty for one without any use.
  -- The names of the two before are the second line of a way.
  local function lookBack(known, way)
    local last, earlier = string.match(way, '^[^\n]*\n([^\t\n]*)\t([^\n]*)\n')
    local window, left = made.windowOf(known), known[LEFT]
    for _, past in ipairs(coldOf(known).past) do
      if past[1] == last then
        window.before = past[2]
        if left[SERIAL] == past[2] then left[COLD].window.next = known[SERIAL] end
      elseif past[1] == earlier and not window.before then
        window.before = ''
      end
    end
  end

  -- The name, start and end of a span that a client worked out; false where it is not of the time.
  function made.spanAt(text, time)
    local from, to, name = string.match(text, '^(%-?%d*)\t(%-?%d*)\t(.*)$')
    if not name then return false end
    from, to = tonumber(from), tonumber(to)
    if from and time < from or to and time >= to then return false end
    return name, from, to
  end

  -- Says of a window that was made from the ledger when it is over.
  local function complete(known, from, to)
    local window, terms = made.windowOf(known), termsOf(known[TERMS])
    if not window.isRevived then return end
    window.isRevived, window.startsAt, window.endsAt = nil, from, to
    window.length, window.step = terms.length, terms.step
  end

  -- The account under the terms of a call, in its window of now; nil where the span is not of now.
  -- @param id stands for the terms
  -- @param way the span of its window, on the first line; empty where the client takes it to be as before
  -- @param terms empty where the client thinks that the store has them
  function made.open(key, id, way, terms)
    local known = account(key)
    local isSame = known and known[TERMS_ID] == id
    if not isSame and terms == '' then return nil end
    local name, from, to = known and known[WINDOW], nil, nil
    local window = isSame and coldOf(known).window
    if not isSame or window.endsAt and at >= window.endsAt then
      name, from, to = made.spanAt(string.match(way, '^[^\n]*'), at)
      if not name then return nil end
    end
    -- What was spent is not known: it is not made anew as if that were nothing.
    if not known and id ~= '' and isDeleted(key) then missing(key) end
    if not known then
      known = { 0, 0, 0, 0, 0, 0, HUGE, HUGE, HUGE, nextSerial(), id, '', name, terms, '', key }
      known[COLD] = { past = {}, window = newWindow(termsOf(terms), from, to) }
      known[FRESH] = (to or at) + remembered()
      accounts[key] = known
    end
    if not isSame then
      known[TERMS_ID], known[TERMS], known[NAMES] = id, terms, string.match(terms, '^[^\n]*')
    end
    -- One that was made anew, for holds that the ledger knows nothing of.
    if known[WINDOW] == '' and known[COMMITTED] == 0 then known[WINDOW] = name end
    if known[WINDOW] ~= name then
      turn(known, name, from, to)
      if termsOf(known[TERMS]).rollover then lookBack(known, way) end
    end
    if not isSame then complete(known, from, to) end
    made.refresh(known)
    return known
  end
