// Made by flatten-scripts.ts from the files in lua/. Do not edit.

/** A script, and what Redis knows it by. */
export interface Script {
  readonly name: string;
  readonly sha: string;
  readonly text: string;
  /** The same with flags, for servers that know them. */
  readonly flagged?: { readonly sha: string; readonly text: string };
}

const FLAGS = '#!lua flags=allow-oom\n';

const CHARGES_PART: string = String.raw`
local madeCharges
local function charges()
if madeCharges then return madeCharges end
local made, w = {}, windows()
madeCharges = made
local function textOf(number) return number and format('%.0f', number) or 'null' end
local function cross(known, holder, before)
local window, terms = w.windowOf(holder), w.termsOf(known[TERMS])
local limit = w.limitOf(known, window)
if limit == HUGE then return end
for _, share in ipairs(terms.shares) do
local amount = w.reachedAt(limit, share)
if window.step and before < amount then window.fired[share] = nil end
if holder[COMMITTED] >= amount and not window.fired[share] then
window.fired[share] = true
notices[#notices + 1] = concat({
'["t","', known[KEY], '",', known[NAMES], ',', textOf(share), ',',
textOf(holder[COMMITTED]), ',', textOf(limit), ',"', holder[WINDOW], '",',
textOf(w.startOf(window)), ',', textOf(window.endsAt), ',', textOf(at), ']',
})
end
end
end
function made.book(known, holder, amount, held, slot)
w.advance(holder)
local window = w.windowOf(holder)
local before, overshoot = holder[COMMITTED], 0
w.add(holder, amount, slot)
if window.isPart then return nil end
cross(known, holder, before)
if amount > held then
local above = holder[COMMITTED] + holder[HELD] + known[CARRIED] - w.boundOf(known, window)
overshoot = math.min(above, amount - held)
end
w.refresh(known)
save(known)
if known ~= holder then save(holder) end
return overshoot > 0 and overshoot or nil
end
function made.forgotten(known, name)
local holder = { 0, 0, 0, 0, 0 }
holder[WINDOW], holder[SERIAL], holder[IS_OTHER] = name, '', true
holder[COLD] = { window = { added = 0, resets = 0, fired = {}, isPart = true } }
return holder
end
return made
end
local function chargeOf(known, name, slot, amount, held)
return concat({ '["', known[KEY], '",', known[NAMES], ',"', name, '",', slot, ',', amount, ',', held, ']' })
end
local function enter(kind, subject, charged, ...)
header[ENTRIES] = header[ENTRIES] + 1
if header[ENTRIES] == 1 then header[TOUCH_AT] = 0 end
local id = format('%.0f-%.0f', at, header[ENTRIES])
entries[#entries + 1] = { id, 'kind', kind, 'of', subject, 'charges', charged, ... }
end`;

const CLAIMS_PART: string = String.raw`
local function payerOf(known, kind, way, expiresAt)
if kind == 'o' or kind == 'O' then return known[SERIAL] end
if kind ~= 'c' and kind ~= 'C' then return '' end
local endsAt = windows().windowOf(known).endsAt
if not endsAt or expiresAt < endsAt then return known[SERIAL] end
local span = string.match(way, '([^\n]*)$')
return windows().spanAt(span, expiresAt) and span or nil
end
local function hold(known, kind, amount, count, holder)
if kind == 'o' or kind == 'O' then
holder = holder or known
holder[HELD] = holder[HELD] + amount
if holder ~= known then
save(holder)
windows().refresh(known)
end
else
known[CARRIED] = known[CARRIED] + amount
end
known[OPEN] = known[OPEN] + count
save(known)
end`;

const LAYOUT_PART: string = String.raw`
local call, format, sub, concat = redis.call, string.format, string.sub, table.concat
local HUGE = math.huge
local BOOKS, DUE, LEDGER = KEYS[1], KEYS[2], KEYS[3]
local COMMITTED, HELD, CARRIED, OPEN, DENIED, ENDS, TILL, GATE, ALARM = 1, 2, 3, 4, 5, 6, 7, 8, 9
local SERIAL, TERMS_ID, NAMES, WINDOW, TERMS, REST, KEY = 10, 11, 12, 13, 14, 15, 16
local COLD, CHANGED, FRESH, LEFT, SLOTS, IS_OTHER = 17, 18, 19, 20, 21, 22
local ACCOUNT = '<dddddddddss'
local TOLERATED_LOSS = 5000
local CLOCK, NEXT_DUE, SERIALS, ENTRIES, TOUCH_AT, UNTOLD, EPOCH = 1, 2, 3, 4, 5, 6, 7
local HEADER = '<dddddds'
local function forgottenAt(now)
local remembered = tonumber(string.match(ARGV[4], '^%d+'))
local step = math.ceil(remembered / 64)
return math.ceil((now + remembered) / step) * step
end
local at = tonumber(ARGV[1])
if not at then
local time = call('TIME')
at = time[1] * 1000 + math.floor(time[2] / 1000)
end`;

const PLAIN_RESERVE_PART: string = String.raw`
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
end`;

const PLAIN_SETTLE_PART: string = String.raw`
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
end`;

const REFUSALS_PART: string = String.raw`
local function opensAtOf(holder, limit, requested)
local window, committed, slots = windows().windowOf(holder), holder[COMMITTED], windows().slotsOf(holder)
for place = 1, #slots, 2 do
committed = committed - slots[place + 1]
if committed < limit and committed + requested <= limit then
return slots[place] + window.step + window.length
end
end
return nil
end
local function refusalOf(place, known, holder, requested, own, terms)
local window = windows().windowOf(holder)
local limit = windows().boundOf(known, window, terms)
local committed, held = holder[COMMITTED], holder[HELD] + known[CARRIED] - own
local kind
if windows().isBlocked(known, terms) then
kind = 'blocked'
elseif committed + held < limit and committed + held + requested <= limit then
return nil
else
kind = committed >= limit and 'spent' or committed + requested > limit and 'too-large' or 'held'
end
local opensAt = window.endsAt
if kind == 'blocked' or kind == 'held' or limit == 0 or requested > limit then
opensAt = nil
elseif window.step then
opensAt = opensAtOf(holder, limit, requested)
end
local rolled = windows().rolledInto(known, window, terms)
local figures = { limit ~= HUGE and limit or false, committed, held, requested, rolled }
return { place, kind, figures, window.endsAt or false, opensAt or false }
end`;

const RESERVATIONS_PART: string = String.raw`
local OPEN_STATE, SETTLED, RELEASED, EXPIRED = 'o', 's', 'l', 'x'
local RESOLUTIONS = { s = 'settled', l = 'released', x = 'expired' }
local function holdsOf(record)
local holds, place = {}, 18
while place <= #record do
local key, amount, reserved, kind, serial, after = struct.unpack('<sssss', record, place)
holds[#holds + 1] = { key, amount, reserved == '' and amount or reserved, kind, serial }
place = after
end
return holds
end
local function openRecord(expiresAt, admittedAt, holds)
local parts = { OPEN_STATE .. struct.pack('<dd', expiresAt, admittedAt) }
for place, hold in ipairs(holds) do
local reserved = hold[3] == hold[2] and '' or hold[3]
parts[place + 1] = struct.pack('<sssss', hold[1], hold[2], reserved, hold[4], hold[5])
end
return concat(parts)
end
local function ended(record)
if not record then return { 'never', at, finish(false) } end
return { 'ended', at, RESOLUTIONS[sub(record, 1, 1)], finish(false) }
end
local function endedRecord(state)
return state .. struct.pack('<d', at)
end
local function isSame(holds, from, count)
if #holds ~= count then return false end
for place = 0, count - 1 do
local isHeld = false
for _, hold in ipairs(holds) do
isHeld = isHeld or hold[1] == ARGV[from + place * 5] and hold[3] == ARGV[from + place * 5 + 1]
end
if not isHeld then return false end
end
return true
end`;

const STORE_PART: string = String.raw`
local header, hasSwept
local raw, accounts, changed = {}, {}, {}
local writes, written, deletes, gone = {}, {}, {}, {}
local scores, entries, notices = {}, {}, {}
local function begin(fields)
local found = call('HMGET', BOOKS, 'm', unpack(fields))
if not found[1] then return { 'lost' } end
header = { struct.unpack(HEADER, found[1]) }
local acknowledged, clock = tonumber(ARGV[2]), header[CLOCK]
local isLost = header[EPOCH] ~= ARGV[3] or acknowledged > clock + TOLERATED_LOSS
if isLost then return { 'lost', header[EPOCH] } end
at = math.max(at, clock, acknowledged)
if acknowledged > clock then notices[1] = '["r",' .. format('%.0f', at) .. ']' end
for place, field in ipairs(fields) do raw[field] = found[place + 1] end
return nil
end
local function get(field)
local value = raw[field]
if value == nil then
value = call('HGET', BOOKS, field)
raw[field] = value
end
return value
end
local function put(field, value)
local place = written[field]
if not place then
place = #writes + 2
writes[place - 1] = field
written[field] = place
end
writes[place] = value
raw[field] = value
end
local function due(field, time)
scores[#scores + 1] = time
scores[#scores + 1] = field
if time < header[NEXT_DUE] then header[NEXT_DUE] = time end
end
local function account(key)
local known = accounts[key]
if known then return known end
local value = get('a' .. key)
if not value then return nil end
known = { struct.unpack(ACCOUNT, value) }
known[NAMES], known[WINDOW] = struct.unpack('<ss', get('b' .. key))
local rest = get('c' .. key)
known[TERMS], known[REST] = struct.unpack('<s', rest)
known[REST], known[KEY] = sub(rest, known[REST]), key
accounts[key] = known
return known
end
local function save(known)
if known[CHANGED] then return end
known[CHANGED] = true
changed[#changed + 1] = known
end
local function putOther(known)
local figures = { known[COMMITTED], known[HELD], known[DENIED] }
local names = { known[WINDOW], known[KEY], known[NAMES] }
put('w' .. known[SERIAL], cmsgpack.pack({ figures, names, known[COLD].window }))
end
local function putAccount(known)
put('a' .. known[KEY], struct.pack(ACCOUNT, unpack(known, 1, TERMS_ID)))
if not known[COLD] then return end
put('b' .. known[KEY], struct.pack('<ss', known[NAMES], known[WINDOW]))
put('c' .. known[KEY], struct.pack('<s', known[TERMS]) .. cmsgpack.pack(known[COLD]))
end
local function tell(isSilent)
local told = concat(notices, ',')
if isSilent and told == '' or not isSilent and header[UNTOLD] == 0 then return told end
local before = header[UNTOLD] == 1 and get('n') or ''
if before ~= '' and told ~= '' then before = before .. ',' end
told = before .. told
header[UNTOLD] = isSilent and 1 or 0
if not isSilent then
deletes[#deletes + 1] = 'n'
elseif #told <= 262144 then
put('n', told)
end
return told
end
local function send(command, key, list)
for from = 1, #list, 4000 do
call(command, key, unpack(list, from, math.min(from + 3999, #list)))
end
end
local function finish(isSilent)
local told = tell(isSilent)
local place = 1
while changed[place] do
local known = changed[place]
local field = known[IS_OTHER] and 'w' .. known[SERIAL] or 'a' .. known[KEY]
if known[IS_OTHER] then putOther(known) else putAccount(known) end
if known[FRESH] then due(field, known[FRESH]) end
if known[SLOTS] then
local slots = known[SLOTS]
put('s' .. known[SERIAL], struct.pack('<' .. string.rep('d', #slots), unpack(slots)))
end
if known[LEFT] then save(known[LEFT]) end
place = place + 1
end
send('ZREM', DUE, gone)
send('ZADD', DUE, scores)
if hasSwept then header[NEXT_DUE] = tonumber(call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2]) or HUGE end
for _, entry in ipairs(entries) do call('XADD', LEDGER, unpack(entry)) end
if at >= header[TOUCH_AT] then
local idle = string.match(ARGV[4], '%d+$')
for _, key in ipairs(KEYS) do call('PEXPIRE', key, idle) end
header[TOUCH_AT] = at + tonumber(idle) / 2
end
header[CLOCK] = at
put('m', struct.pack(HEADER, unpack(header, 1, 7)))
send('HDEL', BOOKS, deletes)
send('HSET', BOOKS, writes)
return told
end`;

const SWEEP_PART: string = String.raw`
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
local function payerOf(known, kind, serial, expiresAt)
if kind == 'l' or kind == 'p' then return known end
if string.find(serial, '\t', 1, true) then
local name, from, to = w.spanAt(serial, expiresAt)
local endsAt = w.windowOf(known).endsAt
local holder = w.named(known, name)
if holder or not endsAt or from < endsAt then return holder or c.forgotten(known, name) end
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
local function visitAccount(field)
local key = sub(field, 2)
local known = account(key)
local cold, window, time = w.coldOf(known), w.windowOf(known), nil
w.advance(known)
local isSet = cold.set and (not cold.set.till or at < cold.set.till)
local isRaised = cold.raised and (not cold.raised.till or at < cold.raised.till)
local isBare = known[COMMITTED] == 0 and window.added == 0
if known[CHANGED] or known[OPEN] > 0 or cold.isBlocked or isSet or isRaised then
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
end`;

const WINDOWS_PART: string = String.raw`
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
local function coldOf(known)
if not known[COLD] then known[COLD] = cmsgpack.unpack(known[REST]) end
return known[COLD]
end
made.coldOf = coldOf
function made.windowOf(holder) return coldOf(holder).window end
local function termsOf(text)
local terms = parsed[text]
if terms then return terms end
local limit, flags, shares, length, step =
string.match(text, '^[^\n]*\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n([^\n]*)\n')
terms = { limit = tonumber(limit), shares = {} }
terms.length, terms.step = tonumber(length), tonumber(step)
terms.isBlocked = string.find(flags, 'b', 1, true) ~= nil
terms.rollover = tonumber(string.match(flags, 'r(%d+)'))
for share in string.gmatch(shares, '%d+') do
terms.shares[#terms.shares + 1] = tonumber(share)
end
parsed[text] = terms
return terms
end
made.termsOf = termsOf
local function baseOf(known, terms)
local set = coldOf(known).set
if set and (not set.till or at < set.till) then return set.to end
return (terms or termsOf(known[TERMS])).limit
end
function made.rolledInto(known, window, terms)
local base = window.before and at < window.endsAt and baseOf(known, terms)
local before = base and window.before ~= '' and made.otherOf(window.before)
if not base or window.before ~= '' and not before then return 0 end
local left = base - (before and before[COMMITTED] + before[HELD] or 0)
return math.max(0, math.min((terms or termsOf(known[TERMS])).rollover or 0, left))
end
function made.limitOf(known, window, terms)
local limit, raised = baseOf(known, terms), coldOf(known).raised
if not limit then return HUGE end
if raised and (not raised.till or at < raised.till) then limit = limit + raised.by end
return limit + window.added + made.rolledInto(known, window, terms)
end
function made.boundOf(known, window, terms)
local limit, after = made.limitOf(known, window, terms), window.next and made.find(known, window.next)
if not after or limit == HUGE then return limit end
local lent = after[COMMITTED] + after[HELD] - (limit - window.added + made.windowOf(after).added)
return lent > 0 and math.max(0, baseOf(known, terms) - lent) or limit
end
function made.isBlocked(known, terms)
return coldOf(known).isBlocked or (terms or termsOf(known[TERMS])).isBlocked
end
function made.reachedAt(limit, share)
local rest = math.fmod(limit, 1000000)
return (limit - rest) / 1000000 * share + math.ceil(rest * share / 1000000)
end
local function slotsOf(holder)
local serial = holder[SERIAL]
local slots = slotsBy[serial]
if slots then return slots end
local value = get('s' .. serial) or ''
slots = { struct.unpack('<' .. string.rep('d', #value / 8), value) }
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
function made.slotAt(window, time)
return window.step and floorTo(time, window.step) or nil
end
function made.startOf(window)
return window.step and floorTo(at - window.length, window.step) or window.startsAt
end
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
function made.refresh(known)
made.advance(known)
local cold, terms = coldOf(known), termsOf(known[TERMS])
local window, set, raised = cold.window, cold.set, cold.raised
local limit = made.limitOf(known, window)
known[GATE] = made.isBlocked(known) and -1 or limit
local till = window.endsAt or HUGE
if set and set.till and at < set.till then till = math.min(till, set.till) end
if raised and raised.till and at < raised.till then till = math.min(till, raised.till) end
if window.oldest then till = math.min(till, window.oldest + window.step + window.length) end
known[ENDS], known[TILL], known[ALARM] = window.endsAt or HUGE, till, HUGE
if limit == HUGE then return end
for _, share in ipairs(terms.shares) do
local amount = made.reachedAt(limit, share)
local isDone = window.fired[share] and not (window.step and amount > known[COMMITTED])
if not isDone then known[ALARM] = math.min(known[ALARM], amount) end
end
end
local function nextSerial()
header[SERIALS] = header[SERIALS] + 1
return format('%.0f', header[SERIALS])
end
local function otherOf(serial)
local other = others[serial]
if other ~= nil then return other or nil end
local value = get('w' .. serial)
others[serial] = false
if not value then return nil end
local figures, names, window = unpack(cmsgpack.unpack(value))
other = { figures[1], figures[2], 0, 0, figures[3] }
other[SERIAL], other[WINDOW], other[KEY], other[NAMES] = serial, names[1], names[2], names[3]
other[COLD], other[IS_OTHER] = { window = window }, true
others[serial] = other
return other
end
made.otherOf = otherOf
function made.find(known, serial)
if known[SERIAL] == serial then return known end
return otherOf(serial)
end
function made.named(known, name)
if known[WINDOW] == name then return known end
for _, past in ipairs(coldOf(known).past) do
if past[1] == name then return otherOf(past[2]) end
end
return nil
end
function made.lookedBack(known, window)
local rolls = window.endsAt and termsOf(known[TERMS]).rollover
return rolls and 3 * (window.endsAt - window.startsAt) or 0
end
local function remembered() return tonumber(string.match(ARGV[4], '^%d+')) end
made.remembered = remembered
local function newWindow(terms, startsAt, endsAt)
return {
added = 0, resets = 0, fired = {}, startsAt = startsAt, endsAt = endsAt,
length = terms.length, step = terms.step,
}
end
local function leave(known)
local cold = coldOf(known)
local window, past = cold.window, {}
for _, each in ipairs(cold.past) do
if each[3] > at then past[#past + 1] = each end
end
cold.past = past
local other = { known[COMMITTED], known[HELD], 0, 0, known[DENIED] }
other[SERIAL], other[WINDOW], other[KEY] = known[SERIAL], known[WINDOW], known[KEY]
other[NAMES] = known[NAMES]
other[COLD], other[IS_OTHER], other[SLOTS] = { window = window }, true, known[SLOTS]
known[SLOTS] = nil
local endsAt = window.endsAt or (window.length and at + window.length + window.step) or at
other[FRESH] = math.max(endsAt, at) + remembered() + made.lookedBack(known, window)
others[known[SERIAL]] = other
known[LEFT] = other
past[#past + 1] = { known[WINDOW], known[SERIAL], other[FRESH] }
end
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
known[COMMITTED], known[HELD], known[DENIED] = back[COMMITTED], back[HELD], back[DENIED]
known[SERIAL], cold.window = back[SERIAL], back[COLD].window
deletes[#deletes + 1] = 'w' .. back[SERIAL]
else
known[COMMITTED], known[HELD], known[DENIED] = 0, 0, 0
known[SERIAL] = nextSerial()
cold.window = newWindow(termsOf(known[TERMS]), startsAt, endsAt)
end
known[WINDOW] = name
end
made.turn = turn
local function lookBack(known, way)
local last, earlier = string.match(way, '^[^\n]*\n[^\n]*\n([^\t\n]*)\t([^\n]*)')
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
function made.spanAt(text, time)
local from, to, name = string.match(text, '^(%-?%d*)\t(%-?%d*)\t(.*)$')
if not name then return false end
from, to = tonumber(from), tonumber(to)
if from and time < from or to and time >= to then return false end
return name, from, to
end
local function complete(known, from, to)
local window, terms = made.windowOf(known), termsOf(known[TERMS])
if not window.isRevived then return end
window.isRevived, window.startsAt, window.endsAt = nil, from, to
window.length, window.step = terms.length, terms.step
end
function made.open(key, id, way, terms)
local known = account(key)
local isSame = known and known[TERMS_ID] == id
if not isSame and terms == '' then return nil end
local name, from, to = known and known[WINDOW], nil, nil
local window = isSame and coldOf(known).window
if not isSame or window.endsAt and at >= window.endsAt then
name, from, to = made.spanAt(string.match(way, '^[^\n]*\n([^\n]*)') or '', at)
if not name then return nil end
end
if not known then
known = { 0, 0, 0, 0, 0, HUGE, 0, HUGE, HUGE, nextSerial(), id, '', name, terms, '', key }
known[COLD] = { past = {}, window = newWindow(termsOf(terms), from, to) }
known[FRESH] = (to or at) + remembered()
accounts[key] = known
end
if not isSame then
known[TERMS_ID], known[TERMS], known[NAMES] = id, terms, string.match(terms, '^[^\n]*')
end
if known[WINDOW] ~= name then
turn(known, name, from, to)
if termsOf(known[TERMS]).rollover then lookBack(known, way) end
end
if not isSame then complete(known, from, to) end
made.refresh(known)
return known
end
return made
end
local function open(key, id, way, terms)
local known = account(key)
if known and known[TERMS_ID] == id and at < known[TILL] then return known end
return windows().open(key, id, way, terms)
end`;

const ADJUST_OWN: string = String.raw`
local id, key = ARGV[5], ARGV[6]
local lost = begin({ 'j' .. id, 'a' .. key })
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
local isHere = ARGV[8] ~= ''
local known = isHere and windows().open(key, ARGV[7], ARGV[8], ARGV[9])
if isHere and not known then return { 'stale', at } end
local w, cold = windows(), isHere and windows().coldOf(known) or {}
local window, amount, untilTime = cold.window, tonumber(ARGV[11]), tonumber(ARGV[12])
local charged = {}
local function reset()
local slots = window.step and { unpack(w.slotsOf(known)) } or { false, known[COMMITTED] }
for place = 1, #slots, 2 do
local slot, spent = slots[place], slots[place + 1]
if spent ~= 0 then
w.add(known, -spent, slot or nil)
local slotText = slot and format('%.0f', slot) or 'null'
charged[#charged + 1] = chargeOf(known, known[WINDOW], slotText, format('%.0f', -spent), '0')
end
end
window.resets = window.resets + 1
end
local function spentIn(holder, slot)
local slots = w.slotsOf(holder)
for place = 1, #slots, 2 do
if slots[place] == slot then return slots[place + 1] end
end
return 0
end
local function applied(key, name, slot, asked)
local known = account(key)
local holder = known and w.named(known, name)
local window = holder and w.windowOf(holder)
if not window or window.endsAt and window.endsAt <= at then return end
if (window.step == nil) ~= (slot == nil) or slot and slot < w.startOf(window) then return end
w.advance(holder)
local there = slot and spentIn(holder, slot) or holder[COMMITTED]
local by = math.max(asked, -math.max(0, there))
if by == 0 then return end
charges().book(known, holder, by, HUGE, slot)
local slotText = slot and format('%.0f', slot) or 'null'
charged[#charged + 1] = chargeOf(known, name, slotText, format('%.0f', by), '0')
end
local function correct()
for id in string.gmatch(ARGV[15], '[^\n]+') do
local field = 'r' .. id
local record = get(field)
if record and sub(record, 1, 1) == EXPIRED then
put(field, sub(record, 1, 9) .. cmsgpack.pack({}))
end
end
for place = 16, #ARGV, 4 do
applied(ARGV[place], ARGV[place + 1], tonumber(ARGV[place + 2]), tonumber(ARGV[place + 3]))
end
end
local changes = {
['top-up'] = function() window.added = window.added + amount end,
limit = function() cold.set = { to = amount, till = untilTime } end,
['limit-add'] = function() cold.raised = { by = amount, till = untilTime } end,
block = function() cold.isBlocked = true end,
unblock = function() cold.isBlocked = nil end,
reset = reset,
correction = correct,
}
local isRepeated = raw['j' .. id]
if not isRepeated then
changes[ARGV[10]]()
put('j' .. id, '1')
due('j' .. id, at + w.remembered())
enter('adjustment', id, '[' .. concat(charged, ',') .. ']', 'account', key, 'names',
isHere and known[NAMES] or ARGV[9], 'change', ARGV[13], 'details', ARGV[14])
if isHere then
w.refresh(known)
save(known)
end
end
if not isHere then return { isRepeated and 'repeated' or 'adjusted', at, false, finish(false) } end
local limit = w.limitOf(known, window)
local reading = {
limit ~= HUGE and limit or false, w.isBlocked(known) and 1 or 0,
known[COMMITTED], known[HELD] + known[CARRIED], known[DENIED], w.rolledInto(known, window),
}
return { isRepeated and 'repeated' or 'adjusted', at, reading, finish(false) }`;
const ADJUST_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, ADJUST_OWN].join('');

export const ADJUST: Script = {
  name: 'adjust',
  sha: 'cebd1a29094e4cb3aefb2a815cf1a862cb0739bb',
  text: ADJUST_TEXT,
};

const EXTEND_OWN: string = String.raw`
local field, ttl, count = 'r' .. ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local fields, ways, claims = { field }, {}, {}
for place = 1, count do
local key, amount, id, way, terms = unpack(ARGV, 3 + place * 5, 7 + place * 5)
fields[place + 1], ways[key] = 'a' .. key, way
claims[place] = { key, amount, id, way, terms }
end
for place = 8 + count * 5, #ARGV, 2 do ways[ARGV[place]] = ARGV[place + 1] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
local record = raw[field]
if not record or sub(record, 1, 1) ~= OPEN_STATE then return ended(record) end
local _, _, admittedAt = struct.unpack('<c1dd', record)
local holds, byKey, expiresAt = holdsOf(record), {}, at + ttl
for _, each in ipairs(holds) do byKey[each[1]] = each end
local refusals, isDenied, stale = {}, false, { 'stale', at }
local function isOwn(kind) return kind == 'o' or kind == 'O' end
local function staleAt(known)
stale[#stale + 1], stale[#stale + 2] = known[KEY], known[TERMS]
end
for place, claim in ipairs(claims) do
local key, amount, id, way, terms = unpack(claim)
local held = byKey[key]
if not held then
finish(true)
return { 'mismatch', at }
end
local known, requested, own = account(key), tonumber(amount), tonumber(held[2])
claim.known, claim.holder, claim.by = known, known, requested - own
if isOwn(held[4]) then
claim.holder = windows().find(known, held[5])
elseif not open(key, id, way, terms) then
staleAt(known)
end
if requested > own then
local isKnown = known[TERMS_ID] == id
if not isKnown and terms == '' then return { 'stale', at } end
local terms = windows().termsOf(isKnown and known[TERMS] or terms)
local refusal = refusalOf(place - 1, known, claim.holder, requested, own, terms)
refusals[#refusals + 1] = refusal
isDenied = isDenied or refusal and sub(way, 2, 2) ~= 's'
end
end
for _, each in ipairs(holds) do
local known = account(each[1])
if each[4] == 'c' or each[4] == 'C' then
each[5] = payerOf(known, each[4], ways[each[1]] or '', expiresAt)
if not each[5] then staleAt(known) end
end
end
if stale[3] then return stale end
if isDenied or ttl == 0 then return { 'denied', at, refusals, finish(false) } end
for _, claim in ipairs(claims) do
local held = byKey[claim[1]]
hold(claim.known, held[4], claim.by, 0, claim.holder)
held[2] = claim[2]
end
put(field, openRecord(expiresAt, admittedAt, holds))
due(field, expiresAt)
return { 'extended', at, expiresAt, finish(false), refusals[1] and refusals }`;
const EXTEND_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, REFUSALS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, EXTEND_OWN].join('');

export const EXTEND: Script = {
  name: 'extend',
  sha: '786d979caf21bdb43fef154b79fb71e48df58494',
  text: EXTEND_TEXT,
};

const FIND_OWN: string = String.raw`
local fields, found = {}, {}
for place = 5, #ARGV do fields[place - 4] = 'r' .. ARGV[place] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
for place, field in ipairs(fields) do
if raw[field] then found[#found + 1] = ARGV[place + 4] end
end
return { 'found', at, finish(false), found }`;
const FIND_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, FIND_OWN].join('');

export const FIND: Script = {
  name: 'find',
  sha: 'a4615f2517d8eff224d6ef10d0f1dc52da8bab8b',
  text: FIND_TEXT,
};

const HELD_OWN: string = String.raw`
local lost = begin({})
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
local holders, fixed, carried, opened = {}, {}, {}, {}
local accountCount, reservationCount = 0, 0
local w = windows()
local function count(field, record)
local isFirst = ARGV[6] ~= 'parts' or sub(field, 2, 2) == '1'
reservationCount = reservationCount + (isFirst and 1 or 0)
for _, each in ipairs(holdsOf(record)) do
local key, amount, _, kind, serial = unpack(each)
local sums, place = carried, key
if kind == 'o' or kind == 'O' then sums, place = fixed, serial end
sums[place] = (sums[place] or 0) + tonumber(amount)
opened[key] = (opened[key] or 0) + 1
end
end
local seen, cursor = {}, '0'
local function look(field)
if seen[field] then return end
seen[field] = true
local kind, value = sub(field, 1, 1), raw[field]
if kind == 'r' and value and sub(value, 1, 1) == OPEN_STATE then count(field, value) end
if kind == 'a' and value then
accountCount = accountCount + 1
holders[#holders + 1] = account(sub(field, 2))
end
if kind == 'w' and value then holders[#holders + 1] = w.otherOf(sub(field, 2)) end
end
repeat
local page = call('HSCAN', BOOKS, cursor, 'COUNT', 1000)
cursor = page[1]
for place = 1, #page[2], 2 do
local field = page[2][place]
if raw[field] == nil then raw[field] = page[2][place + 1] end
look(field)
end
until cursor == '0'
local differences = {}
local function compare(holder, place, expected)
local counter = holder[place]
if counter == expected then return end
differences[#differences + 1] = { holder[KEY], holder[WINDOW], counter, expected }
if ARGV[5] ~= 'repair' then return end
holder[place] = expected
save(holder)
local owner = account(holder[KEY])
if owner then
w.refresh(owner)
save(owner)
end
end
for _, holder in ipairs(holders) do
compare(holder, HELD, fixed[holder[SERIAL]] or 0)
if not holder[IS_OTHER] then
compare(holder, CARRIED, carried[holder[KEY]] or 0)
if ARGV[5] == 'repair' then holder[OPEN] = opened[holder[KEY]] or 0 end
end
end
local entryCount = header[ENTRIES]
finish(true)
return { 'held', at, accountCount, entryCount, reservationCount, differences }`;
const HELD_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, HELD_OWN].join('');

export const HELD: Script = {
  name: 'held',
  sha: '07077cad666d006ea3d71eafb74c77c7c94e6e84',
  text: HELD_TEXT,
};

const OPEN_OWN: string = String.raw`
local value, isNew = call('HGET', BOOKS, 'm'), false
if value then
header = { struct.unpack(HEADER, value) }
at = math.max(at, header[CLOCK])
else
isNew = true
header = { at, HUGE, 0, 0, 0, 0, ARGV[5] }
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if last then
local time, count = string.match(last[1], '^(%d+)-(%d+)$')
header[ENTRIES], at = tonumber(count), math.max(at, tonumber(time))
end
scores = { '+inf', 'end' }
end
local epoch, asked = header[EPOCH], ARGV[6]
local isOther = epoch ~= ARGV[3] or tonumber(ARGV[2]) > header[CLOCK]
local isRebuilding = sub(epoch, 1, 2) == 'r:'
local isOpen = isOther and (isNew or sub(epoch, 1, 2) ~= 'a:' or epoch == ARGV[3])
local isStopped = asked == 'rebuild' and (ARGV[3] ~= '' or isNew and header[ENTRIES] > 0)
local isTaken = asked == 'lost' or asked == 'rebuild' and not isStopped and not isNew and not isRebuilding
if asked == 'rebuilt' and isRebuilding and not isOther or isOpen and isTaken then
header[EPOCH] = 'a:' .. ARGV[5]
notices[1] = '["r",' .. format('%.0f', at) .. ']'
isNew = true
elseif isOpen and isStopped and not isRebuilding then
header[EPOCH] = 'r:' .. ARGV[5]
isNew = true
end
if isNew then
finish(true)
call('PEXPIRE', BOOKS, string.match(ARGV[4], '%d+$'))
end
return { 'open', at, header[EPOCH] }`;
const OPEN_TEXT: string = [LAYOUT_PART, STORE_PART, OPEN_OWN].join('');

export const OPEN: Script = {
  name: 'open',
  sha: '250278f754bef017ba216e0c9e081ad29c284e7c',
  text: OPEN_TEXT,
};

const PROOF_OWN: string = String.raw`
local PAGE = 500
local lost = begin({ 'p' })
if lost then return lost end
local dropped = raw['p'] or '0'
local found = call('XRANGE', LEDGER, '(' .. ARGV[5], '+', 'COUNT', PAGE)
if #found == PAGE then return { 'entries', at, dropped, found } end
local page, shown, w = call('HSCAN', BOOKS, ARGV[6], 'COUNT', 100), {}, windows()
local function foldedOf(serial)
local value, folded = get('f' .. serial) or '', {}
for place = 1, #value, 16 do
local slot, amount = struct.unpack('<dd', value, place)
folded[#folded + 1] = slot > -HUGE and slot
folded[#folded + 1] = amount
end
return folded
end
for place = 1, #page[2], 2 do
local field, value = page[2][place], page[2][place + 1]
local kind, holder = sub(field, 1, 1), nil
raw[field] = value
if kind == 'a' then holder = account(sub(field, 2)) end
if kind == 'w' then holder = w.otherOf(sub(field, 2)) end
if holder then
w.advance(holder)
local startsAt = w.startOf(w.windowOf(holder)) or false
local names = { field, holder[KEY], holder[WINDOW] }
shown[#shown + 1] = { names, holder[COMMITTED], startsAt, foldedOf(holder[SERIAL]) }
end
end
return { 'proof', at, dropped, found, page[1], shown }`;
const PROOF_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, PROOF_OWN].join('');

export const PROOF: Script = {
  name: 'proof',
  sha: '3f28898c5a2f44271f30a801efe4cae50b1408ac',
  text: PROOF_TEXT,
};

const PRUNE_OWN: string = String.raw`
local lost = begin({})
if lost then return lost end
local oldest = call('XRANGE', LEDGER, '-', '+', 'COUNT', 1)[1]
if not oldest or oldest[1] ~= ARGV[5] then return { 'stale', at } end
local w, sums = windows(), {}
local function sumsOf(serial)
if not sums[serial] then
local value, known = get('f' .. serial) or '', {}
for place = 1, #value, 16 do
local slot, amount = struct.unpack('<dd', value, place)
known[slot] = amount
end
sums[serial] = known
end
return sums[serial]
end
for place = 8, #ARGV, 4 do
local known = account(ARGV[place])
local holder = known and w.named(known, ARGV[place + 1])
if holder then
local slot, amount = tonumber(ARGV[place + 2]) or -HUGE, tonumber(ARGV[place + 3])
local startsAt = w.windowOf(holder).step and w.startOf(w.windowOf(holder)) or -HUGE
local known = sumsOf(holder[SERIAL])
known[slot] = (known[slot] or 0) + amount
for each in pairs(known) do
if each < startsAt and each > -HUGE then known[each] = nil end
end
end
end
for serial, known in pairs(sums) do
local parts = {}
for slot, amount in pairs(known) do parts[#parts + 1] = struct.pack('<dd', slot, amount) end
put('f' .. serial, concat(parts))
end
put('p', format('%.0f', tonumber(get('p') or '0') + tonumber(ARGV[7])))
finish(true)
call('XTRIM', LEDGER, 'MINID', '=', ARGV[6])
return { 'pruned', at }`;
const PRUNE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, PRUNE_OWN].join('');

export const PRUNE: Script = {
  name: 'prune',
  sha: 'aae845a2eb9c45f70b9ca86001307676ad5eace7',
  text: PRUNE_TEXT,
};

const READ_OWN: string = String.raw`
local fields = {}
for place = 5, #ARGV, 4 do fields[#fields + 1] = 'a' .. ARGV[place] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then
sweep()
finish(true)
end
local answer = { 'read', at }
for place = 5, #ARGV, 4 do
local known = open(unpack(ARGV, place, place + 3))
if not known then return { 'stale', at } end
local window = windows().windowOf(known)
local limit = windows().limitOf(known, window)
answer[#answer + 1] = {
limit ~= HUGE and limit or false, windows().isBlocked(known) and 1 or 0,
known[COMMITTED], known[HELD] + known[CARRIED], known[DENIED], windows().rolledInto(known, window),
}
end
return answer`;
const READ_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, READ_OWN].join('');

export const READ: Script = {
  name: 'read',
  sha: 'eeb9655c5ffd01abff858d96c331001e46164d27',
  text: READ_TEXT,
};

const RELEASE_OWN: string = String.raw`
local field = 'r' .. ARGV[5]
local lost = begin({ field })
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
local record = raw[field]
if not record or sub(record, 1, 1) ~= OPEN_STATE then return ended(record) end
local _, _, admittedAt = struct.unpack('<c1dd', record)
if ARGV[6] and tonumber(ARGV[6]) ~= admittedAt then return { 'never', at, finish(false) } end
for _, each in ipairs(holdsOf(record)) do
local key, held, _, kind, serial = unpack(each)
local known = account(key)
hold(known, kind, -tonumber(held), -1, serial ~= '' and windows().find(known, serial) or known)
end
if ARGV[6] then
deletes[#deletes + 1], gone[#gone + 1] = field, field
else
put(field, endedRecord(RELEASED))
due(field, forgottenAt(at))
end
return { 'released', at, finish(false) }`;
const RELEASE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, RELEASE_OWN].join('');

export const RELEASE: Script = {
  name: 'release',
  sha: '809807f7eae851cb4cd986ed8daa1a11159cb5d3',
  text: RELEASE_TEXT,
  flagged: { sha: 'b543279a37e8049b86d37cc7e9e8da576c714725', text: FLAGS + RELEASE_TEXT },
};

const RESERVE_OWN: string = String.raw`
local field, ttl, count = 'r' .. ARGV[5], tonumber(ARGV[6]), (#ARGV - 7) / 5
local fields = { field }
for place = 1, count do fields[place + 1] = 'a' .. ARGV[3 + place * 5] end
local lost = begin(fields)
if lost then return lost end
if ARGV[7] ~= '' and at > tonumber(ARGV[7]) then return { 'stale', at } end
if at >= header[NEXT_DUE] then sweep() end
local record = raw[field]
if record then
local state, expiresAt = struct.unpack('<c1d', record)
if state == OPEN_STATE and isSame(holdsOf(record), 8, count) then
return { 'held', at, expiresAt, finish(false), false, (struct.unpack('<d', record, 10)) }
end
finish(true)
return { 'mismatch', at, RESOLUTIONS[state] or false }
end
local asked, refusals, isDenied, holds, expiresAt = {}, {}, false, {}, at + ttl
for place = 1, count do
local key, amount, id, way, terms = unpack(ARGV, 3 + place * 5, 7 + place * 5)
local known = open(key, id, way, terms)
if not known then return { 'stale', at } end
local requested = tonumber(amount)
local taken = known[COMMITTED] + known[HELD] + known[CARRIED]
if taken >= known[GATE] or taken + requested > known[GATE] then
refusals[#refusals + 1] = refusalOf(place - 1, known, known, requested, 0)
isDenied = isDenied or sub(way, 2, 2) ~= 's'
known[DENIED] = known[DENIED] + 1
save(known)
end
local kind = sub(way, 1, 1)
local serial = payerOf(known, kind, way, expiresAt)
if not serial then return { 'stale', at } end
asked[place], holds[place] = known, { key, amount, amount, kind, serial }
end
if isDenied or ttl == 0 then return { 'denied', at, refusals, finish(false) } end
for place, known in ipairs(asked) do hold(known, holds[place][4], tonumber(holds[place][2]), 1) end
put(field, openRecord(expiresAt, at, holds))
due(field, expiresAt)
return { 'held', at, expiresAt, finish(false), refusals[1] and refusals }`;
const RESERVE_TEXT: string = [LAYOUT_PART, PLAIN_RESERVE_PART, STORE_PART, WINDOWS_PART, REFUSALS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, RESERVE_OWN].join('');

export const RESERVE: Script = {
  name: 'reserve',
  sha: '16b9caab3f1f573df827a57d51d0f7005bdb931f',
  text: RESERVE_TEXT,
};

const RESTORE_OWN: string = String.raw`
local field = ARGV[6]
local lost = begin({ field })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
local isWhole = (last and last[1] or '0-0') == ARGV[5]
if not isWhole or not raw[field] then return { 'stale', at } end
local w = windows()
local known = account(sub(field, 2))
local holder = known or w.otherOf(sub(field, 2))
holder[COMMITTED] = tonumber(ARGV[7])
local slots = {}
for place = 8, #ARGV do slots[place - 7] = tonumber(ARGV[place]) end
for place = 2, #slots, 2 do holder[COMMITTED] = holder[COMMITTED] + slots[place] end
if w.windowOf(holder).step then w.setSlots(holder, slots) end
local owner = known or account(holder[KEY])
if owner then
w.refresh(owner)
save(owner)
end
save(holder)
finish(true)
return { 'restored', at }`;
const RESTORE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, RESTORE_OWN].join('');

export const RESTORE: Script = {
  name: 'restore',
  sha: '92921c86b68d2588f5410bbead064b958ffa0663',
  text: RESTORE_TEXT,
};

const REVIVE_OWN: string = String.raw`
local key = ARGV[6]
local lost = begin({ 'a' .. key })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if raw['a' .. key] then return { 'there', at } end
if not last or last[1] ~= ARGV[5] then return { 'stale', at } end
local terms = ARGV[7] .. '\n\n\n\n\n\n'
local known = windows().open(key, '', '\n\t\t' .. ARGV[8], terms)
local cold = windows().coldOf(known)
cold.window.isRevived = true
cold.isBlocked = ARGV[9] ~= '' or nil
if ARGV[10] ~= '' then cold.set = { to = tonumber(ARGV[10]), till = tonumber(ARGV[11]) } end
if ARGV[12] ~= '' then cold.raised = { by = tonumber(ARGV[12]), till = tonumber(ARGV[13]) } end
local slots = {}
for place = 15, #ARGV do slots[place - 14] = tonumber(ARGV[place]) end
known[COMMITTED] = tonumber(ARGV[14])
for place = 2, #slots, 2 do known[COMMITTED] = known[COMMITTED] + slots[place] end
if slots[1] then windows().setSlots(known, slots) end
save(known)
finish(true)
return { 'revived', at }`;
const REVIVE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, REVIVE_OWN].join('');

export const REVIVE: Script = {
  name: 'revive',
  sha: '95bbae8917015876d73e254e573136aae2d1026f',
  text: REVIVE_TEXT,
};

const SETTLE_OWN: string = String.raw`
local id, count = ARGV[5], tonumber(ARGV[8])
local field, fields, asked, ways = 'r' .. id, { 'r' .. id }, {}, {}
for place = 1, count do
local key, amount = ARGV[7 + place * 2], ARGV[8 + place * 2]
fields[place + 1] = 'a' .. key
if amount ~= 'hold' then asked[key] = amount end
end
for place = 9 + count * 2, #ARGV, 2 do ways[ARGV[place]] = ARGV[place + 1] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
local record = raw[field]
local state = record and sub(record, 1, 1)
local charged, overshoot, stale = {}, {}, { 'stale', at }
local function charge(known, holder, kind, amount, held, slot)
local isPlain = kind == 'o' and holder == known and at < known[TILL] and amount <= held
if isPlain and known[COMMITTED] + amount < known[ALARM] then
known[COMMITTED] = known[COMMITTED] + amount
return
end
local above = charges().book(known, holder, amount, held, slot)
if above then overshoot[#overshoot + 1], overshoot[#overshoot + 2] = known[KEY], above end
end
local function settle(each, admittedAt)
local key, held, _, flag, serial = unpack(each)
local known, kind, amount = account(key), string.lower(flag), asked[key] or held
local holder, slot = known, nil
if kind == 'o' then
holder = known[SERIAL] == serial and known or windows().find(known, serial)
else
local now = open(key, known[TERMS_ID], ways[key] or '', '')
if not now then
stale[#stale + 1], stale[#stale + 2] = key, known[TERMS]
return 'stale'
end
slot = windows().slotAt(windows().windowOf(known), kind == 'l' and admittedAt or at)
end
hold(known, flag, -tonumber(held), -1, holder)
charge(known, holder, kind, tonumber(amount), tonumber(held), slot)
return chargeOf(known, holder[WINDOW], slot and format('%.0f', slot) or 'null', amount, held)
end
local function correct(each)
local key, held, before, serial, name, slot, resets, names = unpack(each)
local known = account(key) or { [KEY] = key, [NAMES] = names }
local holder = windows().find(known, serial) or charges().forgotten(known, name)
local amount = tonumber(asked[key] or held) - tonumber(before)
if windows().windowOf(holder).resets ~= resets and not windows().windowOf(holder).isPart then
amount = math.max(0, amount)
end
charge(known, holder, 'x', amount, 0, tonumber(slot))
return chargeOf(known, name, slot, format('%.0f', amount), '0')
end
if state == OPEN_STATE then
local _, _, admittedAt = struct.unpack('<c1dd', record)
for place, each in ipairs(holdsOf(record)) do charged[place] = settle(each, admittedAt) end
elseif state == EXPIRED then
for place, each in ipairs(cmsgpack.unpack(sub(record, 10))) do charged[place] = correct(each) end
end
if stale[3] then return stale end
if state ~= OPEN_STATE and not charged[1] then return ended(record) end
local list = '[' .. concat(charged, ',') .. ']'
local above = {}
for place, part in ipairs(overshoot) do
above[place] = type(part) == 'number' and format('%.0f', part) or '"' .. part .. '"'
end
local kind = state == EXPIRED and 'correction' or 'settlement'
local overshot = '[' .. concat(above, ',') .. ']'
enter(kind, id, list, 'outcome', ARGV[6], 'overshoot', overshot, 'details', ARGV[7])
put(field, endedRecord(SETTLED))
due(field, forgottenAt(at))
return { state == EXPIRED and 'late' or 'settled', at, list, overshot, finish(false) }`;
const SETTLE_TEXT: string = [LAYOUT_PART, PLAIN_SETTLE_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, SETTLE_OWN].join('');

export const SETTLE: Script = {
  name: 'settle',
  sha: '59ea71ae6f7913266b1569883719e8ca50e090e3',
  text: SETTLE_TEXT,
  flagged: { sha: 'd9c11a2fd4dc8bc975a674e71e1966bc74efc7da', text: FLAGS + SETTLE_TEXT },
};
