-- The name and the rate of a bucket, parsed from its field, and the times that scale with the bucket.
-- Pace.java has the same.
--   shared_us   how far ahead a shared bucket makes places, and in which it counts those that wait
--   waited_us   how long after its slot a ticket shows that its holder has waited

local ceil_div = require('ceil_div')
local memo = require('memo').memo
local TIMES = require('times')

local function bytes_of(field)
  return 500 + #field
end

local pace_of = memo(function(field)
  local name, rate, unit = string.match(field, '^([^@]+)@(%d+)/(%d+)')
  local operation_us = math.min(TIMES.LONGEST_US, ceil_div(tonumber(unit), tonumber(rate)))
  return { name = name, rate = tonumber(rate), waited_us = math.max(TIMES.WAITED_US, operation_us),
    shared_us = math.max(TIMES.SHARED_US, TIMES.SHARED_OPERATIONS * operation_us) }
end, bytes_of)

return pace_of
