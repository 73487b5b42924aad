-- Decides on one request by rates in buckets that are all its key's own, on a state with exactly these buckets, under
-- the policy of the charge: queue/decide.lua decides, and this reads the state and writes it in the fewest steps,
-- without the tables of state/state.lua. See queue/place_own.lua for what takes fewer steps still.

local ceil_div = require('ceil_div')
local CODES = require('codes')
local DECIDE = require('queue/decide')
local RATES = require('queue/rates')
local own_state = require('queue/own_state')
local VIEW = require('queue/view')
local drained = require('state/drained')
local expiry_of = require('state/expiry_of')
local LAYOUT = require('state/layout')
local layout_of_way = require('state/own_way').layout
local PART = require('state/queue_part')

-- The views of the demands in a state with these numbers; nil if something else has to decide.
local function views_of(demands, numbers, states, cost, now)
  local views, elapsed = {}, now - numbers[LAYOUT.AT]
  for i = 1, #demands do
    local demand = demands[i]
    local units, capacity = demand.units * cost, demand.capacity
    local level = drained(numbers[LAYOUT.BEFORE_FIELDS + i], demand.rate, elapsed)
    if units > capacity or level > capacity then
      return nil
    end
    views[i] = VIEW.at(demand, units, level, 0, false, states, now)
  end
  return views
end

-- The levels of the views, in the order of the fields. Second, whether none is empty; third, when the last one is.
local function levels_of(views, numbers, now)
  local is_whole, until_us = true, 0
  for i = 1, #views do
    local level = views[i].used
    local empty_us = now + ceil_div(level, views[i].demand.rate)
    numbers[LAYOUT.BEFORE_FIELDS + i], is_whole = level, is_whole and level > 0
    until_us = empty_us > until_us and empty_us or until_us
  end
  return is_whole, until_us
end

-- The same value by state/state.lua, which leaves out empty buckets.
local function shorter_value_of(request, numbers, state)
  local demands, buckets = request.template.demands, {}
  for i = 1, #demands do
    local demand, level = demands[i], numbers[LAYOUT.BEFORE_FIELDS + i]
    buckets[demand.name] = { key = demand.field, rate = demand.rate, used = level, debt = 0, low = 0 }
  end
  state.at_us, state.revision, state.expires_ms = request.now, request.template.revision, numbers[LAYOUT.EXPIRES]
  state.buckets, state.layout, state.scope = buckets, layout_of_way(request.template.own), CODES.KEY
  return require('state/state').value(state, demands), state.expires_ms
end

-- The value of the state as a decision leaves it, and until when it is stored.
local function value_of(request, numbers, state)
  local own, now = request.template.own, request.now
  local is_whole, until_us = levels_of(request.views, numbers, now)
  if not is_whole then
    return shorter_value_of(request, numbers, state)
  end
  local expires_ms, queue, needed_us = numbers[LAYOUT.EXPIRES], PART.packed(state)
  until_us = needed_us > until_us and needed_us or until_us
  expires_ms = until_us > expires_ms * 1000 and expiry_of(until_us, now) or expires_ms
  numbers[1] = queue == '' and own.count or own.count + LAYOUT.HAS_QUEUE
  numbers[LAYOUT.AT], numbers[LAYOUT.EXPIRES] = now, expires_ms
  return struct.pack(own.format, unpack(numbers)) .. own.fields .. queue, expires_ms
end

-- Decides on a request so many times; the answers. Each decision is kept.
local function decide_all(request, state, times)
  local answers, views = {}, request.views
  for i = 1, times do
    if i > 1 then
      DECIDE.next(request)
    end
    answers[i] = RATES.answer(DECIDE.decide(request), views)
    for j = 1, #views do
      local calendar = views[j].calendar
      state.calendars[views[j].demand.name] = calendar or nil
      if calendar then
        calendar.uncounted = false
      end
    end
  end
  return answers
end

-- The value of a state of a key after so many equal charges, until when it is stored, and the answers. Nil if something
-- else decides; then nothing has changed.
local function decide_own(call, sha1, value, template, cost, asked, now, times)
  local numbers, state = own_state(value, template, now)
  if not numbers then
    return nil
  end
  local states = { state, false, false }
  local views = views_of(template.demands, numbers, states, cost, now)
  if not views then
    return nil
  end
  local request = { now = now, cost = cost, template = template, asked = asked, states = states, views = views,
    paid = 0, lane = { call = call, sha1 = sha1 }, shown = false, moment = false, is_early = false,
    has_waited = false, wants = false }
  local answers = decide_all(request, state, times)
  local left, expires_ms = value_of(request, numbers, state)
  return left, expires_ms, answers
end

return decide_own
