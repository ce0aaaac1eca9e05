-- What scripts and the sink itself ask of the server, with arguments that it takes.
local NEEDED = {
  { 'TIME' }, { 'PEXPIRE', BOOKS, 1 }, { 'HGET', BOOKS, 'm' }, { 'HMGET', BOOKS, 'm' }, { 'HSET', BOOKS, 'm', '' },
  { 'HDEL', BOOKS, 'm' }, { 'HSCAN', BOOKS, 0 }, { 'ZADD', DUE, 0, 'm' }, { 'ZREM', DUE, 'm' },
  { 'ZRANGE', DUE, 0, 0 }, { 'ZRANGEBYSCORE', DUE, 0, 0 }, { 'ZSCORE', DUE, 'm' },
  { 'XADD', LEDGER, '*', 'm', '' }, { 'XLEN', LEDGER }, { 'XRANGE', LEDGER, '-', '+' },
  { 'XREVRANGE', LEDGER, '+', '-' }, { 'XTRIM', LEDGER, 'MAXLEN', 1 },
}

-- Names of what the user may not do. Servers before Redis 7 do not say.
local function forbidden()
  local names = {}
  for _, command in ipairs(redis.acl_check_cmd and NEEDED or {}) do
    local isKnown, isAllowed = pcall(redis.acl_check_cmd, unpack(command))
    if isKnown and not isAllowed then names[#names + 1] = command[1] end
  end
  return concat(names, ', ')
end
