-- Adds a refusal to those of an answer, of a window that is no rolling one and into which nothing is
-- rolled over: all that has to be known of such a one is known at once. `held` is what others hold. It is
-- no function, since to make one costs more than most calls have need of it.
local last, why = #answer, committed >= gate and 'spent' or committed + requested > gate and 'too-large' or 'held'
local endsAt = ends < HUGE and ends or false
answer[last + 1], answer[last + 2], answer[last + 3] = place - 1, why, gate
answer[last + 4], answer[last + 5], answer[last + 6] = committed, held, requested
answer[last + 7] = endsAt
answer[last + 8] = why ~= 'held' and gate ~= 0 and requested <= gate and endsAt
answer[last + 9] = 0
