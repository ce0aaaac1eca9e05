-- What is due: a bounded number of fields, whatever they are; and few of them, where more than those are
-- due, in a call that would otherwise take a small part of the time.
local SWEEP_LIMIT, FEW = 64, 2

-- The first account of an open reservation that was deleted, or of which the window that pays was. One that
-- holds nothing outlives its window, where it is open for very long: the current one pays.
local function deletedIn(holds)
  for _, hold in ipairs(holds) do
    local known, amount, serial = account(hold[1]), hold[2], hold[5]
    local isFixed = amount ~= '0' and serial ~= '' and not find(serial, '\t', 1, true)
    if not known or isFixed and not windows().find(known, serial) then return hold[1] end
  end
  return nil
end

-- The holds of an open reservation. Ends the script where nothing can be done about them.
local function holdsThere(record)
  local holds = holdsOf(record)
  local deleted = deletedIn(holds)
  if deleted then missing(deleted) end
  return holds
end

-- @param own the reservation that the call is about, which is looked at in any case
-- @param isBrief where there are too many for one call, it does few of them
-- @param most so many others are looked at
-- True where some are left.
local function sweep(own, isBrief, most)
  local w, c, left = windows(), charges(), most or SWEEP_LIMIT
  local lives = {}
  for life in string.gmatch(ARGV[4], '%d+') do lives[#lives + 1] = tonumber(life) end
  local remembered, awaited, idle = unpack(lives)
  hasSwept = true

  local function drop(field)
    gone[#gone + 1] = field
    deletes[#deletes + 1] = field
  end

  local function dropSlots(serial)
    deletes[#deletes + 1] = 's' .. serial
    deletes[#deletes + 1] = 'f' .. serial
  end

  -- However late somebody looks, the window pays in which the hold expired.
  local function payerOf(known, kind, serial, expiresAt)
    if kind == 'l' or kind == 'p' then return known end
    if find(serial, '\t', 1, true) then
      local name, from, to = w.spanAt(serial, expiresAt)
      local endsAt = w.windowOf(known).endsAt
      local holder = w.named(known, name)
      if holder or not endsAt or from < endsAt then return holder or c.forgotten(known, name) end
      -- Nobody has come into that window yet.
      w.turn(known, name, from, to)
      return known
    end
    return w.find(known, serial) or known
  end

  local function expireHold(hold, expiresAt, admittedAt)
    local key, amount, _, flag, serial = unpack(hold)
    local known, kind = account(key), string.lower(flag)
    local holder = payerOf(known, kind, serial, expiresAt)
    local window, held = w.windowOf(holder), tonumber(amount)
    known[OPEN] = known[OPEN] - 1
    if kind == 'o' then
      holder[HELD] = holder[HELD] - held
    else
      known[CARRIED] = known[CARRIED] - held
    end
    local slot = w.slotAt(window, kind == 'l' and admittedAt or expiresAt)
    local charged = kind == flag and amount or '0'
    local cost = tonumber(charged)
    local isPlain = kind == 'o' and holder == known and at < known[TILL]
    if isPlain and known[COMMITTED] + cost < known[ALARM] then
      known[COMMITTED] = known[COMMITTED] + cost
    else
      c.book(known, holder, cost, held, slot)
    end
    if not window.endsAt then w.coldOf(known).awaits = at + awaited end
    save(known)
    local slotText = slot and format('%.0f', slot) or 'null'
    local charge = chargeOf(known, holder[WINDOW], slotText, charged, amount)
    return charge, { key, amount, charged, holder[SERIAL], holder[WINDOW], slotText, window.resets, known[NAMES] }
  end

  local function expire(field, record)
    local _, expiresAt, admittedAt = unpacked('<c1dd', record)
    local charged, awaits, holds = {}, {}, holdsOf(record)
    -- It waits for a rebuild.
    if deletedIn(holds) then return due(field, at + remembered) end
    for place, hold in ipairs(holds) do
      charged[place], awaits[place] = expireHold(hold, expiresAt, admittedAt)
    end
    writeExpiry(field, charged, awaits, awaited)
  end

  -- When what has ended is forgotten: many at a time, since nearly every call would come upon one else.
  local function forgottenAt(endedAt)
    local step = math.ceil(remembered / 64)
    return math.ceil((endedAt + remembered) / step) * step
  end

  local function visitReservation(field, record)
    local state, time = unpacked('<c1d', record)
    if state == EXPIRED then time = time + awaited end
    if state == SETTLED or state == RELEASED then time = forgottenAt(time) end
    if time > at then
      due(field, time)
    elseif state == OPEN_STATE then
      expire(field, record)
    else
      drop(field)
    end
  end

  -- Reservations that came in together. Those that are open are looked at one by one from now on, and
  -- those that have ended once all of these can be forgotten.
  local function visitQueue(field, queue)
    local members, next = {}, 1
    while left > 0 and next <= #queue do
      local last = find(queue, '\n', next, true)
      members[#members + 1], next, left = sub(queue, next, last - 1), last + 1, left - 1
    end
    fetch(members)
    local kept, latest = '', 0
    for _, member in ipairs(members) do
      local record = get(member)
      local state, time = nil, nil
      if record then state, time = unpacked('<c1d', record) end
      if state == OPEN_STATE then
        visitReservation(member, record)
      elseif (state == SETTLED or state == RELEASED) and time + remembered <= at then
        deletes[#deletes + 1] = member
      elseif state == SETTLED or state == RELEASED then
        kept, latest = kept .. member .. '\n', max(latest, time + remembered)
      end
    end
    local rest = sub(queue, next)
    if kept == '' and rest == '' then return drop(field) end
    put(field, rest .. kept)
    due(field, rest == '' and latest or at)
  end

  -- An account is forgotten once its window is over and nothing hangs on it.
  local function visitAccount(field)
    local key = sub(field, 2)
    local known = account(key)
    -- It is still listed, by which one can tell that it was not forgotten.
    if not known then return due(field, at + remembered) end
    local cold, window, time = w.coldOf(known), w.windowOf(known), nil
    w.advance(known)
    local isSet = cold.set and (not cold.set.till or at < cold.set.till)
    local isRaised = cold.raised and (not cold.raised.till or at < cold.raised.till)
    local isAwaited = cold.awaits and at < cold.awaits
    local isThrottled = known[DENIED] > dayTally()
    local isNeeded = known[CHANGED] or known[OPEN] > 0 or cold.isBlocked or isSet or isRaised
    if isNeeded or isAwaited or isThrottled then
      time = at + remembered
    elseif window.endsAt then
      time = window.endsAt + remembered + w.lookedBack(known, window)
    elseif window.step and known[COMMITTED] ~= 0 then
      time = at + window.length + window.step
    elseif w.isMarked(known, window) then
      -- Charges bring it to another amount; what might bring it back to the same says so in `used`.
      local seen = format('%.0f %.0f', known[COMMITTED], known[DENIED])
      if cold.seen ~= seen or cold.used then
        cold.seen, cold.used = seen, nil
        time = at + idle
        save(known)
      end
    end
    -- One without end among those that it has left may be come back to.
    for _, past in ipairs(cold.past) do
      if past[3] > at then time = max(time or 0, past[3]) end
    end
    if time and time > at then return due(field, time) end
    drop(field)
    deletes[#deletes + 1] = 'c' .. key
    dropSlots(known[SERIAL])
    accounts[key], raw[field] = nil, false
  end

  local function visitWindow(field, value)
    local other = w.otherOf(sub(field, 2))
    local known, window = account(other[KEY]), w.windowOf(other)
    -- Holds of nothing may name it. Where calls are open all the time, windows would pile up without an end.
    local length = window.startsAt and window.endsAt and window.endsAt - window.startsAt or 0
    local named = min(awaited, max(6 * remembered, 24 * length))
    local isNamed = known and known[OPEN] > 0 and (not window.endsAt or at < window.endsAt + named)
    -- One that has just been charged is written at the end, and would be there again without its sums.
    if isNamed or other[HELD] > 0 or other[CHANGED] then return due(field, at + remembered) end
    drop(field)
    dropSlots(other[SERIAL])
    w.forget(other[SERIAL])
  end

  local record = own and get(own)
  if record and sub(record, 1, 1) == OPEN_STATE then
    local _, expiresAt = unpacked('<c1d', record)
    if expiresAt <= at then expire(own, record) end
  end
  local function dueNow(most)
    return call('ZRANGEBYSCORE', DUE, '-inf', format('%.0f', at), 'LIMIT', 0, most)
  end

  -- Where the first three are queues, there are too many, and the others need not be asked for.
  local fields, count = dueNow(isBrief and 3 or SWEEP_LIMIT), 0
  for _, field in ipairs(fields) do
    count = count + (sub(field, 1, 1) == 'q' and QUEUE_LENGTH or 1)
  end
  if isBrief and #fields == 3 and count <= SWEEP_LIMIT then
    fields = dueNow(SWEEP_LIMIT)
    count = #fields
  end
  if isBrief and count >= SWEEP_LIMIT and #fields >= 3 then left = FEW end
  if at >= header[QUEUE_DUE] then
    local queue = get('q') or ''
    header[QUEUED], header[QUEUE_DUE] = 0, HUGE
    deletes[#deletes + 1], raw['q'] = 'q', ''
    visitQueue('q' .. nextSerial(), queue)
  end
  for _, field in ipairs(fields) do
    if left == 0 then break end
    local kind, value = sub(field, 1, 1), get(field)
    if value and kind == 'q' then
      visitQueue(field, value)
    else
      left = left - 1
      if kind == 'a' then
        visitAccount(field)
      elseif not value then
        drop(field)
      elseif kind == 'r' then
        visitReservation(field, value)
      elseif kind == 'w' then
        visitWindow(field)
      else
        drop(field)
      end
    end
  end
  return left == 0
end
