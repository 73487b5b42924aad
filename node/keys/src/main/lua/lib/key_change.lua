-- Numbers a change of a record, leaves its line in the list from which nodes learn of it, and remembers a removal.
--
-- A version never comes again, not even after Redis has come back with an older copy, or with none: it is at least
-- the microsecond of the change, above every one in this copy, and above the highest that its writer has seen. So
-- two lists with the same version at the same place are the same up to there.

local MOST_CHANGES = 100000
local GONE_LASTS_US = 3600000000

local function text(number)
  return string.format('%.0f', number)
end

local change = {}

-- version: as text
function change.note(call, log, list, gone, name, version, is_removal)
  if tonumber(version) > tonumber(call('HGET', log, 'newest') or 0) then
    call('HSET', log, 'newest', version)
  end
  call('HINCRBY', log, 'seq', 1)
  call('RPUSH', list, name .. ' ' .. version .. (is_removal and ' gone' or ''))
  call('LTRIM', list, -MOST_CHANGES, -1)
  if is_removal then
    call('ZADD', gone, version, name)
    call('ZREMRANGEBYSCORE', gone, '-inf', '(' .. text(tonumber(version) - GONE_LASTS_US))
  else
    call('ZREM', gone, name)
  end
end

-- Whether nodes still compare what they know, after Redis has come back with another copy.
function change.is_uncertain(call, log, now_us)
  return now_us < tonumber(call('HGET', log, 'uncertain') or 0)
end

-- highest: the highest version that the writer has seen; returns the version, as text
function change.begin(call, log, now_us, highest)
  call('HSETNX', log, 'epoch', text(now_us))
  local newest = tonumber(call('HGET', log, 'newest') or 0)
  return text(math.max(now_us, newest + 1, highest + 1))
end

return change
