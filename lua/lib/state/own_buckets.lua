-- The most frequent charge, in the fewest steps: all of its buckets belong to the key, and the
-- key's state holds exactly these.

local memo = require('memo').memo
local drained = require('state/drained')
local LAYOUT = require('state/layout')

local OWN_DEMANDS = 5

-- A template whose buckets are all the key's own, as numbers: the revision first, the slots mode
-- second, from OWN_DEMANDS on four for each demand; and the form of a state that holds exactly
-- these buckets. False for other templates.
local own_buckets_of = memo(function(text)
  if string.byte(text, 9) == 0 then
    return false
  end
  local count = 256 * string.byte(text, 10) + string.byte(text, 11)
  local own = { struct.unpack('>I7BBI2' .. string.rep('BI7I7I7', count), text) }
  own.last = LAYOUT.BEFORE_FIELDS + count
  own.from = LAYOUT.HEAD_BYTES + LAYOUT.NUMBER_BYTES * count + 1
  own.fields = string.sub(text, 12 + 22 * count)
  own.format = LAYOUT.HEAD .. string.rep(LAYOUT.NUMBER, count)
  return own
end)

-- The head of the state with the cost taken, if everything fits and the TTL is long enough, and
-- third its numbers, those of the buckets from BEFORE_FIELDS + 1 to own.last. Nil and true if a
-- single charge does not fit; nil alone in other cases.
local function taken_from_own(own, value, count, cost, now)
  local numbers = { struct.unpack(own.format, value) }
  local elapsed, lives_us = now - numbers[2], numbers[4] * 1000 - now
  if elapsed < 0 or numbers[3] ~= own[1] then
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
  return struct.pack(own.format, unpack(numbers)), false, numbers
end

return { OWN_DEMANDS = OWN_DEMANDS, own_buckets_of = own_buckets_of, taken_from_own = taken_from_own }
