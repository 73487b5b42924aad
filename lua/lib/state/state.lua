-- A state as a table: its time, its revision, its buckets by name, and while requests wait their
-- calendars by name, its lines by field, and its waiter.

local ceil_div = require('ceil_div')
local drained = require('state/drained')
local expiry_of = require('state/expiry_of')
local LAYOUT = require('state/layout')
local layout_of = require('state/layout_of')
local PART = require('state/queue_part')
local unpacked = require('state/unpacked')

local STATE = {}

-- Fields of an earlier form are forgotten.
local function buckets_of(layout, numbers)
  local buckets = {}
  for i, part in ipairs(layout.parts) do
    local name, what = part.name, part.what
    if what == 'used' or what == 'debt' or what == 'low' then
      buckets[name] = buckets[name] or { key = part.key, rate = part.rate, used = 0, debt = 0, low = 0 }
      buckets[name][what] = numbers[i + LAYOUT.BEFORE_FIELDS]
    end
  end
  return buckets
end

-- Reads a value, false if there is none, as it is at `now`. Nil if it is not a state.
function STATE.read(value, now)
  local layout, numbers, queue_at = unpacked(value, now)
  if not layout then
    return nil
  end
  local state = { at_us = numbers[LAYOUT.AT], revision = numbers[LAYOUT.REVISION], expires_ms = numbers[LAYOUT.EXPIRES],
    buckets = buckets_of(layout, numbers), calendars = {}, lines = {}, waiter = false, layout = layout, scope = 0,
    has_changed = false, demands = false }
  if queue_at then
    PART.read(state, value, queue_at)
    PART.forget(state, now)
  end
  return state
end

-- Forgets what is over by then; takes back what was counted for decisions that did not keep it.
STATE.forget, STATE.uncount = PART.forget, PART.uncount

-- Moves the levels to an instant; those that are ahead of it stay as they are.
function STATE.move_to(state, now)
  local elapsed = now > state.at_us and now - state.at_us or 0
  for name, bucket in pairs(state.buckets) do
    bucket.used = drained(bucket.used, bucket.rate, elapsed)
    bucket.low = math.min(bucket.low, bucket.used)
    if bucket.used == 0 then
      state.buckets[name] = nil
    end
  end
  state.at_us = now
end

-- How many fields it has, and when its last bucket is empty.
local function extent_of(state)
  local count, longest = 0, 0
  for _, bucket in pairs(state.buckets) do
    local used, rate = bucket.used, bucket.rate
    count = count + (used > 0 and 1 or 0) + (bucket.debt > 0 and 1 or 0) + (bucket.low > 0 and 1 or 0)
    if used > longest * rate then
      longest = ceil_div(used, rate)
    end
  end
  return count, state.at_us + longest
end

-- The numbers of a state with so many fields in the order of a layout; nil if the fields differ.
local function numbers_in(layout, state, count)
  if count ~= layout.count then
    return nil
  end
  local numbers, parts, buckets = { count, state.at_us, state.revision, state.expires_ms }, layout.parts, state.buckets
  for i = 1, count do
    local part = parts[i]
    local bucket = buckets[part.name]
    local number = bucket and bucket.key == part.key and bucket[part.what] or 0
    if number == 0 then
      return nil
    end
    numbers[i + LAYOUT.BEFORE_FIELDS] = number
  end
  return numbers
end

-- The fields in the order of these demands, then the others by name.
local function fields_of(state, demands)
  local fields, others, first = {}, {}, {}
  for _, demand in ipairs(demands) do
    local bucket = demand.scope == state.scope and state.buckets[demand.name]
    if bucket and bucket.key == demand.field and bucket.used > 0 then
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
    if bucket.low > 0 then
      others[#others + 1] = bucket.key .. '.low'
    end
  end
  table.sort(others)
  for _, field in ipairs(others) do
    fields[#fields + 1] = field
  end
  return table.concat(fields, ' ')
end

-- The value to write: with the same fields if they have not changed.
function STATE.value(state, demands)
  local queue, needed_us = PART.packed(state)
  local count, until_us = extent_of(state)
  until_us = needed_us > until_us and needed_us or until_us
  if until_us > state.expires_ms * 1000 then
    state.expires_ms = expiry_of(until_us, state.at_us)
  end
  local layout = state.layout
  local numbers = numbers_in(layout, state, count)
  if not numbers then
    layout = layout_of(fields_of(state, demands))
    numbers = numbers_in(layout, state, count)
  end
  numbers[1] = queue == '' and count or count + LAYOUT.HAS_QUEUE
  return struct.pack(layout.format, unpack(numbers)) .. layout.text .. queue
end

return STATE
