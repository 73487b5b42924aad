-- The value to write for a state: with the same fields if they have not changed, else first those
-- of the demands, in their order, then the others in the order of their names.

local expiry_of = require('state/expiry_of')
local LAYOUT = require('state/layout')
local layout_of = require('state/layout_of')

local function longest_us(state)
  local longest = state.queue_us and state.queue_us - state.at_us or 0
  for _, bucket in pairs(state.buckets) do
    longest = math.max(longest, math.ceil(bucket.used / bucket.rate))
  end
  return longest
end

-- Whether this value of a bucket has to be stored.
local function is_kept(bucket, key, what)
  if not bucket or bucket.key ~= key then
    return false
  elseif what == 'used' then
    return bucket.used > 0
  elseif what == 'debt' then
    return bucket.debt > 0
  end
  return bucket.waiting > 0
end

local function count_of(state)
  local count = state.queue_us and 2 or 0
  for _, bucket in pairs(state.buckets) do
    count = count + (bucket.used > 0 and 1 or 0) + (bucket.waiting > 0 and 3 or 0) + (bucket.debt > 0 and 1 or 0)
  end
  return count
end

-- The numbers of a state in the order of a layout; nil if the fields differ.
local function numbers_in(layout, state)
  local numbers = { layout.count, state.at_us, state.revision, state.expires_ms }
  if count_of(state) ~= layout.count then
    return nil
  end
  for i, part in ipairs(layout.parts) do
    local bucket = state.buckets[part.name]
    local value
    if not part.name then
      value = state[part.what]
    elseif is_kept(bucket, part.key, part.what) then
      value = bucket[part.what]
    end
    if not value then
      return nil
    end
    numbers[i + LAYOUT.BEFORE_FIELDS] = value
  end
  return numbers
end

local function fields_of(state, demands)
  local fields, others, first = {}, {}, {}
  for _, demand in ipairs(demands) do
    local bucket = demand.scope == state.scope and state.buckets[demand.name]
    if is_kept(bucket, demand.field, 'used') then
      fields[#fields + 1], first[demand.name] = demand.field, true
    end
  end
  for name, bucket in pairs(state.buckets) do
    if bucket.used > 0 and not first[name] then
      others[#others + 1] = bucket.key
    end
    if bucket.debt > 0 then
      others[#others + 1] = bucket.key .. '.debt'
    end
    for _, what in ipairs(bucket.waiting > 0 and { '.unclaimed', '.slot', '.waiting' } or {}) do
      others[#others + 1] = bucket.key .. what
    end
  end
  if state.queue_us then
    others[#others + 1], others[#others + 2] = 'queue_us', 'sweep_us'
  end
  table.sort(others)
  for _, field in ipairs(others) do
    fields[#fields + 1] = field
  end
  return table.concat(fields, ' ')
end

local function state_value(state, demands)
  local until_us = state.at_us + longest_us(state)
  if until_us > state.expires_ms * 1000 then
    state.expires_ms = expiry_of(until_us, state.at_us)
  end
  local layout = state.layout
  local numbers = numbers_in(layout, state)
  if not numbers then
    layout = layout_of(fields_of(state, demands))
    numbers = numbers_in(layout, state)
  end
  return struct.pack(layout.format, unpack(numbers)) .. layout.text
end

return state_value
