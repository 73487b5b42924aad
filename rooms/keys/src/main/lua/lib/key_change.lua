-- Numbers a change of a record, and puts its name on the list from which nodes learn of it.

local MOST_CHANGES = 100000

return function(call, log, list, name, now_us)
  if call('HSETNX', log, 'epoch', string.format('%.0f', now_us)) == 1 then
    -- Not from 1: a version that was seen before a loss shall not come again.
    call('HSET', log, 'seq', string.format('%.0f', now_us))
  end
  local seq = call('HINCRBY', log, 'seq', 1)
  call('RPUSH', list, name)
  call('LTRIM', list, -MOST_CHANGES, -1)
  return seq
end
