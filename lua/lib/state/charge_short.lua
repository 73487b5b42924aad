-- The short ways of equal charges: of the most frequent kind, and of any buckets of which nobody waits.
-- `charges` has the numbers of a charge behind `base`, as of state/charges.lua.

local CODES = require('codes')
local taken = require('state/any_buckets').taken
local way_and_numbers = require('state/any_buckets').way_and_numbers
local commit = require('state/states').commit
local value_of = require('state/states').value_of

local BEFORE_STATES = 3 -- the last number before the keys of the states
local COUNT, COST, KEY = 2, 3, BEFORE_STATES + CODES.KEY

-- Tries `count` charges on all of their states and changes nothing. Returns, by scope, the way, the
-- numbers and the instant at which they are empty; and how many of the charges fit. Returns nil if
-- the long way has to decide.
local function tried(states, charges, base, template, count, now)
  local results, fits = {}, count
  for s, scope in ipairs(template.scopes) do
    local value = value_of(states, charges[base + BEFORE_STATES + scope])
    local way, numbers = way_and_numbers(value, template.by_scope[scope], now)
    if not way then
      return nil
    end
    local until_us, fit = taken(way, numbers, template.revision, charges[base + COST], count, now)
    if not until_us then
      return nil
    end
    fits = fit < fits and fit or fits
    results[s] = { way, numbers, until_us }
  end
  return results, fits
end

local function commit_all(states, charges, base, template, results, answers)
  for s, scope in ipairs(template.scopes) do
    local k, way = charges[base + BEFORE_STATES + scope], results[s][1]
    commit(states, k, way, results[s][2], results[s][3])
    answers[#answers + 1] = way.is_own and states.heads[k] or value_of(states, k)
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
  local results, fits = tried(states, charges, base, template, count, now)
  if not results or fits == 0 and not is_off then
    return count
  end
  if fits > 0 and fits < count then
    results = tried(states, charges, base, template, fits, now)
  end
  if fits < count then
    answers[#answers + 1] = fits
  end
  if fits > 0 then
    commit_all(states, charges, base, template, results, answers)
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
