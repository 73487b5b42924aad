-- The most frequent charge, in the fewest steps: all of its buckets belong to the key, and the
-- key's state holds exactly these.

local memo = require('memo').memo
local drained = require('state/drained')
local LAYOUT = require('state/layout')

local OWN_DEMANDS = 5

-- The head of the state with the cost taken, if everything fits and the TTL is long enough, and
-- third its numbers, those of the buckets from BEFORE_FIELDS + 1 to own.last. Nil and true if a
-- single charge does not fit; nil alone in other cases. The value is as long as own.bytes.
local function taken_from_own(own, value, count, cost, now)
  local numbers = { struct.unpack(own.format, value) }
  local elapsed, lives_us = now - numbers[2], numbers[4] * 1000 - now
  if elapsed < 0 or numbers[3] ~= own[1] or numbers[own.last + 1] ~= own.fields then
    return nil
  end
  local d, times_cost, is_denied = OWN_DEMANDS, count * cost, false
  for j = 5, own.last do
    local rate, capacity, units = own[d + 1], own[d + 2], own[d + 3] * times_cost
    local level = drained(numbers[j], rate, elapsed)
    if level + units > capacity then
      if level > capacity or units > capacity or count > 1 then
        return nil
      end
      is_denied = true
    elseif level + units > lives_us * rate then
      return nil
    end
    numbers[j] = level + units
    d = d + 4
  end
  if is_denied then
    return nil, true
  end
  numbers[2] = now
  return struct.pack(own.head, unpack(numbers)), false, numbers
end

-- The same for a single bucket, without a table; it does not return the numbers.
local function taken_from_one(own, value, count, cost, now)
  local layout, at_us, revision, expires_ms, used, fields = struct.unpack(own.format, value)
  if now < at_us or revision ~= own[1] or fields ~= own.fields then
    return nil
  end
  local rate, capacity, units = own[OWN_DEMANDS + 1], own[OWN_DEMANDS + 2], own[OWN_DEMANDS + 3] * (count * cost)
  local level = drained(used, rate, now - at_us)
  if level + units > capacity then
    return nil, level <= capacity and units <= capacity and count == 1
  elseif level + units > (expires_ms * 1000 - now) * rate then
    return nil
  end
  return struct.pack(own.head, layout, now, revision, expires_ms, level + units)
end

-- A template whose buckets are all the key's own, as numbers: the revision first, the slots mode
-- second, from OWN_DEMANDS on four for each demand; and the form of a state that holds exactly
-- these buckets: its length, its fields, the format of its numbers and that of all, and what takes
-- from it. False for other templates.
local own_buckets_of = memo(function(text)
  if string.byte(text, 9) == 0 then
    return false
  end
  local count = 256 * string.byte(text, 10) + string.byte(text, 11)
  local own = { struct.unpack('>I7BBI2' .. string.rep('BI7I7I7', count), text) }
  own.last = LAYOUT.BEFORE_FIELDS + count
  own.fields = string.sub(text, 12 + 22 * count)
  own.bytes = LAYOUT.HEAD_BYTES + LAYOUT.NUMBER_BYTES * count + #own.fields
  own.head = LAYOUT.HEAD .. string.rep(LAYOUT.NUMBER, count)
  own.format = own.head .. 'c' .. #own.fields
  own.taken = count == 1 and taken_from_one or taken_from_own
  return own
end)

return { OWN_DEMANDS = OWN_DEMANDS, own_buckets_of = own_buckets_of, taken_from_own = taken_from_own }
