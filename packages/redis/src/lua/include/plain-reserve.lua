-- The way of nearly all reservations: a new id, on accounts whose terms and windows are as they were,
-- while nothing is due. Decides as what follows does, without the functions that it would need.
do
  local field, count, expiresAt = ARGV[5], ARGV[8] + 0, at + ARGV[6]
  local found = call('HMGET', BOOKS, 'm', field, 'q', unpack(ARGV, 9, 8 + count))
  local isPlain = found[1] and not found[2] and ARGV[6] ~= '0'
  local nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch
  if isPlain then
    local clock
    clock, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch = unpacked(HEADER, found[1])
    isPlain = epoch == ARGV[3] and ARGV[2] + 0 <= clock and at >= clock
      and at < nextDue and at < touchAt and untold == 0
      and (ARGV[7] == '' or at <= ARGV[7] + 0)
  end

  local record = packed('<c1dd', 'o', expiresAt, at)
  -- Room for three accounts from the start.
  local writes = { 'm', '', field, '', 'q', '', '', '', '', '', '', '' }
  local used, refusals, denied = 6 + count * 2, nil, nil
  for place = 1, count do
    local value = isPlain and found[place + 3]
    if not value then
      isPlain = false
      break
    end
    local account, amount = ARGV[8 + place], ARGV[8 + count + place]
    local committed, held, open, denials, carried, till, gate, alarm, ends, serial, id, names, window =
      unpacked(ACCOUNT, value)
    local kind, requested, taken = sub(id, 1, 1), amount + 0, committed + held + carried
    local isFixed = kind == 'o' or kind == 'O'
    isPlain = id == ARGV[8 + count + count + place] and at < till and gate >= 0
      and (isFixed or kind ~= 'c' and kind ~= 'C' or expiresAt < till)
    if not isPlain then break end
    if taken >= gate or taken + requested > gate then
      -- When a rolling window has room again is not known here, nor what refuses nothing or rolls over.
      isPlain = kind ~= 'l' and kind ~= 'p' and kind ~= 'L' and kind ~= 'P' and sub(id, 2, 2) == ':'
      local why = committed >= gate and 'spent' or committed + requested > gate and 'too-large' or 'held'
      local endsAt = ends < HUGE and ends or false
      local opensAt = why ~= 'held' and gate ~= 0 and requested <= gate and endsAt
      refusals, denied = refusals or { 'denied', at, '', '' }, denied or { 'm', '' }
      local last, from = #refusals, #denied
      refusals[last + 1], refusals[last + 2], refusals[last + 3] = place - 1, why, gate
      refusals[last + 4], refusals[last + 5] = committed, held + carried
      refusals[last + 6], refusals[last + 7], refusals[last + 8] = requested, endsAt, opensAt
      refusals[last + 9] = 0
      denied[from + 1] = account
      denied[from + 2] = packed(
        ACCOUNT, committed, held, open, math.max(denials, dayTally()) + 1, carried, till, gate, alarm, ends, serial, id, names, window
      )
    else
      local paying = serial
      if isFixed then
        held = held + requested
      else
        carried = carried + requested
        if kind ~= 'c' and kind ~= 'C' then paying = '' end
      end
      writes[place * 2 + 5] = account
      writes[place * 2 + 6] = packed(
        ACCOUNT, committed, held, open + 1, denials, carried, till, gate, alarm, ends, serial, id, names, window
      )
      record = record .. packed('<sssss', account, amount, '', kind, paying)
    end
  end
  if isPlain and refusals then
    denied[2] = packed(HEADER, at, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch)
    call('HSET', BOOKS, unpack(denied))
    return refusals
  end
  if isPlain then
    local queue = (found[3] or '') .. field .. '\n'
    queued, queueDue = queued + 1, math.min(queueDue, expiresAt)
    nextDue = math.min(nextDue, expiresAt)
    if queued == QUEUE_LENGTH then
      serials = serials + 1
      local full = 'q' .. format('%.0f', serials)
      writes[used + 1], writes[used + 2] = full, queue
      used = used + 2
      call('ZADD', DUE, queueDue, full)
      queue, queued, queueDue = '', 0, HUGE
    end
    writes[2] = packed(HEADER, at, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch)
    writes[4], writes[6] = record, queue
    call('HSET', BOOKS, unpack(writes, 1, used))
    return at
  end
end
