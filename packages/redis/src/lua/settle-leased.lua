-- Ends calls that were drawn from leases: charges those that have been settled, at no more than they held. What a
-- call gave back stays with the lease.
--
-- Runs when the server is full, too.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] how many leases; then for each of them: its field, and that of its account
-- then how many calls; for each of them: field, id, outcome and details as JSON (or nothing where it was released),
-- how many accounts; and for each of those: place of the lease, amount, what was held
--
-- 'flushed', time, notices, for each call a letter (`c` it is charged, `l` released, `-` a lease has gone, else how the call
-- is known already), and for each lease: settled spend of its account, and that at which a threshold comes,
-- or nothing
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
--@include claims
--@include leases
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

-- The lease at a place, with what its charges begin with as JSON; nil where it has gone.
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
return answer
