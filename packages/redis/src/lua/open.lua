-- Meets the store: makes its header where there is none.
--
-- Runs when the server is full, too.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] epoch for a store that is new
-- ARGV[6] what to do with a store that is not the one of ARGV[3]: `lost` goes on with it, which somebody is
--         told, `left` does so where only a ledger was left of it, and `rebuild` stops everybody until `rebuilt`. An epoch begins with `a:` where somebody has
--         decided to go on, by which other clients know, with `l:` while somebody has to, and with `r:` while nobody may.
-- ARGV[7] whether to look at what the user may do: 1, or empty
--
-- 'open', time, epoch
-- 'forbidden', time, commands that the user may not run
--@include layout
--@include permissions
--@include store
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
  -- What is listed as due is of the books that are gone, and its accounts would be taken for deleted.
  call('PEXPIRE', DUE, 0)
  -- The ledger may be there still: it goes on where it was.
  local last = call('XREVRANGE', LEDGER, '+', '-', 'COUNT', 1)[1]
  if last then
    local time, count = string.match(last[1], '^(%d+)-(%d+)$')
    header[ENTRIES], at = tonumber(count), max(at, tonumber(time))
    put('b', count)
  end
  -- Keeps the key, and with it its time to live, when nothing is due.
  scores = { '+inf', 'end' }
end
local epoch, asked = header[EPOCH], ARGV[6]
local isOther = epoch ~= ARGV[3] or tonumber(ARGV[2]) > header[CLOCK]
local isRebuilding = sub(epoch, 1, 2) == 'r:'
local isOpen = isOther and (isNew or sub(epoch, 1, 2) ~= 'a:' or epoch == ARGV[3])
-- Of a store that somebody may be using, a client that has just come knows nothing; that something was
-- lost shows where there is a ledger without books, with which nobody goes on unless told to.
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
return { 'open', at, header[EPOCH] }
