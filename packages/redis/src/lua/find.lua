-- Which of some reservations are known, whatever became of them.
--
-- Runs when the server is full, too.
--
-- KEYS, and ARGV[1] to ARGV[4]: see include/layout.lua
-- ARGV[5] on: ids
--
-- 'found', time, notices, those that are known
--@include layout
--@include store
--@include windows
--@include charges
--@include reservations
--@include sweep
local fields, found = {}, {}
for place = 5, #ARGV do fields[place - 4] = 'r' .. ARGV[place] end
local lost = begin(fields)
if lost then return lost end
if at >= header[NEXT_DUE] then sweep() end
for place, field in ipairs(fields) do
  if raw[field] then found[#found + 1] = ARGV[place + 4] end
end
return { 'found', at, finish(false), found }
