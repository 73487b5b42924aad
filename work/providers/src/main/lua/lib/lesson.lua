-- Applies the result of an attempt to the state of its provider.

local adapted = require('adaptive')
local number_in = require('upstream_state').number_in
local put_number = require('upstream_state').put_number

local LOAD_COUNTS_US = 10000000

local function later_of(state, field, until_us)
  put_number(state, field, math.max(until_us, number_in(state, field) or 0))
end

-- A health check reports `well`: that closes a breaker whose time is over. Before that, results of
-- requests count more.
local function learn_of_probe(state, provider, probe, now)
  if probe == 'well' and (number_in(state, 'open:' .. provider) or now) >= now then
    return
  end
  if probe == 'good' or probe == 'well' then
    put_number(state, 'open:' .. provider, nil)
  end
  if probe ~= '-' then
    put_number(state, 'probe:' .. provider, nil)
  end
end

-- `lesson` is `<scope> <cool_us> <open_us> <probe> <sample_us> <load>`: the part of the provider to
-- leave alone (<key>, <key>/<group>, or - for all of it), for how long, how long its breaker is
-- open from now on, the result of a probe (good, bad, unknown, well, or -), the time of a good
-- answer (-1 for an error, 0 for no sample), and the load that the provider reports (in
-- thousandths, -1 for no report).
local function learn(state, provider, lesson, adaptive, now)
  local scope, cool, open, probe, sample, load = string.match(lesson, '^(%S+) (%d+) (%d+) (%S+) (%-?%d+) (%-?%d+)$')
  if tonumber(cool) > 0 then
    later_of(state, 'cool:' .. provider .. (scope ~= '-' and '/' .. scope or ''), now + tonumber(cool))
  end
  learn_of_probe(state, provider, probe, now)
  if tonumber(open) > 0 then
    later_of(state, 'open:' .. provider, now + tonumber(open))
  end
  if tonumber(load) >= 0 then
    put_number(state, 'load:' .. provider, tonumber(load))
    put_number(state, 'loaded:' .. provider, now + LOAD_COUNTS_US)
  end
  if tonumber(sample) ~= 0 and adaptive ~= '' then
    local limit, average_us =
      adapted(adaptive, number_in(state, 'limit'), number_in(state, 'latency'), tonumber(sample))
    put_number(state, 'limit', limit)
    put_number(state, 'latency', average_us)
  end
end

return learn
