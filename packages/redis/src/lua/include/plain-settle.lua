-- The way of nearly all settlements: of open holds on fixed windows that are still current, at no more
-- than was held, below every threshold, while nothing is due. Charges as what follows does, without
-- the functions that it would need.
do
  local id, count = ARGV[5], tonumber(ARGV[8])
  local field = 'r' .. id
  local fields = { 'm', field }
  for place = 1, count do
    local key = ARGV[7 + place * 2]
    fields[place * 2 + 1], fields[place * 2 + 2] = 'a' .. key, 'b' .. key
  end
  local found = call('HMGET', BOOKS, unpack(fields))
  local record = found[2]
  local isPlain = found[1] and record and sub(record, 1, 1) == 'o' and count > 0
  local nextDue, serials, entered, touchAt, untold, epoch
  if isPlain then
    local clock
    clock, nextDue, serials, entered, touchAt, untold, epoch = struct.unpack(HEADER, found[1])
    isPlain = epoch == ARGV[3] and tonumber(ARGV[2]) <= clock and at >= clock
      and at < nextDue and at < touchAt and untold == 0 and entered > 0
  end

  local writes, charged, from = { 'm', '', field, '' }, {}, 18
  for place = 1, count do
    local value = isPlain and found[place * 2 + 1]
    if not value or from > #record then
      isPlain = false
      break
    end
    local key, heldText, _, kind, paying, after = struct.unpack('<sssss', record, from)
    from = after
    local committed, held, carried, open, denials, ends, till, gate, alarm, serial, termsId =
      struct.unpack(ACCOUNT, value)
    local names, window = struct.unpack('<ss', found[place * 2 + 2])
    local amount = ARGV[8 + place * 2]
    if amount == 'hold' then amount = heldText end
    local cost, holds = tonumber(amount), tonumber(heldText)
    isPlain = key == ARGV[7 + place * 2] and (kind == 'o' or kind == 'O') and paying == serial
      and at < till and cost <= holds and committed + cost < alarm
    if not isPlain then break end
    writes[place * 2 + 3] = fields[place * 2 + 1]
    writes[place * 2 + 4] = struct.pack(
      ACCOUNT, committed + cost, held - holds, carried, open - 1, denials, ends, till, gate, alarm,
      serial, termsId
    )
    local part = place * 10 - 9
    charged[part], charged[part + 1], charged[part + 2] = place == 1 and '[["' or '],["', key, '",'
    charged[part + 3], charged[part + 4], charged[part + 5] = names, ',"', window
    charged[part + 6], charged[part + 7], charged[part + 8] = '",null,', amount, ','
    charged[part + 9] = heldText
  end
  if isPlain and from > #record then
    charged[count * 10 + 1] = ']]'
    local list = concat(charged)
    entered = entered + 1
    writes[2] = struct.pack(HEADER, at, nextDue, serials, entered, touchAt, untold, epoch)
    writes[4] = 's' .. struct.pack('<d', at)
    call('HSET', BOOKS, unpack(writes))
    call('ZADD', DUE, forgottenAt(at), field)
    call(
      'XADD', LEDGER, format('%.0f-%.0f', at, entered), 'kind', 'settlement', 'of', id,
      'charges', list, 'outcome', ARGV[6], 'overshoot', '[]', 'details', ARGV[7]
    )
    return { 'settled', at, list, '[]', '' }
  end
end
