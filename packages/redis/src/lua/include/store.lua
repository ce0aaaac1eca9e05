-- Places in an account. It holds for calls before TILL: those that take committed and held spend above
-- GATE are refused, and charges that take committed spend to ALARM cross a threshold. Another window of
-- it has those of a window at the same places. DENIED only grows: ten digits are for the denials of a
-- day, and before them stands the day.
local COMMITTED, HELD, OPEN, DENIED, CARRIED, TILL, GATE, ALARM, ENDS = 1, 2, 3, 4, 5, 6, 7, 8, 9
local SERIAL, TERMS_ID, NAMES, WINDOW, TERMS, REST, KEY = 10, 11, 12, 13, 14, 15, 16
local COLD, CHANGED, FRESH, LEFT, SLOTS, IS_OTHER, BACK = 17, 18, 19, 20, 21, 22, 23
-- What DENIED is before the first denial of today, in UTC.
local function dayTally() return floor(at / 86400000) * 1e10 end
-- So much of its latest past a store may lose in a failover and go on, in ms; somebody is told.
local TOLERATED_LOSS = 5000

local CLOCK, NEXT_DUE, SERIALS, ENTRIES, TOUCH_AT, UNTOLD, QUEUE_DUE, QUEUED, EPOCH = 1, 2, 3, 4, 5, 6, 7, 8, 9

-- The store as one script sees it. Everything is read first and written once, by finish(), so that a
-- script that returns before that leaves every byte as it was.
local header, hasSwept
local raw, accounts, changed = {}, {}, {}
local writes, written, deletes, gone = {}, {}, {}, {}
local scores, entries, notices = {}, {}, {}

-- Reads the header and some fields; what to answer where the store is not the one the client knows.
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

-- Reads fields at once that are asked for one by one soon.
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

-- Has a field looked at once it is due.
local function due(field, time)
  scores[#scores + 1] = time
  scores[#scores + 1] = field
  if time < header[NEXT_DUE] then header[NEXT_DUE] = time end
end

local function nextSerial()
  header[SERIALS] = header[SERIALS] + 1
  return format('%.0f', header[SERIALS])
end

-- Has new reservations looked at once they expire, together with those that come before and after them.
-- @param earliest when the first of them does
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

-- The account of a key; nil where there is none.
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

-- Ends the script, which has written nothing, where a record that is needed was deleted.
local function missing(key) error('MISSING-RECORD "' .. key .. '"', 0) end

-- Whether an account was deleted and not forgotten: it is listed among what is due.
local function isDeleted(key)
  for _, field in ipairs(gone) do
    if field == 'a' .. key then return false end
  end
  return call('ZSCORE', DUE, 'a' .. key) and true
end

-- Writes an account, or another window of it, at the end.
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

-- Puts by what nobody can be told of now, and takes what was put by once somebody can.
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

-- Sends a command with a list, in parts: only so many arguments can be handed over at once.
local function send(command, key, list)
  for from = 1, #list, 4000 do
    call(command, key, unpack(list, from, min(from + 3999, #list)))
  end
end

-- Writes everything. Gives the notices that the answer has to tell, as JSON without brackets.
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
    -- The window that an account has left is added to the list here.
    if known[LEFT] then save(known[LEFT]) end
    place = place + 1
  end
  -- First: where the ledger takes no entry, nothing is written.
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
end
