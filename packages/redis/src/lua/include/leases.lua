-- Leases: reservations of one account each, out of which a process admits calls by itself. In the place of the
-- amount that was first asked for, a lease has a `v` and the number of the last change that its owner made to it.

-- A lease by its field, with the account and the window that it is on.
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

-- Takes of what a lease holds as much as there is, and gives that.
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

-- Charges an amount, in one step where no threshold and no limit comes near.
local function chargeLeased(lease, amount, held)
  local known, holder = lease.known, lease.holder
  if holder == known and at < known[TILL] and amount <= held and known[COMMITTED] + amount < known[ALARM] then
    known[COMMITTED] = known[COMMITTED] + amount
  else
    charges().book(known, holder, amount, held, nil)
  end
end
