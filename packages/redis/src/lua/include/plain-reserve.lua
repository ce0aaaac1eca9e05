-- The way of nearly all reservations: a new id, on accounts whose terms and windows are as they were,
-- while nothing is due. Decides as what follows does, without the functions that it would need.
do
  local count, field, expiresAt = (#ARGV - 7) / 5, 'r' .. ARGV[5], at + tonumber(ARGV[6])
  local fields = { 'm', field }
  for place = 1, count do fields[place + 2] = 'a' .. ARGV[3 + place * 5] end
  local found = call('HMGET', BOOKS, unpack(fields))
  local isPlain = found[1] and not found[2] and ARGV[6] ~= '0'
  local nextDue, serials, entered, touchAt, untold, epoch
  if isPlain then
    local clock
    clock, nextDue, serials, entered, touchAt, untold, epoch = struct.unpack(HEADER, found[1])
    isPlain = epoch == ARGV[3] and tonumber(ARGV[2]) <= clock and at >= clock
      and at < nextDue and at < touchAt and untold == 0
      and (ARGV[7] == '' or at <= tonumber(ARGV[7]))
  end

  local writes, parts = { 'm', '', field, '' }, { 'o', struct.pack('<dd', expiresAt, at) }
  local refusals, denied
  for place = 1, count do
    local value = isPlain and found[place + 2]
    if not value then
      isPlain = false
      break
    end
    local base = 3 + place * 5
    local amount, kind = ARGV[base + 1], sub(ARGV[base + 3], 1, 1)
    local committed, held, carried, open, denials, ends, till, gate, alarm, serial, id =
      struct.unpack(ACCOUNT, value)
    local requested, taken = tonumber(amount), committed + held + carried
    local isRolling = kind == 'l' or kind == 'p' or kind == 'L' or kind == 'P'
    local isCarried = kind == 'c' or kind == 'C'
    isPlain = id == ARGV[base + 2] and at < till and gate >= 0
      and not (isCarried and expiresAt >= till)
    if not isPlain then break end
    if taken >= gate or taken + requested > gate then
      -- When a rolling window has room again is not known here, nor what refuses nothing or rolls over.
      isPlain = not isRolling and sub(ARGV[base + 3], 2, 2) == '\n'
      local opensAt = ends < HUGE and ends or false
      local why = committed >= gate and 'spent' or committed + requested > gate and 'too-large' or 'held'
      if why == 'held' or gate == 0 or requested > gate then opensAt = false end
      refusals, denied = refusals or {}, denied or { 'm', '' }
      refusals[#refusals + 1] = {
        place - 1, why, { gate, committed, held + carried, requested },
        ends < HUGE and ends or false, opensAt,
      }
      denied[#denied + 1] = fields[place + 2]
      denied[#denied + 1] = struct.pack(
        ACCOUNT, committed, held, carried, open, denials + 1, ends, till, gate, alarm, serial, id
      )
    else
      if isRolling or isCarried then
        carried = carried + requested
      else
        held = held + requested
      end
      writes[place * 2 + 3] = fields[place + 2]
      writes[place * 2 + 4] = struct.pack(
        ACCOUNT, committed, held, carried, open + 1, denials, ends, till, gate, alarm, serial, id
      )
      local part = place * 8 - 5
      parts[part], parts[part + 1], parts[part + 2], parts[part + 3] = ARGV[base], '\0', amount, '\0\0'
      parts[part + 4], parts[part + 5], parts[part + 7] = kind, '\0', '\0'
      parts[part + 6] = isRolling and '' or serial
    end
  end
  if isPlain and refusals then
    denied[2] = struct.pack(HEADER, at, nextDue, serials, entered, touchAt, untold, epoch)
    call('HSET', BOOKS, unpack(denied))
    return { 'denied', at, refusals, '' }
  end
  if isPlain then
    nextDue = math.min(nextDue, expiresAt)
    writes[2] = struct.pack(HEADER, at, nextDue, serials, entered, touchAt, untold, epoch)
    writes[4] = concat(parts)
    call('HSET', BOOKS, unpack(writes))
    call('ZADD', DUE, expiresAt, field)
    return { 'held', at, expiresAt, '' }
  end
end
