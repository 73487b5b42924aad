-- The short way of charges: any buckets of which nobody waits, as numbers. The numbers of a state that a charge
-- of the call has changed stay unpacked for the next one: a tenant's or the cluster's state takes many charges
-- of a call.

local grow = require('memo').grow
local drained = require('state/drained')
local LAYOUT = require('state/layout')
local commit_state = require('state/states').commit
local value_of = require('state/states').value_of
local unpacked = require('state/unpacked')
local way_of = require('state/way_of')

local BYTES_OF_MARKING, QUEUED = 600, LAYOUT.HAS_QUEUE / 256 -- the first byte of a state with a queue
local NOTHING = {}
-- What the charge that is tried would leave, by scope: its numbers, how the state takes it, until when it is
-- needed, and the lowest levels before the charge, by their positions.
local lefts, ways, untils, lowests = {}, {}, {}, {}

-- The numbers of a value whose fields are those of the usual way; nil if they are others.
local function usual(way, value)
  if not value or #value ~= way.bytes then
    return nil
  end
  local numbers, last = { struct.unpack(way.whole, value) }, way.last
  if numbers[1] ~= way.count or numbers[last + 1] ~= way.layout.text then
    return nil
  end
  numbers[last + 1], numbers[last + 2] = nil, nil
  return numbers
end

-- How a state takes charges, its numbers, and the table for those that a charge leaves: another one if these
-- are the present numbers of the call. Nil if it has no way.
local function opened(states, k, of_scope, now)
  local open, way = states.open[k], of_scope.usual
  if open then
    return way_of(of_scope, open.layout), open.numbers, open.spare or {}
  end
  local value = value_of(states, k)
  if value and (string.byte(value) or 0) >= QUEUED then
    return nil
  end
  local numbers = way and usual(way, value)
  if not numbers then
    local layout
    layout, numbers = unpacked(value, now)
    way = layout and way_of(of_scope, layout)
  end
  return way, numbers, numbers
end

-- The same demands, for reservations: the way has the lowest level of each bucket.
local function marking(of_scope)
  if not of_scope.marking then
    of_scope.marking = { text = of_scope.text, demands = of_scope.demands, ways = {}, usual = false, is_marking = true }
    grow(BYTES_OF_MARKING)
  end
  return of_scope.marking
end

-- The lowest levels with those of now, before a charge, by their positions. Nil if one is 0 and stays so:
-- the long way removes it.
local function lowered(way, numbers, elapsed)
  local lowest, lows, rates = {}, way.lows, way.rates
  for i = 1, #lows, 2 do
    local at = lows[i + 1]
    local level = drained(numbers[at] or 0, rates[at - LAYOUT.BEFORE_FIELDS], elapsed)
    local low = math.min(numbers[lows[i]] or 0, level)
    if low == 0 and not way.is_marking then
      return nil
    end
    lowest[lows[i]] = low
  end
  return lowest
end

-- The numbers of a state at `now` with the cost of `count` charges, into `left`. Returns when the
-- last bucket is empty, how many of the charges fit, -1 if the cost is above a capacity, and the lowest
-- levels by their positions, before the charges.
-- Returns nil for other cases, among them a level above the capacity, which counts only up to it.
local function taken(way, numbers, left, revision, cost, count, now)
  local elapsed = now - numbers[2]
  if elapsed < 0 or numbers[3] > revision then
    return nil
  end
  local lowest = way.lows and lowered(way, numbers, elapsed) or NOTHING
  if way.lows and lowest == NOTHING then
    return nil
  end
  local rates, units, once, capacity, fit, longest_us = way.rates, way.units, way.once, way.capacity, count, 0
  local is_never = false
  for j = 1, way.count do
    local rate, each, at = rates[j], once[j] and units[j] or units[j] * cost, j + LAYOUT.BEFORE_FIELDS
    local level = drained(numbers[at] or 0, rate, elapsed)
    local used = level + each * count
    if used > capacity[j] then
      local free = capacity[j] - level
      if free < 0 then
        return nil
      end
      is_never = is_never or each > capacity[j]
      fit = fit * each > free and (free - math.fmod(free, each)) / each or fit
    end
    left[at] = used
    if used > longest_us * rate then
      longest_us = used / rate
    end
  end
  for at, low in pairs(lowest) do
    left[at] = low
  end
  left[1], left[2], left[3], left[4] = way.count, now, revision, numbers[4]
  return now + longest_us, is_never and -1 or fit, lowest
end

local SHORT = { ways = ways, lefts = lefts, lowests = lowests }

-- The packed numbers of a state that has exactly the buckets of a way, with units taken from each, so many times.
-- Nil if they do not fit, if the TTL is too short, and in other cases.
local function taken_from_all(way, value, revision, times, now)
  local numbers = usual(way, value)
  if not numbers or numbers[2] > now or numbers[3] ~= revision then
    return nil
  end
  local rates, units, capacity = way.rates, way.units, way.capacity
  local elapsed, lives_us = now - numbers[2], numbers[4] * 1000 - now
  for j = 1, way.count do
    local at, rate = j + LAYOUT.BEFORE_FIELDS, rates[j]
    local used = drained(numbers[at], rate, elapsed) + units[j] * times
    if used > capacity[j] or used > lives_us * rate then
      return nil
    end
    numbers[at] = used
  end
  numbers[2] = now
  return struct.pack(way.format, unpack(numbers))
end

-- The same for a single bucket, without a table.
local function taken_from_one(way, value, revision, times, now)
  local count, at_us, of_revision, expires_ms, level, fields = struct.unpack(way.whole, value)
  if count ~= 1 or at_us > now or of_revision ~= revision or fields ~= way.layout.text then
    return nil
  end
  local rate = way.rates[1]
  local used = drained(level, rate, now - at_us) + way.units[1] * times
  if used > way.capacity[1] or used > (expires_ms * 1000 - now) * rate then
    return nil
  end
  return struct.pack(way.format, 1, now, revision, expires_ms, used)
end

-- Takes the cost of equal charges from a state, in the fewest steps. Returns its packed numbers; nil in other cases.
function SHORT.take(states, k, way, revision, times, now)
  local value = way and way.is_simple and not states.heads[k] and not states.tables[k] and states.values[k]
  if not value or #value ~= way.bytes then
    return nil
  end
  local head = (way.count == 1 and taken_from_one or taken_from_all)(way, value, revision, times, now)
  states.heads[k] = head
  return head
end

-- Tries `count` equal charges on all of their states, whose indices are in `keys` behind `before`, by scope, and
-- changes nothing; `reserves` if the charge is a reservation. Returns how many of the charges fit, -1 if none ever
-- does, nil if the long way has to decide.
function SHORT.tried(states, keys, before, template, cost, count, now, reserves)
  local scopes, by_scope, fits = template.scopes, template.by_scope, count
  for s = 1, #scopes do
    local scope = scopes[s]
    local k = keys[before + scope]
    if states.tables[k] then
      return nil
    end
    local of_scope = reserves and marking(by_scope[scope]) or by_scope[scope]
    local way, numbers, left = opened(states, k, of_scope, now)
    if not way then
      return nil
    end
    local until_us, fit, lowest = taken(way, numbers, left, template.revision, cost, count, now)
    if not until_us then
      return nil
    end
    fits = fit < fits and fit or fits
    ways[scope], lefts[scope], untils[scope], lowests[scope] = way, left, until_us, lowest
  end
  return fits
end

-- Commits what was tried.
function SHORT.commit(states, keys, before, template)
  local scopes = template.scopes
  for s = 1, #scopes do
    local scope = scopes[s]
    commit_state(states, keys[before + scope], ways[scope], lefts[scope], untils[scope])
  end
end

return SHORT
