-- The short ways of equal charges: of the most frequent kind, and of any buckets of which nobody waits.
-- `charges` has the numbers of a charge behind `base`, as of state/charges.lua.

local CODES = require('codes')
local taken = require('state/any_buckets').taken
local way_and_numbers = require('state/any_buckets').way_and_numbers
local commit = require('state/states').commit
local value_of = require('state/states').value_of

local BEFORE_STATES = 3 -- the last number before the keys of the states
local COUNT, COST, KEY = 2, 3, BEFORE_STATES + CODES.KEY
-- Of the charge that is tried, by the place of a scope in its template.
local ways, lefts, untils = {}, {}, {}

-- Tries `count` charges on all of their states and changes nothing; commit_all takes what it found. Returns
-- how many of the charges fit, nil if the long way has to decide.
local function tried(states, charges, base, template, count, now)
  local scopes, by_scope, revision, cost = template.scopes, template.by_scope, template.revision, charges[base + COST]
  local fits = count
  for s = 1, #scopes do
    local scope = scopes[s]
    local way, numbers, left = way_and_numbers(states, charges[base + BEFORE_STATES + scope], by_scope[scope], now)
    if not way then
      return nil
    end
    local until_us, fit = taken(way, numbers, left, revision, cost, count, now)
    if not until_us then
      return nil
    end
    fits = fit < fits and fit or fits
    ways[s], lefts[s], untils[s] = way, left, until_us
  end
  return fits
end

local function commit_all(states, charges, base, template, answers)
  local scopes, count = template.scopes, #answers
  for s = 1, #scopes do
    local k, way = charges[base + BEFORE_STATES + scopes[s]], ways[s]
    commit(states, k, way, lefts[s], untils[s])
    answers[count + s] = way.is_own and states.heads[k] or value_of(states, k)
  end
end

local function answer_levels(states, charges, base, template, answers)
  for _, scope in ipairs(template.scopes) do
    answers[#answers + 1] = value_of(states, charges[base + BEFORE_STATES + scope]) or ''
  end
end

-- Charges of any buckets of which nobody waits; returns how many are left to the long way.
local function charge_any(states, charges, base, template, now, answers)
  local count, is_off = charges[base + COUNT], template.mode == CODES.OFF
  local fits = tried(states, charges, base, template, count, now)
  if not fits or fits == 0 and not is_off then
    return count
  end
  if fits > 0 and fits < count then
    tried(states, charges, base, template, fits, now)
  end
  if fits < count then
    answers[#answers + 1] = fits
  end
  if fits > 0 then
    commit_all(states, charges, base, template, answers)
  else
    answer_levels(states, charges, base, template, answers)
  end
  return (fits < 0 or is_off) and 0 or count - fits
end

-- The new numbers of the key's state, if the charge could be decided as one of the most frequent
-- kind; else nil, and true if it is a single charge that does not fit.
local function charge_own(states, charges, base, own, now)
  local k = charges[base + KEY]
  local value = states.values[k]
  if not value or #value ~= own.bytes or states.heads[k] or states.tables[k] then
    return nil
  end
  local head, is_denied = own.taken(own, value, charges[base + COUNT], charges[base + COST], now)
  states.heads[k] = head
  return head, is_denied
end

return { BEFORE_STATES = BEFORE_STATES, KEY = KEY, charge_any = charge_any, charge_own = charge_own }
