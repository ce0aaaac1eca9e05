-- What is due: a bounded number of fields, whatever they are.
local SWEEP_LIMIT = 64

local function sweep()
  local w, c = windows(), charges()
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
    if string.find(serial, '\t', 1, true) then
      local name, from, to = w.spanAt(serial, expiresAt)
      local endsAt = w.windowOf(known).endsAt
      local holder = w.named(known, name)
      if holder or not endsAt or from < endsAt then return holder or c.forgotten(known, name) end
      -- Nobody has come into that window yet.
      w.turn(known, name, from, to)
      return known
    end
    return w.find(known, serial) or c.forgotten(known, known[WINDOW])
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
    c.book(known, holder, tonumber(charged), held, slot)
    save(known)
    local slotText = slot and format('%.0f', slot) or 'null'
    local charge = chargeOf(known, holder[WINDOW], slotText, charged, amount)
    return charge, { key, amount, charged, holder[SERIAL], holder[WINDOW], slotText, window.resets, known[NAMES] }
  end

  local function expire(field, record)
    local _, expiresAt, admittedAt = struct.unpack('<c1dd', record)
    local charged, awaits = {}, {}
    for place, hold in ipairs(holdsOf(record)) do
      charged[place], awaits[place] = expireHold(hold, expiresAt, admittedAt)
    end
    local id, list = sub(field, 2), '[' .. concat(charged, ',') .. ']'
    put(field, endedRecord(EXPIRED) .. cmsgpack.pack(awaits))
    due(field, at + awaited)
    enter('expiry', id, list)
    notices[#notices + 1] = concat({ '["x","', id, '",', list, ',', format('%.0f', at), ']' })
  end

  local function visitReservation(field, record)
    local state, time = struct.unpack('<c1d', record)
    if state ~= OPEN_STATE then time = time + (state == EXPIRED and awaited or remembered) end
    if time > at then
      due(field, time)
    elseif state == OPEN_STATE then
      expire(field, record)
    else
      drop(field)
    end
  end

  -- An account is forgotten once its window is over and nothing hangs on it.
  local function visitAccount(field)
    local key = sub(field, 2)
    local known = account(key)
    local cold, window, time = w.coldOf(known), w.windowOf(known), nil
    w.advance(known)
    local isSet = cold.set and (not cold.set.till or at < cold.set.till)
    local isRaised = cold.raised and (not cold.raised.till or at < cold.raised.till)
    local isBare = known[COMMITTED] == 0 and window.added == 0
    local isThrottled = known[DENIED] > dayTally()
    if known[CHANGED] or known[OPEN] > 0 or cold.isBlocked or isSet or isRaised or isThrottled then
      time = at + remembered
    elseif window.endsAt then
      time = window.endsAt + remembered + w.lookedBack(known, window)
    elseif not isBare and cold.seen ~= known[COMMITTED] then
      cold.seen = known[COMMITTED]
      time = at + (window.step and window.length + window.step or idle)
      save(known)
    end
    if time and time > at then return due(field, time) end
    drop(field)
    deletes[#deletes + 1] = 'b' .. key
    deletes[#deletes + 1] = 'c' .. key
    dropSlots(known[SERIAL])
    accounts[key], raw[field] = nil, false
  end

  local function visitWindow(field, value)
    local other = w.otherOf(sub(field, 2))
    local known = account(other[KEY])
    if known and (known[OPEN] > 0 or other[HELD] > 0) then return due(field, at + remembered) end
    drop(field)
    dropSlots(other[SERIAL])
  end

  local fields = call('ZRANGEBYSCORE', DUE, '-inf', format('%.0f', at), 'LIMIT', 0, SWEEP_LIMIT)
  for _, field in ipairs(fields) do
    local kind, value = sub(field, 1, 1), get(field)
    if not value then
      drop(field)
    elseif kind == 'r' then
      visitReservation(field, value)
    elseif kind == 'a' then
      visitAccount(field)
    elseif kind == 'w' then
      visitWindow(field)
    else
      drop(field)
    end
  end
end
