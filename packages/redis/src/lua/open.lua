-- Meets the store: makes its header where there is none.
--
-- ARGV[5] epoch for a store that is new
-- ARGV[6] 'lost' to go on with a store that is not the one of ARGV[3], which somebody is told. Its epoch
--         then begins with `a:`, by which other clients know that this was decided.
--
-- 'open', time, epoch
--@include layout
--@include store
local value, isNew = call('HGET', BOOKS, 'm'), false
if value then
  header = { unpacked(HEADER, value) }
  at = math.max(at, header[CLOCK])
else
  isNew = true
  header = { at, HUGE, 0, 0, 0, 0, HUGE, 0, ARGV[5] }
  -- The ledger may be there still: it goes on where it was.
  local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
  if last then
    local time, count = string.match(last[1], '^(%d+)-(%d+)$')
    header[ENTRIES], at = tonumber(count), math.max(at, tonumber(time))
  end
  -- Keeps the key, and with it its time to live, when nothing is due.
  scores = { '+inf', 'end' }
end
local isOther = header[EPOCH] ~= ARGV[3] or tonumber(ARGV[2]) > header[CLOCK]
local isLost = ARGV[6] == 'lost' and isOther
local isAccepted = sub(header[EPOCH], 1, 2) == 'a:'
if isLost and (isNew or not isAccepted or header[EPOCH] == ARGV[3]) then
  header[EPOCH] = 'a:' .. ARGV[5]
  notices[1] = '["r",' .. format('%.0f', at) .. ']'
  isNew = true
end
if isNew then
  finish(true)
  call('PEXPIRE', BOOKS, string.match(ARGV[4], '%d+$'))
end
return { 'open', at, header[EPOCH] }
