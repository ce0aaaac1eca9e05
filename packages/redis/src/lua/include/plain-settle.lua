-- The way of nearly all settlements: of open holds on fixed windows that are still current, at no more
-- than was held, below every threshold, while nothing is due. Charges as what follows does, without
-- the functions that it would need.
do
  local field, count = ARGV[5], ARGV[7] + 0
  local found = call('HMGET', BOOKS, 'm', field, unpack(ARGV, 8, 7 + count))
  local record = found[2]
  local isPlain = found[1] and record and sub(record, 1, 1) == 'o' and count > 0
  local nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch
  if isPlain then
    local clock
    clock, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch = unpacked(HEADER, found[1])
    isPlain = epoch == ARGV[3] and ARGV[2] + 0 <= clock and at >= clock
      and at < nextDue and at < touchAt and untold == 0 and entered > 0
  end

  -- Room for three accounts from the start.
  local writes, charged = { 'm', '', field, '', '', '', '', '', '', '' }, { '', '', '' }
  local shape, held, next = { '', '', '', '', '', '', '', '', '' }, nil, nil
  if isPlain then next = find(record, '\0', BEFORE_SHAPE + 1, true) + 1 end
  for place = 1, count do
    local value = isPlain and found[place + 2]
    if not value or next > #record then
      isPlain = false
      break
    end
    held, next = unpacked('<s', record, next)
    local account, amount = ARGV[7 + place], ARGV[7 + count + place]
    if amount == 'hold' then amount = held end
    local committed, holds, open, denials, carried, till, gate, alarm, ends, serial, id, names, window =
      unpacked(ACCOUNT, value)
    local kind, cost, hold = sub(id, 1, 1), amount + 0, held + 0
    isPlain = (kind == 'o' or kind == 'O') and at < till and cost <= hold and committed + cost < alarm
    if not isPlain then break end
    writes[place * 2 + 3] = account
    writes[place * 2 + 4] = packed(
      ACCOUNT, committed + cost, holds - hold, open - 1, denials, carried, till, gate, alarm, ends, serial, id,
      names, window
    )
    shape[place * 3 - 2], shape[place * 3 - 1], shape[place * 3] = account, kind, serial
    charged[place] = sub(account, 2) .. '",' .. names .. ',"' .. window .. '",null,' .. amount .. ',' .. held
  end
  -- The same accounts in the same order, each to be charged as it was when the call was admitted.
  if isPlain and find(record, concat(shape, '\n', 1, count * 3) .. '\0', BEFORE_SHAPE + 1, true) == BEFORE_SHAPE + 1 then
    local list = '[["' .. concat(charged, '],["', 1, count) .. ']]'
    entered = entered + 1
    writes[2] = packed(HEADER, at, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch)
    writes[4] = packed('<c1d', 's', at)
    local now = time and time[1] .. sub('00000' .. time[2], -6, -4) or format('%.0f', at)
    -- First: where the ledger takes no entry, nothing is written.
    call('XADD', LEDGER, now .. '-' .. format('%.0f', entered), 'settlement', ARGV[6], 'charges', list)
    call('HSET', BOOKS, unpack(writes, 1, 4 + count * 2))
    return now .. list
  end
end
