-- Decides the charges of charge.lua, in their order, on the states of a call.

local CODES = require('codes')
local taken = require('state/any_buckets').taken
local way_and_numbers = require('state/any_buckets').way_and_numbers
local commit = require('state/states').commit
local hand_back = require('state/states').hand_back
local is_queued = require('state/states').is_queued
local value_of = require('state/states').value_of
local own_buckets_of = require('state/own_buckets').own_buckets_of
local taken_from_own = require('state/own_buckets').taken_from_own
local learn = require('state/policy_of').learn
local template_of = require('state/template_of')

-- The numbers of a charge, and of them the last one before the keys.
local WIDTH, BEFORE_STATES = 6, 3

-- Tries `count` charges on all of their states and changes nothing. Returns, by scope, the way, the
-- numbers and the instant at which they are empty; and how many of the charges fit. Returns nil if
-- the queue lane has to decide.
local function tried(states, charges, base, template, count, now)
  local results, fits = {}, count
  for s, scope in ipairs(template.scopes) do
    local value = value_of(states, charges[base + BEFORE_STATES + scope])
    local way, numbers = way_and_numbers(value, template.by_scope[scope], now)
    if not way then
      return nil
    end
    local until_us, fit = taken(way, numbers, template.revision, charges[base + 3], count, now)
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

local function hand_back_all(states, charges, base, template, answers)
  hand_back(states, template.scopes, charges, base + BEFORE_STATES)
  answers[#answers + 1] = { CODES.QUEUED }
end

local function charge_any(states, charges, base, template, now, answers)
  local count, is_off = charges[base + 2], template.mode == CODES.OFF
  local results, fits = tried(states, charges, base, template, count, now)
  if not results then
    hand_back_all(states, charges, base, template, answers)
    return
  end
  if fits > 0 and fits < count then
    results = tried(states, charges, base, template, fits, now)
  end
  if fits < count and (fits ~= 0 or is_off) then
    answers[#answers + 1] = fits
  end
  if fits > 0 then
    commit_all(states, charges, base, template, results, answers)
  elseif fits < 0 or is_off then
    answer_levels(states, charges, base, template, answers)
  end
  if fits >= 0 and fits < count and not is_off then
    hand_back_all(states, charges, base, template, answers)
  end
end

-- Whether the charge was decided as one of the most frequent kind.
local function charge_own(states, charges, base, own, newest, now, answers)
  local k = charges[base + 4]
  local value = states.values[k]
  if not own or not value or states.heads[k] or states.queued[k] or newest > own[1]
    or string.sub(value, own.from) ~= own.fields then
    return false
  end
  local head, is_denied = taken_from_own(own, value, charges[base + 2], charges[base + 3], now)
  if head then
    states.heads[k] = head
    answers[#answers + 1] = head
  elseif is_denied then
    answers[#answers + 1] = 0
    answers[#answers + 1] = value
  end
  return head or is_denied
end

local function charge_all(states, policy, arguments, now_us)
  local text = arguments[1]
  local charges = { struct.unpack('>' .. string.rep('I2I2I7I2I2I2', (#text - 7) / 17), text, 8) }
  local answers = { now_us(1) }
  for i = 1, #charges / WIDTH do
    local base, now = WIDTH * (i - 1), now_us(i)
    local template_text = arguments[charges[base + 1]]
    local own = own_buckets_of(template_text)
    if own then
      learn(policy, own[1])
    end
    if not charge_own(states, charges, base, own, policy.newest, now, answers) then
      local template = template_of(template_text)
      learn(policy, template.revision)
      if is_queued(states, template.scopes, charges, base + BEFORE_STATES) then
        hand_back_all(states, charges, base, template, answers)
      elseif policy.newest > template.revision then
        answers[#answers + 1] = { CODES.STALE, policy.newest }
      else
        charge_any(states, charges, base, template, now, answers)
      end
    end
  end
  return answers
end

return charge_all
