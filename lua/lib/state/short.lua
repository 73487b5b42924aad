-- The short way of charges: any buckets of which nobody waits, as numbers. The numbers of a state that a charge
-- of the call has changed stay unpacked for the next one: a tenant's or the cluster's state takes many charges
-- of a call.

local grow = require('memo').grow
local drained = require('state/drained')
local expiry_of = require('state/expiry_of')
local LAYOUT = require('state/layout')
local OWN_WAY = require('state/own_way')
local QUEUED = require('state/simple').QUEUED
local head_of = require('state/simple').head_of
local taken_from_all = require('state/simple').taken_from_all
local value_of = require('state/states').value_of
local unpacked = require('state/unpacked')
local way_of = require('state/way_of')

local BYTES_OF_MARKING = 600
local NOTHING = {}
-- The results of the charge that is tried, by scope: the numbers that it would leave, the way of the state, the instant
-- at which its buckets are empty (false if its TTL is long enough), and the lowest levels before, by their positions.
local lefts, ways, untils, lowests = {}, {}, {}, {}
local taken_heads = {} -- the same of SHORT.take, in the order of the scopes

-- The numbers of a value whose fields are those of the usual way; nil if they are others.
local function usual(way, value)
  if not value or #value ~= way.bytes then
    return nil
  end
  local numbers, last = { struct.unpack(way.whole, value) }, way.last
  if numbers[1] ~= way.count or numbers[last + 1] ~= way.fields then
    return nil
  end
  numbers[last + 1], numbers[last + 2] = nil, nil
  return numbers
end

-- The numbers of a new state; nil if it takes no charges the own way.
local function no_buckets(own, now)
  return own and own.count <= OWN_WAY.MOST_FIELDS and { 0, now, 0, 0 } or nil
end

-- How a state takes charges, its numbers, and the table for those that a charge leaves: another one if these
-- are the present numbers of the call. Nil if it has no way.
local function opened(states, k, of_scope, now)
  local open, way = states.open[k], of_scope.usual
  if open and open.numbers then
    local known = states.ways[k]
    way = known == way and way or way_of(of_scope, OWN_WAY.layout(known))
    return way, open.numbers, open.spare or {}
  end
  local value = value_of(states, k)
  local numbers = way and usual(way, value) or not value and no_buckets(of_scope.own, now)
  if numbers then
    return value and way or of_scope.own, numbers, numbers
  elseif value and (string.byte(value) or 0) >= QUEUED then
    return nil
  end
  local layout
  layout, numbers = unpacked(value, now)
  return layout and way_of(of_scope, layout), numbers, numbers
end

-- The same demands, for reservations: the way has the lowest level of each bucket.
local function marking(of_scope)
  if not of_scope.marking then
    of_scope.marking = { own = false, demands = of_scope.demands, ways = {}, usual = false, is_marking = true }
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
  local once, fit, longest_us, is_never, d = way.once or NOTHING, count, 0, false, 0
  for j = 1, way.count do
    local rate, capacity, each, at = way[d + 1], way[d + 2], way[d + 3], j + LAYOUT.BEFORE_FIELDS
    each, d = once[j] and each or each * cost, d + 3
    local level = drained(numbers[at] or 0, rate, elapsed)
    local used = level + each * count
    if used > capacity then
      local free = capacity - level
      if free < 0 then
        return nil
      end
      is_never = is_never or each > capacity
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

-- Takes a cost so many times from all states of a template, whose indices are in `keys` behind `before`, in the fewest
-- steps, and answers with the new numbers. False if one of them needs more: nothing was taken.
function SHORT.take(states, keys, before, template, times, now, answers)
  local scopes, by_scope, heads, known_ways, revision = template.scopes, template.by_scope, states.heads, states.ways,
    template.revision
  for s = 1, #scopes do
    local scope = scopes[s]
    local k, way = keys[before + scope], by_scope[scope].usual
    local value, known = heads[k], known_ways[k]
    local is_head = value and true
    if not way or states.tables[k] or is_head and (not known or known.fields ~= way.fields) then
      return false
    end
    value = value or states.values[k]
    local head = value and head_of(way, value, revision, times, now, is_head)
    if not head then
      return false
    end
    taken_heads[s] = head
  end
  local n, all_open = #answers, states.open
  for s = 1, #scopes do
    local scope = scopes[s]
    local k, head = keys[before + scope], taken_heads[s]
    heads[k], known_ways[k], answers[n + s] = head, by_scope[scope].usual, head
    if all_open[k] then
      all_open[k].numbers = false
    end
  end
  return true
end

-- Tries a charge on the only state of a template, in the fewest steps, as SHORT.tried does; whether it fits.
function SHORT.tried_alone(states, k, of_scope, revision, cost, now)
  local way, scope = of_scope.usual, of_scope.scope
  local value = way and way.is_simple and not states.heads[k] and not states.tables[k] and states.values[k]
  local numbers = value and #value == way.bytes and taken_from_all(way, value, revision, cost, now)
  ways[scope], lefts[scope], untils[scope] = way, numbers, false
  return numbers
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
    local of_scope = template.alone or by_scope[scope]
    of_scope = reserves and marking(of_scope) or of_scope
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

-- Keeps the numbers of a state, which is needed until `until_us`, for the next charges of the call.
local function keep(states, k, way, numbers, until_us)
  local open = states.open[k]
  if open then
    open.numbers, open.spare = numbers, open.numbers or open.spare
  else
    open = { numbers = numbers, spare = false }
    states.open[k] = open
  end
  states.ways[k] = way
  if way.text or not states.values[k] then
    open.text = way.fields
  end
  if until_us > numbers[LAYOUT.EXPIRES] * 1000 then
    numbers[LAYOUT.EXPIRES] = expiry_of(until_us, numbers[LAYOUT.AT])
    open.expires_ms = numbers[LAYOUT.EXPIRES]
  end
end

-- Commits what was tried.
function SHORT.commit(states, keys, before, template)
  local scopes = template.scopes
  for s = 1, #scopes do
    local scope = scopes[s]
    local k, way, numbers, until_us = keys[before + scope], ways[scope], lefts[scope], untils[scope]
    if until_us then
      keep(states, k, way, numbers, until_us)
    end
    states.heads[k] = struct.pack(way.format, unpack(numbers))
  end
end

return SHORT
