// Made by flatten-scripts.ts from the files in lua/. Do not edit.

/** A script, and what Redis knows it by. */
export interface Script {
  readonly name: string;
  readonly sha: string;
  readonly text: string;
  /** The same for servers that know flags. */
  readonly flagged?: { readonly sha: string; readonly text: string };
}

const FLAGS = '#!lua flags=allow-oom\n';
const UNLOCK = "redis.call('ZREM', KEYS[2], '')";

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
overshoot = min(above, amount - held)
end
w.refresh(known)
w.coldOf(known).used = true
save(known)
if known ~= holder then save(holder) end
return overshoot > 0 and overshoot or nil
end
function made.forgotten(known, name)
local holder = w.windowWith(0, 0)
holder[WINDOW], holder[SERIAL], holder[IS_OTHER] = name, '', true
holder[COLD] = { window = { added = 0, resets = 0, fired = {}, isPart = true } }
return holder
end
return made
end
local function chargeOf(known, name, slot, amount, held)
return concat({ '["', known[KEY], '",', known[NAMES], ',"', name, '",', slot, ',', amount, ',', held, ']' })
end
local stamp
local function enter(kind, subject, charged, ...)
header[ENTRIES] = header[ENTRIES] + 1
if header[ENTRIES] == 1 then header[TOUCH_AT] = 0 end
stamp = stamp or format('%.0f-', at)
local id = stamp .. format('%.0f', header[ENTRIES])
entries[#entries + 1] = { id, kind, subject, 'charges', charged, ... }
end`;

const CLAIMS_PART: string = String.raw`
local function payerOf(known, kind, way, expiresAt)
if kind == 'o' or kind == 'O' then return known[SERIAL] end
if kind ~= 'c' and kind ~= 'C' then return '' end
local endsAt = windows().windowOf(known).endsAt
if not endsAt or expiresAt < endsAt then return known[SERIAL] end
local span = string.match(way, '[^\n]*$')
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
local call, format, sub, find, concat = redis.call, string.format, string.sub, string.find, table.concat
local packed, unpacked, HUGE = struct.pack, struct.unpack, math.huge
local ARGV, unpack, min, max, floor = ARGV, unpack, math.min, math.max, math.floor
local BOOKS, DUE, LEDGER = KEYS[1], KEYS[2], KEYS[3]
local ACCOUNT, HEADER = '<dddddddddssss', '<dddddddds'
local BEFORE_SHAPE = 17
local QUEUE_LENGTH = 32
local at, time = tonumber(ARGV[1]), nil
if not at then
time = call('TIME')
at = time[1] * 1000 + floor(time[2] / 1000)
end`;

const LEASES_PART: string = String.raw`
local leases = {}
local function leaseOf(field)
local lease = leases[field]
if lease then return lease end
local record = get(field)
lease = { field = field, state = record and sub(record, 1, 1) or false }
leases[field] = lease
if lease.state == OPEN_STATE then
local _, expiresAt, admittedAt = unpacked('<c1dd', record)
local key, amount, change, kind, serial = unpack(holdsOf(record)[1])
lease.expiresAt, lease.admittedAt, lease.left, lease.change = expiresAt, admittedAt, tonumber(amount), change
lease.key, lease.kind, lease.serial, lease.known = key, kind, serial, account(key)
lease.holder = lease.known and windows().find(lease.known, serial)
if not lease.holder then lease.state = false end
elseif lease.state == EXPIRED then
lease.head, lease.awaits = sub(record, 1, 9), cmsgpack.unpack(sub(record, 10))
if not lease.awaits[1] then lease.state = false end
end
return lease
end
local function takeOf(lease, amount)
local taken = math.min(amount, lease.left)
lease.left, lease.isChanged = lease.left - taken, true
return taken
end
local function putLease(lease)
local amount = format('%.0f', lease.left)
put(lease.field, openRecord(lease.expiresAt, lease.admittedAt, {
{ lease.key, amount, lease.change, lease.kind, lease.serial },
}))
end
local function putLeases()
for _, lease in pairs(leases) do
if lease.isChanged and lease.state == OPEN_STATE then
putLease(lease)
elseif lease.isChanged then
put(lease.field, lease.head .. cmsgpack.pack(lease.awaits))
end
end
end
local function chargeLeased(lease, amount, held)
local known, holder = lease.known, lease.holder
if holder == known and at < known[TILL] and amount <= held and known[COMMITTED] + amount < known[ALARM] then
known[COMMITTED] = known[COMMITTED] + amount
else
charges().book(known, holder, amount, held, nil)
end
end`;

const MANY_PART: string = String.raw`
local function beginMany(hasTerms, before)
local from, lists, fields, seen = 6, {}, { 'q' }, {}
for place = 1, ARGV[5] + 0 do
local size = ARGV[from] + 0
lists[ARGV[from + 1]] = { size = size, from = from + 2 }
for argument = from + 2, from + 1 + size do
local account = ARGV[argument]
if not seen[account] then
seen[account] = true
fields[#fields + 1], fields[#fields + 2] = account, 'c' .. sub(account, 2)
end
end
from = from + 2 + size * (hasTerms and 2 or 1)
end
local first = from
while ARGV[from] do
fields[#fields + 1] = ARGV[from + 1]
from = from + before + lists[ARGV[from]].size
end
local lost = begin(fields)
if lost then return nil, lost end
if at >= header[NEXT_DUE] or notices[1] or header[UNTOLD] == 1 then return nil, { 'stale', at } end
return lists, first
end
local function accountsOf(list)
local all = {}
for place = 1, list.size do
local known = account(sub(ARGV[list.from + place - 1], 2))
if not known or at >= known[TILL] then return false end
all[place] = known
end
return all
end
local function shapeOf(all, kinds, payers)
local shape = {}
for place, known in ipairs(all) do
shape[place] = 'a' .. known[KEY] .. '\n' .. kinds[place] .. '\n' .. payers[place]
end
return concat(shape, '\n')
end
local function saveAll(list)
list.isSaved = true
for _, known in ipairs(list.accounts) do save(known) end
end
local function putOnce(field, value)
local last = #writes
writes[last + 1], writes[last + 2], raw[field] = field, value, value
end`;

const PERMISSIONS_PART: string = String.raw`
local NEEDED = {
{ 'TIME' }, { 'PEXPIRE', BOOKS, 1 }, { 'HGET', BOOKS, 'm' }, { 'HMGET', BOOKS, 'm' }, { 'HSET', BOOKS, 'm', '' },
{ 'HDEL', BOOKS, 'm' }, { 'HSCAN', BOOKS, 0 }, { 'ZADD', DUE, 0, 'm' }, { 'ZREM', DUE, 'm' },
{ 'ZRANGE', DUE, 0, 0 }, { 'ZRANGEBYSCORE', DUE, 0, 0 }, { 'ZSCORE', DUE, 'm' },
{ 'XADD', LEDGER, '*', 'm', '' }, { 'XLEN', LEDGER }, { 'XRANGE', LEDGER, '-', '+' },
{ 'XREVRANGE', LEDGER, '+', '-' }, { 'XTRIM', LEDGER, 'MAXLEN', 1 },
}
local function forbidden()
local names = {}
for _, command in ipairs(redis.acl_check_cmd and NEEDED or {}) do
local isKnown, isAllowed = pcall(redis.acl_check_cmd, unpack(command))
if isKnown and not isAllowed then names[#names + 1] = command[1] end
end
return concat(names, ', ')
end`;

const PLAIN_RESERVE_PART: string = String.raw`
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
isPlain = (isFixed or goesAlong) and sub(id, 2, 2) == ':'
if not isPlain then break end
local tally = max(denials, floor(at / 86400000) * 1e10) + 1
answer, denied = answer or { 'denied', at, '', '' }, denied or { 'm', '' }
denied[#denied + 1] = ARGV[8 + place]
denied[#denied + 1] = packed(
ACCOUNT, committed, held, open, tally, carried, till, gate, alarm, ends, serial, id, names, window
)
held = held + carried
local last, why = #answer, committed >= gate and 'spent' or committed + requested > gate and 'too-large' or 'held'
local endsAt = ends < HUGE and ends or false
answer[last + 1], answer[last + 2], answer[last + 3] = place - 1, why, gate
answer[last + 4], answer[last + 5], answer[last + 6] = committed, held, requested
answer[last + 7] = endsAt
answer[last + 8] = why ~= 'held' and gate ~= 0 and requested <= gate and endsAt
answer[last + 9] = 0
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
end`;

const PLAIN_SETTLE_PART: string = String.raw`
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
if isPlain and find(record, concat(shape, '\n', 1, count * 3) .. '\0', BEFORE_SHAPE + 1, true) == BEFORE_SHAPE + 1 then
local list = '[["' .. concat(charged, '],["', 1, count) .. ']]'
entered = entered + 1
writes[2] = packed(HEADER, at, nextDue, serials, entered, touchAt, untold, queueDue, queued, epoch)
writes[4] = packed('<c1d', 's', at)
local now = time and time[1] .. sub('00000' .. time[2], -6, -4) or format('%.0f', at)
call('XADD', LEDGER, now .. '-' .. format('%.0f', entered), 'settlement', ARGV[6], 'charges', list)
call('HSET', BOOKS, unpack(writes, 1, 4 + count * 2))
return now .. list
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
local shown, rolled = limit ~= HUGE and limit or false, windows().rolledInto(known, window, terms)
return { place, kind, shown, committed, held, requested, window.endsAt or false, opensAt or false, rolled }
end
local function refuse(refusals, refusal)
for place = 1, refusal and 9 or 0 do refusals[#refusals + 1] = refusal[place] end
end`;

const RESERVATIONS_PART: string = String.raw`
local OPEN_STATE, SETTLED, RELEASED, EXPIRED = 'o', 's', 'l', 'x'
local RESOLUTIONS = { s = 'settled', l = 'released', x = 'expired' }
local function holdsOf(record)
local holds, _, _, _, shape, next = {}, unpacked('<c1dds', record)
for account, kind, serial in string.gmatch(shape, '([^\n]+)\n([^\n]+)\n([^\n]*)') do
local amount
amount, next = unpacked('<s', record, next)
holds[#holds + 1] = { sub(account, 2), amount, amount, kind, serial }
end
if next > #record then return holds end
for _, hold in ipairs(holds) do hold[3], next = unpacked('<s', record, next) end
return holds
end
local function openRecord(expiresAt, admittedAt, holds)
local shape, amounts, reserved, hasGrown = {}, {}, {}, false
for place, hold in ipairs(holds) do
shape[place] = 'a' .. hold[1] .. '\n' .. hold[4] .. '\n' .. hold[5]
amounts[place], reserved[place] = packed('<s', hold[2]), packed('<s', hold[3])
hasGrown = hasGrown or hold[2] ~= hold[3]
end
local record = packed('<c1dds', OPEN_STATE, expiresAt, admittedAt, concat(shape, '\n')) .. concat(amounts)
return hasGrown and record .. concat(reserved) or record
end
local function ended(record)
if not record then return { 'never', at, finish(false) } end
return { 'ended', at, RESOLUTIONS[sub(record, 1, 1)], finish(false) }
end
local function endedRecord(state)
return state .. packed('<d', at)
end
local function writeExpiry(field, charged, awaits, awaited)
local id, list = sub(field, 2), '[' .. concat(charged, ',') .. ']'
put(field, endedRecord(EXPIRED) .. cmsgpack.pack(awaits))
due(field, at + awaited)
enter('expiry', id, list)
notices[#notices + 1] = concat({ '["x","', id, '",', list, ',', format('%.0f', at), ']' })
end
local function isSame(holds, from, count)
if #holds ~= count then return false end
for place = from, from + count - 1 do
local isHeld, key, amount = false, sub(ARGV[place], 2), ARGV[place + count]
for _, hold in ipairs(holds) do isHeld = isHeld or hold[1] == key and hold[3] == amount end
if not isHeld then return false end
end
return true
end`;

const STORE_PART: string = String.raw`
local COMMITTED, HELD, OPEN, DENIED, CARRIED, TILL, GATE, ALARM, ENDS = 1, 2, 3, 4, 5, 6, 7, 8, 9
local SERIAL, TERMS_ID, NAMES, WINDOW, TERMS, REST, KEY = 10, 11, 12, 13, 14, 15, 16
local COLD, CHANGED, FRESH, LEFT, SLOTS, IS_OTHER, BACK = 17, 18, 19, 20, 21, 22, 23
local function dayTally() return floor(at / 86400000) * 1e10 end
local TOLERATED_LOSS = 5000
local CLOCK, NEXT_DUE, SERIALS, ENTRIES, TOUCH_AT, UNTOLD, QUEUE_DUE, QUEUED, EPOCH = 1, 2, 3, 4, 5, 6, 7, 8, 9
local header, hasSwept
local raw, accounts, changed = {}, {}, {}
local writes, written, deletes, gone = {}, {}, {}, {}
local scores, entries, notices = {}, {}, {}
local function begin(fields)
local found = call('HMGET', BOOKS, 'm', unpack(fields))
if not found[1] then return { 'lost' } end
header = { unpacked(HEADER, found[1]) }
local acknowledged, clock = tonumber(ARGV[2]), header[CLOCK]
local isLost = header[EPOCH] ~= ARGV[3] or acknowledged > clock + TOLERATED_LOSS
if isLost then return { 'lost', header[EPOCH] } end
at = max(at, clock, acknowledged)
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
local function fetch(fields)
if not fields[1] then return end
local found = call('HMGET', BOOKS, unpack(fields))
for place, field in ipairs(fields) do
if raw[field] == nil then raw[field] = found[place] end
end
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
local function nextSerial()
header[SERIALS] = header[SERIALS] + 1
return format('%.0f', header[SERIALS])
end
local function enqueue(fields, earliest)
local from = 1
header[NEXT_DUE] = min(header[NEXT_DUE], earliest)
while from <= #fields do
local last = min(#fields, from + QUEUE_LENGTH - header[QUEUED] - 1)
local queue = (get('q') or '') .. concat(fields, '\n', from, last) .. '\n'
header[QUEUED] = header[QUEUED] + last - from + 1
header[QUEUE_DUE] = min(header[QUEUE_DUE], earliest)
if header[QUEUED] == QUEUE_LENGTH then
local full = 'q' .. nextSerial()
put(full, queue)
due(full, header[QUEUE_DUE])
header[QUEUED], header[QUEUE_DUE], queue = 0, HUGE, ''
end
put('q', queue)
from = last + 1
end
end
local function account(key)
local known = accounts[key]
if known then return known end
local value = get('a' .. key)
if not value then return nil end
known = { unpacked(ACCOUNT, value) }
local rest = get('c' .. key)
if not rest then return nil end
known[TERMS], known[REST] = unpacked('<s', rest)
known[REST], known[KEY] = sub(rest, known[REST]), key
accounts[key] = known
return known
end
local function missing(key) error('MISSING-RECORD "' .. key .. '"', 0) end
local function isDeleted(key)
for _, field in ipairs(gone) do
if field == 'a' .. key then return false end
end
return call('ZSCORE', DUE, 'a' .. key) and true
end
local function save(known)
if known[CHANGED] then return end
known[CHANGED] = true
changed[#changed + 1] = known
end
local function putOther(known)
local figures = { known[COMMITTED], known[HELD] }
local names = { known[WINDOW], known[KEY], known[NAMES] }
put('w' .. known[SERIAL], cmsgpack.pack({ figures, names, known[COLD].window }))
end
local function putAccount(known)
put('a' .. known[KEY], packed(ACCOUNT, unpack(known, 1, WINDOW)))
if not known[COLD] then return end
put('c' .. known[KEY], packed('<s', known[TERMS]) .. cmsgpack.pack(known[COLD]))
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
call(command, key, unpack(list, from, min(from + 3999, #list)))
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
put('s' .. known[SERIAL], packed('<' .. string.rep('d', #slots), unpack(slots)))
end
for _, field in ipairs(known[BACK] or {}) do deletes[#deletes + 1] = field end
if known[LEFT] then save(known[LEFT]) end
place = place + 1
end
for _, entry in ipairs(entries) do call('XADD', LEDGER, unpack(entry)) end
send('ZREM', DUE, gone)
send('ZADD', DUE, scores)
if hasSwept then
local first = tonumber(call('ZRANGE', DUE, 0, 0, 'WITHSCORES')[2]) or HUGE
header[NEXT_DUE] = min(first, header[QUEUE_DUE])
end
if at >= header[TOUCH_AT] then
local idle = string.match(ARGV[4], '%d+$')
for _, key in ipairs(KEYS) do call('PEXPIRE', key, idle) end
header[TOUCH_AT] = at + tonumber(idle) / 2
end
header[CLOCK] = at
put('m', packed(HEADER, unpack(header, 1, EPOCH)))
send('HDEL', BOOKS, deletes)
send('HSET', BOOKS, writes)
return told
end`;

const SWEEP_PART: string = String.raw`
local SWEEP_LIMIT, FEW = 64, 2
local function deletedIn(holds)
for _, hold in ipairs(holds) do
local known, amount, serial = account(hold[1]), hold[2], hold[5]
local isFixed = amount ~= '0' and serial ~= '' and not find(serial, '\t', 1, true)
if not known or isFixed and not windows().find(known, serial) then return hold[1] end
end
return nil
end
local function holdsThere(record)
local holds = holdsOf(record)
local deleted = deletedIn(holds)
if deleted then missing(deleted) end
return holds
end
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
local function payerOf(known, kind, serial, expiresAt)
if kind == 'l' or kind == 'p' then return known end
if find(serial, '\t', 1, true) then
local name, from, to = w.spanAt(serial, expiresAt)
local endsAt = w.windowOf(known).endsAt
local holder = w.named(known, name)
if holder or not endsAt or from < endsAt then return holder or c.forgotten(known, name) end
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
if deletedIn(holds) then return due(field, at + remembered) end
for place, hold in ipairs(holds) do
charged[place], awaits[place] = expireHold(hold, expiresAt, admittedAt)
end
writeExpiry(field, charged, awaits, awaited)
end
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
local function visitAccount(field)
local key = sub(field, 2)
local known = account(key)
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
local seen = format('%.0f %.0f', known[COMMITTED], known[DENIED])
if cold.seen ~= seen or cold.used then
cold.seen, cold.used = seen, nil
time = at + idle
save(known)
end
end
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
local length = window.startsAt and window.endsAt and window.endsAt - window.startsAt or 0
local named = min(awaited, max(6 * remembered, 24 * length))
local isNamed = known and known[OPEN] > 0 and (not window.endsAt or at < window.endsAt + named)
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
terms.isBlocked = find(flags, 'b', 1, true) ~= nil
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
return max(0, min((terms or termsOf(known[TERMS])).rollover or 0, left))
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
return lent > 0 and max(0, baseOf(known, terms) - lent) or limit
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
slots = { unpacked('<' .. string.rep('d', #value / 8), value) }
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
if set and set.till and at < set.till then till = min(till, set.till) end
if raised and raised.till and at < raised.till then till = min(till, raised.till) end
if window.oldest then till = min(till, window.oldest + window.step + window.length) end
known[ENDS], known[TILL], known[ALARM] = window.endsAt or HUGE, till, HUGE
if limit == HUGE then return end
for _, share in ipairs(terms.shares) do
local amount = made.reachedAt(limit, share)
local isDone = window.fired[share] and not (window.step and amount > known[COMMITTED])
if not isDone then known[ALARM] = min(known[ALARM], amount) end
end
end
local function windowWith(committed, held)
return { [COMMITTED] = committed, [HELD] = held, [DENIED] = 0, [OPEN] = 0, [CARRIED] = 0 }
end
made.windowWith = windowWith
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
function made.idle() return tonumber(string.match(ARGV[4], '%d+$')) end
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
local function leave(known)
local cold = coldOf(known)
local window, past, late = cold.window, {}, {}
for _, each in ipairs(cold.past) do
if each[3] <= at and #late < 1000 then late[#late + 1] = 'w' .. each[2] end
end
fetch(late)
for _, each in ipairs(cold.past) do
if each[3] > at or otherOf(each[2]) then past[#past + 1] = each end
end
cold.past = past
local other = windowWith(known[COMMITTED], known[HELD])
other[SERIAL], other[WINDOW], other[KEY] = known[SERIAL], known[WINDOW], known[KEY]
other[NAMES] = known[NAMES]
other[COLD], other[IS_OTHER], other[SLOTS] = { window = window }, true, known[SLOTS]
known[SLOTS] = nil
if known[LEFT] then save(known[LEFT]) end
local endsAt = window.endsAt or (window.length and at + window.length + window.step) or at
if not window.endsAt and made.isMarked(known, window) then endsAt = at + made.idle() end
other[FRESH] = max(endsAt, at) + remembered() + made.lookedBack(known, window)
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
known[COMMITTED], known[HELD] = back[COMMITTED], back[HELD]
known[SERIAL], cold.window = back[SERIAL], back[COLD].window
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
name, from, to = made.spanAt(string.match(way, '^[^\n]*'), at)
if not name then return nil end
end
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
if known[WINDOW] == '' and known[COMMITTED] == 0 then known[WINDOW] = name end
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
local function termsIn(text)
local id, way, terms = string.match(text, '^([^\n]*)\n([^\n]*\n[^\n]*\n[^\n]*)\n(.*)$')
if id then return id, way, terms end
return text, '', ''
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
local isHere = sub(ARGV[7], 1, 1) ~= '@'
local known = isHere and windows().open(key, termsIn(ARGV[7]))
if isHere and not known then return { 'stale', at } end
local w, cold = windows(), isHere and windows().coldOf(known) or {}
local window, amount, untilTime = cold.window, tonumber(ARGV[9]), tonumber(ARGV[10])
local charged = {}
local MOST = 9000000000000000
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
if not known and isDeleted(key) then missing(key) end
local holder = known and w.named(known, name)
local window = holder and w.windowOf(holder)
if not window or window.endsAt and window.endsAt <= at then return end
if (window.step == nil) ~= (slot == nil) or slot and slot < w.startOf(window) then return end
w.advance(holder)
local there = slot and spentIn(holder, slot) or holder[COMMITTED]
local by = max(asked, -max(0, there))
if by == 0 then return end
charges().book(known, holder, by, HUGE, slot)
local slotText = slot and format('%.0f', slot) or 'null'
charged[#charged + 1] = chargeOf(known, name, slotText, format('%.0f', by), '0')
end
local function correct()
for id in string.gmatch(ARGV[13], '[^\n]+') do
local field = 'r' .. id
local record = get(field)
if record and sub(record, 1, 1) == EXPIRED then
put(field, sub(record, 1, 9) .. cmsgpack.pack({}))
end
end
for place = 14, #ARGV, 4 do
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
if not isRepeated and ARGV[8] == 'top-up' and window.added + amount > MOST then
finish(true)
return { 'too-much', at, window.added }
end
if not isRepeated then
changes[ARGV[8]]()
put('j' .. id, '1')
due('j' .. id, at + w.remembered())
enter('adjustment', id, '[' .. concat(charged, ',') .. ']', 'account', key, 'names',
isHere and known[NAMES] or sub(ARGV[7], 2), 'change', ARGV[11], 'details', ARGV[12])
if isHere then
cold.used = true
w.refresh(known)
save(known)
end
end
if not isHere then return { isRepeated and 'repeated' or 'adjusted', at, false, finish(false) } end
local limit = w.limitOf(known, window)
local reading = {
limit ~= HUGE and limit or false, w.isBlocked(known) and 1 or 0,
known[COMMITTED], known[HELD] + known[CARRIED], max(known[DENIED] - dayTally(), 0),
w.rolledInto(known, window),
}
return { isRepeated and 'repeated' or 'adjusted', at, reading, finish(false) }`;
const ADJUST_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, ADJUST_OWN].join('');

export const ADJUST: Script = {
  name: 'adjust',
  sha: '10114340c9f9b9a0c6162c4fceb5fbc17ed43210',
  text: ADJUST_TEXT,
};

const ADOPT_OWN: string = String.raw`
local from, places, fields = 6, {}, { 'q' }
for place = 1, ARGV[5] + 0 do
places[place], fields[#fields + 1] = from, ARGV[from]
for part = from + 4, from + 1 + ARGV[from + 3] * 3, 3 do fields[#fields + 1] = ARGV[part] end
from = from + 4 + ARGV[from + 3] * 3
end
local lost = begin(fields)
if lost then return lost end
local awaited = tonumber(string.match(ARGV[4], '^%d+ (%d+)'))
local open, earliest = {}, HUGE
local function partsOf(from)
local parts, isOpen = {}, true
for part = from + 4, from + 1 + ARGV[from + 3] * 3, 3 do
local lease = leaseOf(ARGV[part])
if lease.state ~= OPEN_STATE and lease.state ~= EXPIRED then return nil end
isOpen = isOpen and lease.state == OPEN_STATE
parts[#parts + 1] = { lease, ARGV[part + 1], ARGV[part + 2] }
end
return parts, isOpen
end
local function keepOpen(field, expiresAt, admittedAt, parts)
local holds = {}
for place, part in ipairs(parts) do
local lease, amount, reserved = unpack(part)
local taken = takeOf(lease, tonumber(amount))
hold(lease.known, lease.kind, tonumber(amount) - taken, 1, lease.holder)
holds[place] = { lease.key, amount, reserved, lease.kind, lease.serial }
end
put(field, openRecord(expiresAt, admittedAt, holds))
open[#open + 1], earliest = field, math.min(earliest, expiresAt)
return OPEN_STATE
end
local function expirePart(lease, amount)
local held = tonumber(amount)
local charged = string.lower(lease.kind) == lease.kind and amount or '0'
hold(lease.known, lease.kind, -takeOf(lease, held), 0, lease.holder)
chargeLeased(lease, tonumber(charged), held)
local known, holder = lease.known, lease.holder
return chargeOf(known, holder[WINDOW], 'null', charged, amount), {
lease.key, amount, charged, holder[SERIAL], holder[WINDOW], 'null', windows().windowOf(holder).resets, known[NAMES],
}
end
local function inheritPart(lease, amount)
local await = lease.awaits[1]
local key, held, before, serial, name, slot, resets, names = unpack(await)
local charged = math.min(tonumber(amount), tonumber(before))
await[2] = format('%.0f', math.max(0, tonumber(held) - tonumber(amount)))
await[3] = format('%.0f', tonumber(before) - charged)
lease.isChanged = true
local known, text = { [KEY] = key, [NAMES] = names }, format('%.0f', charged)
local back = '{"of":"' .. sub(lease.field, 2) .. '","outcome":"unknown","details":{}}'
enter('correction', back, '[' .. chargeOf(known, name, slot, format('%.0f', -charged), '0') .. ']')
return chargeOf(known, name, slot, text, amount), { key, amount, text, serial, name, slot, resets, names }
end
local function expireWith(field, parts)
local charged, awaits = {}, {}
for place, part in ipairs(parts) do
local lease, amount = part[1], part[2]
local take = lease.state == OPEN_STATE and expirePart or inheritPart
charged[place], awaits[place] = take(lease, amount)
end
writeExpiry(field, charged, awaits, awaited)
return EXPIRED
end
local letters = {}
for place, from in ipairs(places) do
local field, record = ARGV[from], raw[ARGV[from]]
local parts, isOpen
if not record then parts, isOpen = partsOf(from) end
if record then
letters[place] = sub(record, 1, 1)
elseif not parts then
letters[place] = '-'
elseif isOpen then
letters[place] = keepOpen(field, tonumber(ARGV[from + 1]), tonumber(ARGV[from + 2]), parts)
else
letters[place] = expireWith(field, parts)
end
end
if open[1] then enqueue(open, earliest) end
putLeases()
return { 'adopted', at, finish(false), concat(letters) }`;
const ADOPT_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, CLAIMS_PART, LEASES_PART, ADOPT_OWN].join('');

export const ADOPT: Script = {
  name: 'adopt',
  sha: '652181457a18532bda123c66d6104a293b1e0964',
  text: UNLOCK + ADOPT_TEXT,
  flagged: { sha: '7d9663c0ef8cbba61aa9c7407a003335aeae0e53', text: FLAGS + ADOPT_TEXT },
};

const EXTEND_OWN: string = String.raw`
local field, ttl, count = 'r' .. ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
local fields, ways, claims = { field }, {}, {}
for place = 1, count do
local key, amount, text = unpack(ARGV, 5 + place * 3, 7 + place * 3)
local id, way, terms = termsIn(text)
fields[place + 1], ways[key] = 'a' .. key, way
claims[place] = { key, amount, id, way, terms }
end
for place = 8 + count * 3, #ARGV, 2 do ways[ARGV[place]] = ARGV[place + 1] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep(field) end
local record = raw[field]
if not record or sub(record, 1, 1) ~= OPEN_STATE then return ended(record) end
local _, before, admittedAt = unpacked('<c1dd', record)
local holds, byKey, expiresAt = holdsThere(record), {}, at + ttl
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
claim.holder = windows().find(known, held[5]) or known
held[5] = claim.holder[SERIAL]
elseif not open(key, id, way, terms) then
staleAt(known)
end
if requested > own then
local isKnown = known[TERMS_ID] == id
if not isKnown and terms == '' then return { 'stale', at } end
local terms = windows().termsOf(isKnown and known[TERMS] or terms)
local refusal = refusalOf(place - 1, known, claim.holder, requested, own, terms)
refuse(refusals, refusal)
isDenied = isDenied or refusal and sub(id, 2, 2) ~= 's'
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
if isDenied or ttl == 0 then return { 'denied', at, '', finish(false), unpack(refusals) } end
for _, claim in ipairs(claims) do
local held = byKey[claim[1]]
hold(claim.known, held[4], claim.by, 0, claim.holder)
held[2] = claim[2]
end
put(field, openRecord(expiresAt, admittedAt, holds))
if expiresAt < before then due(field, expiresAt) end
return { 'extended', at, expiresAt, finish(false), unpack(refusals) }`;
const EXTEND_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, REFUSALS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, EXTEND_OWN].join('');

export const EXTEND: Script = {
  name: 'extend',
  sha: 'fb435f3ae9c11120407277d52fdbae9ae58562ff',
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
  sha: '0b3dec7d0c31de1aa7276ace7311968b76bb0e31',
  text: UNLOCK + FIND_TEXT,
  flagged: { sha: '0514a0e8c0806c7b4307bb3692cb32c335877885', text: FLAGS + FIND_TEXT },
};

const HELD_OWN: string = String.raw`
local lost = begin({})
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
local isRepair = ARGV[5] == 'repair'
local holders, fixed, carried, opened, nowhere = {}, {}, {}, {}, {}
local accountCount, reservationCount = 0, 0
local serials, sums, ends, listed, remade, w = {}, {}, {}, {}, {}, windows()
local function windowOf(known, serial)
local found = w.find(known, serial)
for _, past in ipairs(not found and w.coldOf(known).past or {}) do
if past[2] == serial then
found = w.remake(known, serial, past[1], at)
holders[#holders + 1], serials[serial] = found, true
remade[#remade + 1] = { { 'w' .. serial, known[KEY], past[1] }, 0, false, (w.foldedOf(serial)), {}, 0 }
if isRepair then save(found) end
end
end
return found
end
local function placeOf(each)
local key, kind, serial = each[1], each[4], each[5]
local known = account(key)
if not known then nowhere[key] = nowhere[key] or 0 end
local isFixed = kind == 'o' or kind == 'O'
if not known and not (isFixed and w.otherOf(serial)) then return nowhere, key end
if not isFixed then return carried, key end
if not known then return fixed, serial end
return fixed, (each[2] == '0' or windowOf(known, serial)) and serial or known[SERIAL]
end
local function count(field, record)
local isCounted = ARGV[6] ~= 'parts' or sub(field, 2, 2) == '1'
local _, expiresAt, admittedAt = unpacked('<c1dd', record)
local holds, isMended = holdsOf(record), false
ends[field] = expiresAt
for _, each in ipairs(holds) do
local sums, place = placeOf(each)
sums[place] = (sums[place] or 0) + tonumber(each[2])
opened[each[1]] = (opened[each[1]] or 0) + 1
isCounted = isCounted and sub(each[3], 1, 1) ~= 'v'
local known, serial = account(each[1]), each[5]
local isSerial = each[2] ~= '0' and serial ~= '' and not string.find(serial, '\t', 1, true)
if known and isSerial and not w.find(known, serial) then each[5], isMended = known[SERIAL], true end
end
reservationCount = reservationCount + (isCounted and 1 or 0)
if isRepair and isMended then put(field, openRecord(expiresAt, admittedAt, holds)) end
end
local seen, cursor = {}, '0'
local function look(field)
if seen[field] then return end
seen[field] = true
local kind, value = sub(field, 1, 1), raw[field]
if not value then return end
if kind == 'r' and sub(value, 1, 1) == OPEN_STATE then count(field, value) end
if kind == 'q' then for member in string.gmatch(value, '[^\n]+') do listed[member] = true end end
if kind == 's' or kind == 'f' then sums[#sums + 1] = field end
local holder = kind == 'a' and account(sub(field, 2)) or kind == 'w' and w.otherOf(sub(field, 2))
if not holder then return end
if kind == 'a' then accountCount = accountCount + 1 end
holders[#holders + 1] = holder
serials[holder[SERIAL]] = true
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
if not isRepair then return end
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
local count = opened[holder[KEY]] or 0
if isRepair and holder[OPEN] ~= count then
holder[OPEN] = count
save(holder)
end
end
end
local from, page = 0, nil
repeat
page = call('ZRANGE', DUE, from, from + 999)
for _, field in ipairs(page) do
local key = sub(field, 2)
if sub(field, 1, 1) == 'a' and not account(key) and isDeleted(key) then nowhere[key] = nowhere[key] or 0 end
end
from = from + 1000
until #page < 1000
for key, expected in pairs(nowhere) do differences[#differences + 1] = { key, '', 0, expected } end
local function link(other)
local owner = account(other[KEY])
if not owner or w.named(owner, other[WINDOW]) then return end
local past = w.coldOf(owner).past
past[#past + 1] = { other[WINDOW], other[SERIAL], at + w.remembered() }
save(owner)
end
if isRepair then
for _, holder in ipairs(holders) do
if holder[IS_OTHER] then link(holder) end
end
for field in pairs(seen) do
local isListed = listed[field] or not string.find(field, '^[arwj]') and not string.find(field, '^q.')
if raw[field] and not isListed and not call('ZSCORE', DUE, field) then
due(field, ends[field] or at + w.remembered())
end
end
if not call('ZSCORE', DUE, 'end') then
scores[#scores + 1], scores[#scores + 2], header[TOUCH_AT] = '+inf', 'end', 0
end
for _, field in ipairs(next(nowhere) and {} or sums) do
if not serials[sub(field, 2)] then deletes[#deletes + 1] = field end
end
end
local entryCount = header[ENTRIES]
finish(true)
return { 'held', at, accountCount, entryCount, reservationCount, differences, remade }`;
const HELD_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, HELD_OWN].join('');

export const HELD: Script = {
  name: 'held',
  sha: 'a047c2003215c179431997a2819c3fe0f02107fb',
  text: HELD_TEXT,
};

const LEASE_OWN: string = String.raw`
local ttl, count, fields = tonumber(ARGV[5]), tonumber(ARGV[7]), {}
for place = 1, count do
fields[place * 2 - 1], fields[place * 2] = ARGV[place * 10 - 2], 'a' .. ARGV[place * 10 - 1]
end
local lost = begin(fields)
if lost then return lost end
if ARGV[6] ~= '' and at > tonumber(ARGV[6]) then return { 'stale', at } end
if at >= header[NEXT_DUE] then sweep(nil, true) end
local function orNothing(number) return number < HUGE and number or false end
local function fairOf(known, own, parts)
if known[GATE] == HUGE then return HUGE end
return math.max(0, math.floor((known[GATE] - known[COMMITTED] - known[HELD] - known[CARRIED] + own) / parts))
end
local function answerOf(status, lease, fair)
local account = lease.known
return {
status, lease.left or 0, lease.expiresAt or 0, orNothing(fair), account[COMMITTED], orNothing(account[ALARM]),
orNothing(account[TILL]),
}
end
local function take(field, asked)
local id, way, terms = termsIn(asked.text)
local found = open(asked.key, id, way, terms)
if not found then return nil end
local fair = found[GATE] < 0 and 0 or fairOf(found, 0, asked.parts)
local amount = math.min(asked.want, fair)
local lease = { field = field, known = found, left = 0 }
if amount < asked.least or amount <= 0 then return answerOf('none', lease, fair) end
lease.state, lease.expiresAt, lease.admittedAt, lease.left = OPEN_STATE, at + ttl, at, amount
lease.key, lease.kind, lease.serial, lease.change = asked.key, sub(id, 1, 1), found[SERIAL], asked.change
hold(found, lease.kind, amount, 1)
putLease(lease)
enqueue({ field }, lease.expiresAt)
return answerOf('held', lease, fair)
end
local function change(lease, asked)
local found, holder = lease.known, lease.holder
local isCurrent = holder == found and found[TERMS_ID] == asked.text
if isCurrent and at >= found[TILL] then
local endsAt = windows().windowOf(found).endsAt
isCurrent = not endsAt or at < endsAt
if isCurrent then windows().refresh(found) end
end
local fair = isCurrent and found[GATE] >= 0 and fairOf(found, lease.left - asked.base, asked.parts) or 0
if tonumber(sub(lease.change, 2)) >= tonumber(sub(asked.change, 2)) then return answerOf(isCurrent and 'held' or 'over', lease, fair) end
local total = math.min(asked.base + asked.keep, lease.left)
local most = asked.base + math.min(asked.want, fair)
if fair > 0 and most > total and most - asked.base >= asked.least then total = most end
hold(found, lease.kind, total - lease.left, 0, holder)
lease.left, lease.change, lease.expiresAt = total, asked.change, at + ttl
putLease(lease)
return answerOf(isCurrent and 'held' or 'over', lease, fair)
end
local function finishLease(field, lease)
if lease.state == OPEN_STATE then hold(lease.known, lease.kind, -lease.left, -1, lease.holder) end
if lease.state == OPEN_STATE or not get(field) then
if lease.state ~= OPEN_STATE then enqueue({ field }, at + windows().remembered()) end
put(field, endedRecord(RELEASED))
return { 'released' }
end
return { RESOLUTIONS[sub(get(field), 1, 1)] }
end
local answer = { 'leased', at, '' }
for place = 1, count do
local from = place * 10 - 2
local field, mode = ARGV[from], ARGV[from + 3]
local lease = leaseOf(field)
local asked = {
key = ARGV[from + 1], change = ARGV[from + 2], base = tonumber(ARGV[from + 4]), keep = tonumber(ARGV[from + 5]),
want = tonumber(ARGV[from + 6]), parts = tonumber(ARGV[from + 7]), least = tonumber(ARGV[from + 8]),
text = ARGV[from + 9],
}
local made
if mode == 'end' then
made = finishLease(field, lease)
elseif lease.state == OPEN_STATE then
made = change(lease, asked)
elseif get(field) or mode == 'keep' then
made = { get(field) and RESOLUTIONS[sub(get(field), 1, 1)] or 'lost' }
else
made = take(field, asked)
if not made then return { 'stale', at } end
end
answer[place + 3] = made
end
for place = 8 + count * 10, #ARGV do
local refusing = account(ARGV[place])
if refusing and refusing[DENIED] > dayTally() then
refusing[DENIED] = refusing[DENIED] - 1
save(refusing)
end
end
answer[3] = finish(false)
return answer`;
const LEASE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, LEASES_PART, LEASE_OWN].join('');

export const LEASE: Script = {
  name: 'lease',
  sha: '1aaa1cc0d103bfbc8061fc0f9e15548467e868c1',
  text: LEASE_TEXT,
};

const OPEN_OWN: string = String.raw`
if ARGV[7] == '1' then
local names = forbidden()
if names ~= '' then return { 'forbidden', at, names } end
end
local value, isNew = call('HGET', BOOKS, 'm'), false
if value then
header = { unpacked(HEADER, value) }
at = max(at, header[CLOCK])
else
isNew = true
header = { at, HUGE, 0, 0, 0, 0, HUGE, 0, ARGV[5] }
call('PEXPIRE', DUE, 0)
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if last then
local time, count = string.match(last[1], '^(%d+)-(%d+)$')
header[ENTRIES], at = tonumber(count), max(at, tonumber(time))
put('b', count)
end
scores = { '+inf', 'end' }
end
local epoch, asked = header[EPOCH], ARGV[6]
local isOther = epoch ~= ARGV[3] or tonumber(ARGV[2]) > header[CLOCK]
local isRebuilding = sub(epoch, 1, 2) == 'r:'
local isOpen = isOther and (isNew or sub(epoch, 1, 2) ~= 'a:' or epoch == ARGV[3])
local isLeft = isNew and ARGV[3] == '' and header[ENTRIES] > 0 or sub(epoch, 1, 2) == 'l:'
local isStopped = asked == 'rebuild' and (ARGV[3] ~= '' or isLeft)
local isTaken = asked == 'lost' or isLeft and asked == 'left'
or asked == 'rebuild' and not isStopped and not isNew and not isRebuilding
if asked == 'rebuilt' and isRebuilding and not isOther or isOpen and isTaken then
header[EPOCH] = 'a:' .. ARGV[5]
notices[1] = '["r",' .. format('%.0f', at) .. ']'
isNew = true
elseif isOpen and isStopped and not isRebuilding then
header[EPOCH] = 'r:' .. ARGV[5]
isNew = true
elseif isNew and isLeft then
header[EPOCH] = 'l:' .. ARGV[5]
end
if isNew then
finish(true)
call('PEXPIRE', BOOKS, string.match(ARGV[4], '%d+$'))
end
return { 'open', at, header[EPOCH] }`;
const OPEN_TEXT: string = [LAYOUT_PART, PERMISSIONS_PART, STORE_PART, OPEN_OWN].join('');

export const OPEN: Script = {
  name: 'open',
  sha: 'b7eced6721e094ff12df6ecb9e762bafc45118a9',
  text: UNLOCK + OPEN_TEXT,
  flagged: { sha: 'dbc2c080b4c05be7152385d04fd1c6a75bee3bf7', text: FLAGS + OPEN_TEXT },
};

const PROOF_OWN: string = String.raw`
local PAGE = 500
local lost = begin({ 'p', 'b' })
if lost then return lost end
local dropped = raw['p'] or '0'
local found = call('XRANGE', LEDGER, '(' .. ARGV[5], '+', 'COUNT', PAGE)
if #found == PAGE then return { 'entries', at, dropped, found } end
local shown, left, w = {}, {}, windows()
local function show(field, holder)
w.advance(holder)
local window, names = w.windowOf(holder), { field, holder[KEY], holder[WINDOW] }
local slots = window.oldest and w.slotsOf(holder) or {}
local folded = w.foldedOf(holder[SERIAL])
shown[#shown + 1] = { names, holder[COMMITTED], w.startOf(window) or false, folded, slots, window.born or 0 }
end
local function showAccount(known)
show('a' .. known[KEY], known)
for _, past in ipairs(w.coldOf(known).past) do
local serial = past[2]
if past[3] > at and not w.otherOf(serial) then
shown[#shown + 1] = { { 'w' .. serial, known[KEY], past[1] }, 0, false, (w.foldedOf(serial)), {}, 0 }
end
end
end
local function showLeft(key, serial, name, folded)
local value = get('a' .. key)
if value then
local known = { unpacked(ACCOUNT, value) }
serial, name = known[SERIAL], known[WINDOW]
folded = w.foldedOf(serial)
end
local isListed, rest, past = call('ZSCORE', DUE, 'a' .. key) and 1 or 0, get('c' .. key), {}
local cold = rest and cmsgpack.unpack(sub(rest, ({ unpacked('<s', rest) })[2]))
for place, each in ipairs(cold and cold.past or {}) do past[place] = each[1] end
left[#left + 1] = { key, isListed, name or '', serial or '', folded or {}, past }
end
if ARGV[6] == 'of' then
for place = 7, #ARGV do
local known = account(ARGV[place])
if known then showAccount(known) else showLeft(ARGV[place]) end
end
return { 'proof', at, dropped, found, '0', shown, left, tonumber(raw['b'] or 0) }
end
local page = call('HSCAN', BOOKS, ARGV[6], 'COUNT', 100)
for place = 1, #page[2], 2 do raw[page[2][place]] = page[2][place + 1] end
for place = 1, #page[2], 2 do
local field = page[2][place]
local kind, rest = sub(field, 1, 1), sub(field, 2)
if kind == 'a' or kind == 'c' then
local known = account(rest)
if not known then
showLeft(rest)
elseif kind == 'a' then
showAccount(known)
end
elseif kind == 'w' then
show(field, w.otherOf(rest))
elseif kind == 'f' then
local folded, key, name = w.foldedOf(rest)
if not account(key) and not w.otherOf(rest) then showLeft(key, rest, name, folded) end
end
end
return { 'proof', at, dropped, found, page[1], shown, left, tonumber(raw['b'] or 0) }`;
const PROOF_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, PROOF_OWN].join('');

export const PROOF: Script = {
  name: 'proof',
  sha: '44fba3a1e2f5955614b928dfb1a919303970adac',
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
local value, known = get('f' .. serial), {}
local _, _, from = unpacked('<ss', value or packed('<ss', '', ''))
for place = from, #(value or ''), 16 do
local slot, amount = unpacked('<dd', value, place)
known[slot] = amount
end
sums[serial] = known
end
return sums[serial]
end
local names = {}
for place = 8, #ARGV, 5 do
local known = account(ARGV[place])
if not known and isDeleted(ARGV[place]) then return { 'stale', at } end
local holder = known and w.named(known, ARGV[place + 1])
local count = tonumber(ARGV[place + 4])
if holder and (count > (w.windowOf(holder).born or 0) or count <= tonumber(get('b') or 0)) then
local slot, amount = tonumber(ARGV[place + 2]) or -HUGE, tonumber(ARGV[place + 3])
local startsAt = w.windowOf(holder).step and w.startOf(w.windowOf(holder)) or -HUGE
names[holder[SERIAL]] = packed('<ss', holder[KEY], holder[WINDOW])
local known = sumsOf(holder[SERIAL])
known[slot] = (known[slot] or 0) + amount
for each in pairs(known) do
if each < startsAt and each > -HUGE then known[each] = nil end
end
end
end
for serial, known in pairs(sums) do
local parts = { names[serial] }
for slot, amount in pairs(known) do parts[#parts + 1] = packed('<dd', slot, amount) end
put('f' .. serial, concat(parts))
end
put('p', format('%.0f', tonumber(get('p') or '0') + tonumber(ARGV[7])))
finish(true)
call('XTRIM', LEDGER, 'MINID', '=', ARGV[6])
return { 'pruned', at }`;
const PRUNE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, PRUNE_OWN].join('');

export const PRUNE: Script = {
  name: 'prune',
  sha: 'e420e4070d529b9ea867c450434c4a792d0db1b7',
  text: PRUNE_TEXT,
};

const READ_OWN: string = String.raw`
local fields = {}
for place = 5, #ARGV, 2 do fields[#fields + 1] = 'a' .. ARGV[place] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then
sweep()
finish(true)
end
local answer = { 'read', at }
for place = 5, #ARGV, 2 do
local known = open(ARGV[place], termsIn(ARGV[place + 1]))
if not known then return { 'stale', at } end
local window = windows().windowOf(known)
local limit = windows().limitOf(known, window)
answer[#answer + 1] = {
limit ~= HUGE and limit or false, windows().isBlocked(known) and 1 or 0,
known[COMMITTED], known[HELD] + known[CARRIED], max(known[DENIED] - dayTally(), 0),
windows().rolledInto(known, window),
}
end
return answer`;
const READ_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, READ_OWN].join('');

export const READ: Script = {
  name: 'read',
  sha: '0fb1fb2db7013ae5968071a6e0b637eb4ff57d44',
  text: READ_TEXT,
};

const RELEASE_OWN: string = String.raw`
local field = 'r' .. ARGV[5]
local lost = begin({ field })
if lost then return lost end
if at >= header[NEXT_DUE] then sweep(field) end
local record = raw[field]
if not record or sub(record, 1, 1) ~= OPEN_STATE then return ended(record) end
local _, _, admittedAt = struct.unpack('<c1dd', record)
if ARGV[6] and tonumber(ARGV[6]) ~= admittedAt then return { 'never', at, finish(false) } end
for _, each in ipairs(holdsThere(record)) do
local key, held, _, kind, serial = unpack(each)
local known = account(key)
hold(known, kind, -tonumber(held), -1, serial ~= '' and windows().find(known, serial) or known)
end
if ARGV[6] then
deletes[#deletes + 1] = field
else
put(field, endedRecord(RELEASED))
end
return { 'released', at, finish(false) }`;
const RELEASE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, RELEASE_OWN].join('');

export const RELEASE: Script = {
  name: 'release',
  sha: 'ced6d92360f5792a14e53d1e226f0491569f8508',
  text: UNLOCK + RELEASE_TEXT,
  flagged: { sha: '7e23a70cbcd9edfaf6cd04c9e012042d525a0007', text: FLAGS + RELEASE_TEXT },
};

const RESERVE_OWN: string = String.raw`
local field, ttl, count = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[8])
local lost = begin({ field, unpack(ARGV, 9, 8 + count) })
if lost then return lost end
if ARGV[7] ~= '' and at > tonumber(ARGV[7]) then return { 'stale', at } end
local isMoreDue = at >= header[NEXT_DUE] and sweep(field, true)
local record = raw[field]
if record then
local state, expiresAt = unpacked('<c1d', record)
if state == OPEN_STATE and isSame(holdsOf(record), 9, count) then
return { 'again', at, expiresAt, finish(false), (unpacked('<d', record, 10)) }
end
finish(true)
return { 'mismatch', at, RESOLUTIONS[state] or false }
end
local asked, holds, refusals, refusing, isDenied, expiresAt = {}, {}, {}, {}, false, at + ttl
local function decide()
refusals, refusing, isDenied = {}, {}, false
for place = 1, count do
local key, amount = sub(ARGV[8 + place], 2), ARGV[8 + count + place]
local id, way, terms = termsIn(ARGV[8 + count * 2 + place])
local known = open(key, id, way, terms)
if not known then return false end
local requested = tonumber(amount)
local taken = known[COMMITTED] + known[HELD] + known[CARRIED]
if taken >= known[GATE] or taken + requested > known[GATE] then
refuse(refusals, refusalOf(place - 1, known, known, requested, 0))
refusing[#refusing + 1] = known
isDenied = isDenied or sub(id, 2, 2) ~= 's'
end
local kind = sub(id, 1, 1)
local serial = payerOf(known, kind, way, expiresAt)
if not serial then return false end
asked[place], holds[place] = known, { key, amount, amount, kind, serial }
end
return true
end
if not decide() then return { 'stale', at } end
if isDenied and isMoreDue then
sweep(nil, false, SWEEP_LIMIT - FEW)
if not decide() then return { 'stale', at } end
end
for _, known in ipairs(refusing) do
known[DENIED] = max(known[DENIED], dayTally()) + 1
save(known)
end
if isDenied or ttl == 0 then return { 'denied', at, '', finish(false), unpack(refusals) } end
for place, known in ipairs(asked) do hold(known, holds[place][4], tonumber(holds[place][2]), 1) end
put(field, openRecord(expiresAt, at, holds))
enqueue({ field }, expiresAt)
return { 'held', at, expiresAt, finish(false), unpack(refusals) }`;
const RESERVE_TEXT: string = [LAYOUT_PART, PLAIN_RESERVE_PART, STORE_PART, WINDOWS_PART, REFUSALS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, RESERVE_OWN].join('');

export const RESERVE: Script = {
  name: 'reserve',
  sha: '1058ddeed7037799678998e7ad15b2cec7538d1b',
  text: RESERVE_TEXT,
};

const RESERVE_MANY_OWN: string = String.raw`
local lists, first = beginMany(true, 4)
if not lists then return first end
local held, earliest = {}, HUGE
local function prepare(list)
list.isPrepared, list.latest = true, HUGE
local all, kinds, payers, counters, isPlain, isShadow = accountsOf(list), {}, {}, {}, {}, {}
for place, known in ipairs(all or {}) do
local id = ARGV[list.from + list.size + place - 1]
local kind = sub(id, 1, 1)
if known[TERMS_ID] ~= id then return end
local isFixed, goesAlong = kind == 'o' or kind == 'O', kind == 'c' or kind == 'C'
if goesAlong then list.latest = min(list.latest, known[TILL]) end
kinds[place], isShadow[place] = kind, sub(id, 2, 2) == 's'
isPlain[place] = (isFixed or goesAlong) and sub(id, 2, 2) == ':'
counters[place] = isFixed and HELD or CARRIED
payers[place] = (isFixed or goesAlong) and known[SERIAL] or ''
end
if not all then return end
list.accounts, list.counters, list.isPlain, list.isShadow = all, counters, isPlain, isShadow
list.shape, list.form = shapeOf(all, kinds, payers), '<c1dds' .. string.rep('s', list.size)
end
local function refusalsOf(list, before)
local answer = {}
for place, known in ipairs(list.accounts) do
local requested, gate, ends = ARGV[before + place] + 0, known[GATE], known[ENDS]
local committed, held = known[COMMITTED], known[HELD] + known[CARRIED]
if committed + held >= gate or committed + held + requested > gate then
if list.isShadow[place] then return false end
if gate >= 0 and list.isPlain[place] then
local last, why = #answer, committed >= gate and 'spent' or committed + requested > gate and 'too-large' or 'held'
local endsAt = ends < HUGE and ends or false
answer[last + 1], answer[last + 2], answer[last + 3] = place - 1, why, gate
answer[last + 4], answer[last + 5], answer[last + 6] = committed, held, requested
answer[last + 7] = endsAt
answer[last + 8] = why ~= 'held' and gate ~= 0 and requested <= gate and endsAt
answer[last + 9] = 0
else
refuse(answer, refusalOf(place - 1, known, known, requested, 0))
end
end
end
for from = 1, #answer, 9 do
local known = list.accounts[answer[from] + 1]
known[DENIED] = max(known[DENIED], dayTally()) + 1
save(known)
end
return answer
end
local function reserve(from)
local list, field, expiresAt, notAfter = lists[ARGV[from]], ARGV[from + 1], at + ARGV[from + 2], ARGV[from + 3]
if not list.isPrepared then prepare(list) end
local all, counters, before = list.accounts, list.counters, from + 3
local isOdd = not all or raw[field] or ARGV[from + 2] == '0' or expiresAt >= list.latest
if isOdd or notAfter ~= '' and at > notAfter + 0 then return false end
for place = 1, list.size do
local known = all[place]
local taken, gate = known[COMMITTED] + known[HELD] + known[CARRIED], known[GATE]
if taken >= gate or taken + ARGV[before + place] > gate then return refusalsOf(list, before) end
end
if not list.isSaved then saveAll(list) end
for place = 1, list.size do
local known, counter = all[place], counters[place]
known[counter], known[OPEN] = known[counter] + ARGV[before + place], known[OPEN] + 1
end
putOnce(field, packed(list.form, OPEN_STATE, expiresAt, at, list.shape, unpack(ARGV, from + 4, before + list.size)))
held[#held + 1], earliest = field, min(earliest, expiresAt)
return 1
end
local answers, isKept, from = { 'many', at }, false, first
while ARGV[from] do
local answer = reserve(from)
answers[#answers + 1], isKept = answer, isKept or answer
from = from + 4 + lists[ARGV[from]].size
end
if not isKept then return { 'stale', at } end
enqueue(held, earliest)
finish(false)
return answers`;
const RESERVE_MANY_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, REFUSALS_PART, CHARGES_PART, RESERVATIONS_PART, MANY_PART, RESERVE_MANY_OWN].join('');

export const RESERVE_MANY: Script = {
  name: 'reserve-many',
  sha: '722a75ce54626b8ec74abfc45308db1fd43fd375',
  text: RESERVE_MANY_TEXT,
};

const RESTORE_OWN: string = String.raw`
local field, key = ARGV[6], ARGV[7]
local lost = begin({ field })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if (last and last[1] or '0-0') ~= ARGV[5] then return { 'stale', at } end
local w, owner, serial = windows(), account(key), sub(field, 2)
local holder = field == 'a' .. key and owner or nil
if sub(field, 1, 1) == 'w' then
local isKnown = field == 'w'
if not isKnown then holder = w.otherOf(serial) end
for _, past in ipairs(owner and w.coldOf(owner).past or {}) do
isKnown = isKnown or past[2] == serial and past[3] > at
end
if not holder and owner and isKnown and (field ~= 'w' or not w.named(owner, ARGV[8])) then
holder = w.remake(owner, serial, ARGV[8], tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]))
end
end
if not holder then return { 'gone', at } end
local slots = {}
for place = 13, #ARGV do slots[place - 12] = tonumber(ARGV[place]) end
holder[COMMITTED] = tonumber(ARGV[12])
for place = 2, #slots, 2 do holder[COMMITTED] = holder[COMMITTED] + slots[place] end
if w.windowOf(holder).step then w.setSlots(holder, slots) end
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
  sha: 'a9d0ba50a9ade88051352a84e8b853ef832428e3',
  text: RESTORE_TEXT,
};

const REVIVE_OWN: string = String.raw`
local key, serial = ARGV[6], ARGV[9]
local lost = begin({ 'a' .. key, 'c' .. key })
if lost then return lost end
local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
if account(key) then return { 'there', at } end
if (last and last[1] or '0-0') ~= ARGV[5] then return { 'stale', at } end
local terms, cold, denials = ARGV[7] .. '\n\n\n\n\n\n', nil, 0
if raw['c' .. key] then
local from
terms, from = unpacked('<s', raw['c' .. key])
cold = cmsgpack.unpack(sub(raw['c' .. key], from))
else
cold = { past = {}, window = { added = 0, resets = ARGV[17] == 'r' and 0.5 or 0, fired = {} } }
cold.isBlocked = ARGV[12] ~= '' or nil
if ARGV[13] ~= '' then cold.set = { to = tonumber(ARGV[13]), till = tonumber(ARGV[14]) } end
if ARGV[15] ~= '' then cold.raised = { by = tonumber(ARGV[15]), till = tonumber(ARGV[16]) } end
end
if raw['a' .. key] then
local before = { unpacked(ACCOUNT, raw['a' .. key]) }
denials = before[DENIED]
if not raw['c' .. key] then terms = before[NAMES] .. '\n\n\n\n\n\n' end
end
cold.window.isRevived = true
cold.window.length = tonumber(ARGV[10]) or cold.window.length
cold.window.step = tonumber(ARGV[11]) or cold.window.step
if serial == '' then serial = nextSerial() end
local known = {
[COMMITTED] = tonumber(ARGV[18]), [HELD] = 0, [OPEN] = 0, [DENIED] = denials, [CARRIED] = 0, [TILL] = 0,
[GATE] = HUGE, [ALARM] = HUGE, [ENDS] = HUGE, [SERIAL] = serial, [TERMS_ID] = '',
[NAMES] = string.match(terms, '^[^\n]*'), [WINDOW] = ARGV[8], [TERMS] = terms, [KEY] = key, [COLD] = cold,
}
known[FRESH] = at + windows().remembered()
local slots = {}
for place = 19, #ARGV do slots[place - 18] = tonumber(ARGV[place]) end
for place = 2, #slots, 2 do known[COMMITTED] = known[COMMITTED] + slots[place] end
if slots[1] or get('s' .. serial) then windows().setSlots(known, slots) end
save(known)
finish(true)
return { 'revived', at }`;
const REVIVE_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, REVIVE_OWN].join('');

export const REVIVE: Script = {
  name: 'revive',
  sha: '4d5e7f57c73007efedfef0240b68caed27b4b7ce',
  text: REVIVE_TEXT,
};

const SETTLE_OWN: string = String.raw`
local field, count, asked, ways = ARGV[5], tonumber(ARGV[7]), {}, {}
for place = 8, 7 + count do
local amount = ARGV[place + count]
if amount ~= 'hold' then asked[sub(ARGV[place], 2)] = amount end
end
for place = 8 + count * 2, #ARGV, 2 do ways[ARGV[place]] = ARGV[place + 1] end
local lost = begin({ field, unpack(ARGV, 8, 7 + count) })
if lost then return lost end
if at >= header[NEXT_DUE] then sweep(field, true) end
local record = raw[field]
local state = record and sub(record, 1, 1)
if state == EXPIRED then
local _, expiredAt = unpacked('<c1d', record)
if at >= expiredAt + string.match(ARGV[4], ' (%d+) ') then record, state = nil, nil end
end
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
holder = windows().find(known, serial) or known
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
local found = account(key)
if not found and isDeleted(key) then missing(key) end
local known = found or { [KEY] = key, [NAMES] = names }
local holder = found and (windows().find(found, serial) or windows().named(found, name))
holder = holder or charges().forgotten(known, name)
local amount = tonumber(asked[key] or held) - tonumber(before)
if windows().windowOf(holder).resets ~= resets and not windows().windowOf(holder).isPart then
amount = max(0, amount)
end
charge(known, holder, 'x', amount, 0, tonumber(slot))
return chargeOf(known, name, slot, format('%.0f', amount), '0')
end
if state == OPEN_STATE then
local _, _, admittedAt = unpacked('<c1dd', record)
for place, each in ipairs(holdsThere(record)) do charged[place] = settle(each, admittedAt) end
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
enter(kind, ARGV[6], list, 'overshoot', overshot)
put(field, endedRecord(SETTLED))
return { state == EXPIRED and 'late' or 'settled', at, list, overshot, finish(false) }`;
const SETTLE_TEXT: string = [LAYOUT_PART, PLAIN_SETTLE_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, SETTLE_OWN].join('');

export const SETTLE: Script = {
  name: 'settle',
  sha: 'cf1dc75c2d4c6764d0c1bfe4dafe343b820787ea',
  text: UNLOCK + SETTLE_TEXT,
  flagged: { sha: '43e03459c2207a49a12bce7de389784c6ef20d03', text: FLAGS + SETTLE_TEXT },
};

const SETTLE_LEASED_OWN: string = String.raw`
local leaseCount = tonumber(ARGV[5])
local from = 7 + leaseCount * 2
local count, fields, places, seen = tonumber(ARGV[from - 1]), { 'q' }, {}, {}
for place = 6, 5 + leaseCount * 2, 2 do
local name = ARGV[place + 1]
fields[#fields + 1] = ARGV[place]
if not seen[name] then
seen[name] = true
fields[#fields + 1], fields[#fields + 2] = name, 'c' .. sub(name, 2)
end
end
for place = 1, count do
places[place], fields[#fields + 1] = from, ARGV[from]
from = from + 3 + ARGV[from + 2] * 3
end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep(nil, true) end
local charged, ended, byPlace, ending = {}, {}, {}, endedRecord(SETTLED)
local function leaseAt(place)
local lease = byPlace[place]
if lease == nil then
lease = leaseOf(ARGV[4 + place * 2])
byPlace[place] = lease.state == OPEN_STATE and lease
lease.beginning = lease.key and '["' .. lease.key .. '",' .. lease.known[NAMES] .. ',"'
.. lease.holder[WINDOW] .. '",null,'
lease.isPlain = lease.key and lease.holder == lease.known and at < lease.known[TILL]
if lease.key then save(lease.known) end
lease = byPlace[place]
end
return lease
end
local function charge(lease, amount)
local cost, known = amount + 0, lease.known
if lease.isPlain and cost <= lease.left and known[COMMITTED] + cost < known[ALARM] then
known[COMMITTED], known[HELD] = known[COMMITTED] + cost, known[HELD] - cost
lease.left, lease.isChanged = lease.left - cost, true
return
end
local taken = takeOf(lease, cost)
hold(known, lease.kind, -taken, 0, lease.holder)
chargeLeased(lease, cost, taken)
end
local function finishCall(from)
local field, size = ARGV[from], ARGV[from + 2] + 0
local record = raw[field]
if record then return sub(record, 1, 1) end
ended[#ended + 1] = field
if ARGV[from + 1] == '' then
put(field, endedRecord(RELEASED))
return RELEASED
end
for part = from + 3, from + size * 3, 3 do
if not leaseAt(ARGV[part]) then
ended[#ended] = nil
return '-'
end
end
for place = 1, size do
local part = from + place * 3
local lease, amount = byPlace[ARGV[part]], ARGV[part + 1]
charge(lease, amount)
charged[place] = lease.beginning .. amount .. ',' .. ARGV[part + 2] .. ']'
end
enter('settlement', ARGV[from + 1], '[' .. concat(charged, ',', 1, size) .. ']')
put(field, ending)
return 'c'
end
local letters = {}
for place, from in ipairs(places) do letters[place] = finishCall(from) end
if ended[1] then enqueue(ended, at + windows().remembered()) end
putLeases()
local answer = { 'flushed', at, finish(false), concat(letters) }
for place = 1, leaseCount do
local known = leaseOf(ARGV[4 + place * 2]).known
answer[#answer + 1] = known and known[COMMITTED] or false
answer[#answer + 1] = known and known[ALARM] < HUGE and known[ALARM] or false
end
return answer`;
const SETTLE_LEASED_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, SWEEP_PART, CLAIMS_PART, LEASES_PART, SETTLE_LEASED_OWN].join('');

export const SETTLE_LEASED: Script = {
  name: 'settle-leased',
  sha: '3d07ae28f4ff82145ea0a680138cac9b84722ded',
  text: UNLOCK + SETTLE_LEASED_TEXT,
  flagged: { sha: '6961c9c8bdcb39bc2eed7096f10534fc3b50582c', text: FLAGS + SETTLE_LEASED_TEXT },
};

const SETTLE_MANY_OWN: string = String.raw`
local lists, first = beginMany(false, 3)
if not lists then return first end
local ending = endedRecord(SETTLED)
local function prepare(list)
list.isPrepared = true
local all, kinds, payers, texts = accountsOf(list), {}, {}, {}
for place, known in ipairs(all or {}) do
kinds[place], payers[place] = sub(known[TERMS_ID], 1, 1), known[SERIAL]
if kinds[place] ~= 'o' and kinds[place] ~= 'O' then return end
local opening = place == 1 and '[["' or '],["'
texts[place * 4 - 3] =
opening .. known[KEY] .. '",' .. known[NAMES] .. ',"' .. known[WINDOW] .. '",null,'
texts[place * 4 - 1] = ','
texts[place * 4 + 1] = ']]'
end
if not all then return end
list.accounts, list.texts, list.costs, list.holds = all, texts, {}, {}
list.shape = shapeOf(all, kinds, payers) .. '\0'
end
local function settle(from)
local list, field, record = lists[ARGV[from]], ARGV[from + 1], raw[ARGV[from + 1]]
if not list.isPrepared then prepare(list) end
local all, size = list.accounts, list.size
if not all or size == 0 or not record or sub(record, 1, 1) ~= OPEN_STATE then return false end
if find(record, list.shape, BEFORE_SHAPE + 1, true) ~= BEFORE_SHAPE + 1 then return false end
local costs, holds, texts, next = list.costs, list.holds, list.texts, BEFORE_SHAPE + 1 + #list.shape
for place = 1, size do
local known, amount, held = all[place], ARGV[from + 2 + place], nil
held, next = unpacked('<s', record, next)
if amount == 'hold' then amount = held end
local cost, hold = amount + 0, held + 0
if cost > hold or known[COMMITTED] + cost >= known[ALARM] then return false end
costs[place], holds[place] = cost, hold
texts[place * 4 - 2], texts[place * 4] = amount, held
end
for place = 1, size do
local known = all[place]
known[COMMITTED], known[HELD] = known[COMMITTED] + costs[place], known[HELD] - holds[place]
known[OPEN] = known[OPEN] - 1
end
if not list.isSaved then saveAll(list) end
local charged = concat(texts)
enter('settlement', ARGV[from + 2], charged)
putOnce(field, ending)
return charged
end
local answers, isKept, from = { 'many', at }, false, first
while ARGV[from] do
local answer = settle(from)
answers[#answers + 1], isKept = answer, isKept or answer
from = from + 3 + lists[ARGV[from]].size
end
if not isKept then return { 'stale', at } end
finish(false)
return answers`;
const SETTLE_MANY_TEXT: string = [LAYOUT_PART, STORE_PART, WINDOWS_PART, CHARGES_PART, RESERVATIONS_PART, MANY_PART, SETTLE_MANY_OWN].join('');

export const SETTLE_MANY: Script = {
  name: 'settle-many',
  sha: '8063e3a156e59ff148b2df3d9cd9b3d69d39df04',
  text: UNLOCK + SETTLE_MANY_TEXT,
  flagged: { sha: 'c455b4385702d09448a62d5204ba84109747b155', text: FLAGS + SETTLE_MANY_TEXT },
};
