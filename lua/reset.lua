-- Sets the use of a quota to 0. Its window is unchanged: it ends at the same time.
--
-- KEYS
--   1      <state>:counters, of its owner
-- ARGV
--   1      the quota's name
-- RETURNS
--   { used }   the use in the present window; 0 if there was none
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   unchanged

local counters_at = require('kinds/ledger').counters_at
local new_ledger = require('kinds/ledger').new_ledger
local stored_of = require('kinds/ledger').stored_of
local put_counter = require('kinds/ledger_write').put_counter
local write_counters = require('kinds/ledger_write').write_counters
local clock = require('now')

local now_us = clock(ARGV)

local END, USED, BEFORE = 2, 3, 4
local now, book = now_us(1), new_ledger()
local state_key = string.sub(KEYS[1], 1, -1 - #':counters')
local counters = counters_at(book, redis.call, state_key, now)
local counter = stored_of(counters, ARGV[1])
if #counter == 0 then
  return { 0 }
end
put_counter(counters, ARGV[1], { counter[1], counter[END], 0, 0 }, now)
write_counters(book, redis.call)
return { counter[USED] + (counter[BEFORE] or 0) }
