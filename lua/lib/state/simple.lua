-- The fewest steps of the short way: states that have exactly the buckets of an own way (state/own_way.lua), each of
-- which is used once for each operation, under the policy of the charge.

local CODES = require('codes')
local drained = require('state/drained')
local LAYOUT = require('state/layout')

local QUEUED = LAYOUT.HAS_QUEUE / 256 -- the first byte of a state with a queue

-- The result of the ways below for a cost above what is free: false, or nil if it or a level is above a capacity.
local function full(way, times, numbers, elapsed)
  local d = 1
  for at = LAYOUT.BEFORE_FIELDS + 1, way.last do
    local capacity = way[d + 1]
    if way[d + 2] * times > capacity or drained(numbers[at], way[d], elapsed) > capacity then
      return nil
    end
    d = d + 3
  end
  return false
end

-- The numbers of a state that has exactly the buckets of a way, with units taken from each, so many times. False if
-- they do not fit; nil if they never do, if the TTL is too short, and in other cases. The value is as long as those of
-- the way; `is_head` if it has no fields, because these are known.
local function taken_from_all(way, value, revision, times, now, is_head)
  local last = way.last
  local numbers = { struct.unpack(is_head and way.format or way.whole, value) }
  if numbers[1] ~= way.count or numbers[2] > now or numbers[3] ~= revision
    or not is_head and numbers[last + 1] ~= way.fields then
    return nil
  end
  local elapsed, lives_us, d = now - numbers[2], numbers[4] * 1000 - now, 0
  for at = LAYOUT.BEFORE_FIELDS + 1, last do
    local rate = way[d + 1]
    local used = drained(numbers[at], rate, elapsed) + way[d + 3] * times
    if used > way[d + 2] then
      return full(way, times, numbers, elapsed)
    elseif used > lives_us * rate then
      return nil
    end
    numbers[at], d = used, d + 3
  end
  numbers[2] = now
  return numbers
end

-- The same for a single bucket, without a table; packed.
local function taken_from_one(way, value, revision, times, now, is_head)
  local count, at_us, of_revision, expires_ms, level, fields = struct.unpack(is_head and way.format or way.whole, value)
  if count ~= 1 or at_us > now or of_revision ~= revision or not is_head and fields ~= way.fields then
    return nil
  end
  local rate, capacity, units = way[1], way[2], way[3] * times
  local used = drained(level, rate, now - at_us) + units
  if used > capacity then
    if units > capacity or used > capacity + units then
      return nil
    end
    return false
  elseif used > (expires_ms * 1000 - now) * rate then
    return nil
  end
  return struct.pack(way.format, 1, now, revision, expires_ms, used)
end

-- The packed numbers of a value that has exactly the buckets of a way, with the cost taken so many times, in the fewest
-- steps; `is_head` if the value is such numbers itself. False if they do not fit, nil in other cases.
local function head_of(way, value, revision, times, now, is_head)
  if not way.is_simple or not is_head and #value ~= way.bytes then
    return nil
  elseif way.count == 1 then
    return taken_from_one(way, value, revision, times, now, is_head)
  end
  local numbers = taken_from_all(way, value, revision, times, now, is_head)
  return numbers and struct.pack(way.format, unpack(numbers))
end

-- Whether a single charge is denied by the levels alone, after `head` came of head_of: nobody gets a place.
local function is_denied(head, count, mode)
  return head == false and count == 1 and mode == CODES.OFF
end

-- Whether charges on a state with this value need the long way, after `head` came of head_of: somebody waits, or a
-- single one may need a place.
local function is_for_long_way(value, head, count, mode)
  return (string.byte(value) or 0) >= QUEUED or head == false and count == 1 and mode ~= CODES.OFF
end

return { QUEUED = QUEUED, head_of = head_of, is_denied = is_denied, is_for_long_way = is_for_long_way,
  taken_from_all = taken_from_all }
