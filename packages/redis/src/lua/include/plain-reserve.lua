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

  -- Room for three accounts from the start.
  local writes, used = { 'm', '', field, '', 'q', '', '', '', '', '', '', '' }, 6 + count * 2
  local shape, answer, denied = { '', '', '', '', '', '', '', '', '' }, nil, nil
  for place = 1, count do
    local value = isPlain and found[place + 3]
    if not value then
      isPlain = false
      break
    end
    local committed, held, open, denials, carried, till, gate, alarm, ends, serial, id, names, window =
      unpacked(ACCOUNT, value)
    local kind, requested = sub(id, 1, 1), ARGV[8 + count + place] + 0
    local isFixed, goesAlong = kind == 'o' or kind == 'O', kind == 'c' or kind == 'C'
    isPlain = id == ARGV[8 + count + count + place] and at < till and gate >= 0
      and (isFixed or not goesAlong or expiresAt < till)
    if not isPlain then break end
    if committed + held + carried >= gate or committed + held + carried + requested > gate then
      -- When a rolling window has room again is not known here, nor what refuses nothing or rolls over.
      isPlain = (isFixed or goesAlong) and sub(id, 2, 2) == ':'
      if not isPlain then break end
      local tally = max(denials, floor(at / 86400000) * 1e10) + 1
      answer, denied = answer or { 'denied', at, '', '' }, denied or { 'm', '' }
      denied[#denied + 1] = ARGV[8 + place]
      denied[#denied + 1] = packed(
        ACCOUNT, committed, held, open, tally, carried, till, gate, alarm, ends, serial, id, names, window
      )
      held = held + carried
      --@inside plain/refusal
    elseif not answer then
      if isFixed then
        held = held + requested
      else
        carried = carried + requested
      end
      writes[place * 2 + 5] = ARGV[8 + place]
      writes[place * 2 + 6] = packed(
        ACCOUNT, committed, held, open + 1, denials, carried, till, gate, alarm, ends, serial, id, names, window
      )
      shape[place * 3 - 2], shape[place * 3 - 1] = ARGV[8 + place], kind
      shape[place * 3] = (isFixed or goesAlong) and serial or ''
    end
  end
  if isPlain and answer then
    denied[2] = packed(HEADER, at, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch)
    call('HSET', BOOKS, unpack(denied))
    return answer
  end
  if isPlain then
    local queue = (found[3] or '') .. field .. '\n'
    queued, queueDue = queued + 1, min(queueDue, expiresAt)
    nextDue = min(nextDue, expiresAt)
    if queued == QUEUE_LENGTH then
      serials = serials + 1
      local full = 'q' .. format('%.0f', serials)
      writes[used + 1], writes[used + 2] = full, queue
      used = used + 2
      call('ZADD', DUE, queueDue, full)
      queue, queued, queueDue = '', 0, HUGE
    end
    writes[2] = packed(HEADER, at, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch)
    writes[4] = packed(
      '<c1dds' .. string.rep('s', count), 'o', expiresAt, at, concat(shape, '\n', 1, count * 3),
      unpack(ARGV, 9 + count, 8 + count + count)
    )
    writes[6] = queue
    call('HSET', BOOKS, unpack(writes, 1, used))
    return at
  end
end
