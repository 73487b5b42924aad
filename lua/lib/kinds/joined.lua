-- Decides the charges of join.lua. Each has a lane of its own (kinds/charges.lua), with states and counters that
-- no other charge sees, so that what it has changed can be dropped. A call has what such a lane has, the
-- values of the states and the index of the last one.

local CODES = require('codes')
local decided = require('kinds/charges').decided
local new_ledger = require('kinds/ledger').new_ledger
local write_counters = require('kinds/ledger_write').write_counters
local numbers_of = require('kinds/read_charge').numbers_of
local read_charge = require('kinds/read_charge').read_charge
local WIDTH = require('kinds/read_charge').WIDTH
local new_states = require('state/states').new_states
local write_states = require('state/write_states')

-- The commands of the modules that write while they decide: those of tickets.
local WRITES = { SETBIT = true, PEXPIREAT = true }

-- A lane whose writes wait until it is kept.
local function lane_of(call)
  local writes = {}
  local function later(command, ...)
    if WRITES[command] then
      writes[#writes + 1] = { command, ... }
      return nil
    end
    return call.call(command, ...)
  end
  return { call = later, sha1 = call.sha1, keys = call.keys, arguments = call.arguments, policy = call.policy,
    states = new_states(call.values), ledger = new_ledger(), effort = 0, writes = writes }
end

-- Writes what the charge of a lane has changed.
local function keep(call, lane)
  for _, write in ipairs(lane.writes) do
    call.call(unpack(write))
  end
  write_counters(lane.ledger, call.call)
  write_states(call.call, call.keys, call.last, lane.states)
end

-- The position of the wait in a denial: the last two values, or three before the last, which is a ticket then.
local function wait_at(answer)
  return #answer - (type(answer[#answer]) == 'string' and 4 or 1)
end

-- The same denial without a place.
local function without_place(answer)
  local at = wait_at(answer)
  answer[at + 1] = 1
  if at + 4 == #answer then
    answer[at + 3], answer[at + 4] = 0, ''
  end
end

-- The index of the denial with the longest wait, false if another charge can never pass.
local function longest_of(answers)
  local longest, wait_us = false, -1
  for i = 2, #answers do
    local answer = answers[i]
    if answer[1] == CODES.NEVER_ALLOWED then
      return false
    elseif answer[1] == CODES.DENIED and answer[wait_at(answer)] > wait_us then
      longest, wait_us = i, answer[wait_at(answer)]
    end
  end
  return longest
end

-- An answer that is no decision, and then that of all; nil if there is none.
local function undecided_of(answers)
  for i = 2, #answers do
    if answers[i][1] > CODES.NEVER_ALLOWED then
      return answers[i]
    end
  end
  return nil
end

local function refuse(call, answers, lanes)
  local longest = longest_of(answers)
  for i = 2, #answers do
    if i == longest then
      keep(call, lanes[i])
    elseif answers[i][1] == CODES.DENIED then
      without_place(answers[i])
    end
  end
end

local function settle(call, answers, lanes)
  local is_admitted, undecided = true, undecided_of(answers)
  for i = 2, #answers do
    answers[i] = undecided or answers[i]
    is_admitted = is_admitted and answers[i][1] == CODES.ALLOWED
  end
  if undecided then
    return
  elseif not is_admitted then
    refuse(call, answers, lanes)
    return
  end
  for i = 2, #answers do
    keep(call, lanes[i])
  end
end

local function decide_joined(call, now_us)
  local answers, lanes, known = { now_us(1) }, {}, {}
  local charges = numbers_of(call)
  for i = 1, #charges / WIDTH do
    local lane = lane_of(call)
    local charge = read_charge(lane, charges, WIDTH * (i - 1), known)
    charge.now = now_us(1)
    answers[i + 1], lanes[i + 1] = decided(lane, charge), lane
  end
  settle(call, answers, lanes)
  return answers
end

return decide_joined
