-- Takes leases, changes what they hold, and ends them.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] ms until they expire     ARGV[6] time after which nobody waits for the answer, or empty
-- ARGV[7] how many leases; then for each of them: field, key, number of the change with a `v`, `new`, `keep` or `end`,
-- what calls hold of it, what it keeps beyond that, how much its owner would like beyond that, into how many
-- parts what is left of the account is divided, the least that is worth it, what is said of the terms
-- then keys of accounts whose latest denial is of a call that will be asked for again
--
-- 'leased', time, notices, and for each lease: 'held' or 'over' where it holds something ('over': its window
-- or its terms are over), else 'none', or how it ended ('released', 'settled', 'expired', 'lost'); what it holds, expiry, share of what is left, or
-- nothing without a limit, settled spend, and that at which a threshold comes, or nothing; until when this holds,
-- or nothing
-- 'stale', time: a span is not of now, or terms are needed
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
--@include claims
--@include leases
local ttl, count, fields = tonumber(ARGV[5]), tonumber(ARGV[7]), {}
for place = 1, count do
  fields[place * 2 - 1], fields[place * 2] = ARGV[place * 10 - 2], 'a' .. ARGV[place * 10 - 1]
end
local lost = begin(fields)
if lost then return lost end
if ARGV[6] ~= '' and at > tonumber(ARGV[6]) then return { 'stale', at } end
if at >= header[NEXT_DUE] then sweep(nil, true) end

local function orNothing(number) return number < HUGE and number or false end

-- What a lease may have of what is left of an account.
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

-- Sets what a lease holds. What it keeps is never taken from it: calls may have it by now.
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
  -- What its owner does not know to have been charged, or adopted, is not held again.
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
    -- A lease that was asked for, and is not there yet, must not be taken later.
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
return answer
