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

  local writes, charged, from = { 'm', '', field, '', '', '', '', '', '', '' }, { '', '', '' }, 18
  for place = 1, count do
    local value = isPlain and found[place + 2]
    if not value or from > #record then
      isPlain = false
      break
    end
    local account, heldText, _, kind, paying, after = unpacked('<sssss', record, from)
    from = after
    local committed, held, open, denials, carried, till, gate, alarm, ends, serial, id, names, window =
      unpacked(ACCOUNT, value)
    local amount = ARGV[7 + count + place]
    if amount == 'hold' then amount = heldText end
    local cost, holds = amount + 0, heldText + 0
    isPlain = account == ARGV[7 + place] and (kind == 'o' or kind == 'O') and paying == serial
      and at < till and cost <= holds and committed + cost < alarm
    if not isPlain then break end
    writes[place * 2 + 3] = account
    writes[place * 2 + 4] = packed(
      ACCOUNT, committed + cost, held - holds, open - 1, denials, carried, till, gate, alarm, ends, serial, id,
      names, window
    )
    charged[place] = sub(account, 2) .. '",' .. names .. ',"' .. window .. '",null,' .. amount .. ',' .. heldText
  end
  if isPlain and from > #record then
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
