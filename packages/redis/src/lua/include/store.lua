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

-- Has a field looked at once it is due.
local function due(field, time)
  scores[#scores + 1] = time
  scores[#scores + 1] = field
  if time < header[NEXT_DUE] then header[NEXT_DUE] = time end
end

-- The account of a key; nil where there is none.
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
  put('a' .. known[KEY], struct.pack(ACCOUNT, unpack(known, 1, TERMS_ID)))
  if not known[COLD] then return end
  put('b' .. known[KEY], struct.pack('<ss', known[NAMES], known[WINDOW]))
  put('c' .. known[KEY], struct.pack('<s', known[TERMS]) .. cmsgpack.pack(known[COLD]))
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
    call(command, key, unpack(list, from, math.min(from + 3999, #list)))
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
      put('s' .. known[SERIAL], struct.pack('<' .. string.rep('d', #slots), unpack(slots)))
    end
    -- The window that an account has left is added to the list here.
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
end
