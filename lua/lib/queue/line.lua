-- A key or tenant that waits for a shared bucket, kept with its own state, and the number of those
-- that wait, kept with the bucket's calendar: those that were denied or got a place in this interval
-- or the one before. Line.java and Waiting.java have the same.
--
-- Packed:
--   field    1 byte, text: the field of the bucket
--   served   7 bytes: until when it has had its share
--   turn     7 bytes: its last turn
--   round    5 bytes: the interval in which it was counted last

local ceil_div = require('ceil_div')
local floor_div = require('floor_div')
local pace_of = require('queue/pace')
local TIMES = require('times')

local FORMAT = '>Bc0I7I7I5'
local LINE = { NONE = { served = 0, turn = 0, round = 0, shared_us = TIMES.SHARED_US } }

function LINE.new(field)
  return { served = 0, turn = 0, round = 0, shared_us = pace_of(field).shared_us }
end

-- Reads one: its field, the line, and the position after it.
function LINE.read(text, at)
  local field, served, turn, round, next_at = struct.unpack(FORMAT, text, at)
  return field, { served = served, turn = turn, round = round, shared_us = pace_of(field).shared_us }, next_at
end

function LINE.packed(field, line)
  return struct.pack(FORMAT, #field, field, line.served, line.turn, line.round)
end

-- Until when it has to be stored.
function LINE.needed_us(line)
  return math.max(line.served + TIMES.SECOND_US, line.turn, (line.round + 2) * line.shared_us)
end

-- Whether it says no more than a new one.
function LINE.is_over(line, now)
  local round = floor_div(now, line.shared_us)
  return line.served <= now - TIMES.SECOND_US and line.turn <= now and line.round ~= round and line.round ~= round - 1
end

-- Moves its share on: the cost takes `each` at the whole rate, and of / parts times as long at the
-- rate of the share.
function LINE.takes(line, each, of, parts, now, latest)
  if each > floor_div(latest - now, of) * parts then
    line.served = latest
    return
  end
  local time = ceil_div(each * of, parts)
  line.served = math.min(latest, math.max(line.served, now - math.min(TIMES.SECOND_US, 2 * time)) + time)
end

-- Drops the interval of a line or calendar if it is ahead of the present one and the next.
function LINE.drop_ahead(counted, shared_us, now)
  if counted.round > floor_div(now, shared_us) + 1 then
    counted.round = 0
  end
end

-- The counts of the interval of an instant and of the one before, and that interval.
local function counted(calendar, now)
  local round = floor_div(now, calendar.pace.shared_us)
  if round == calendar.round then
    return calendar.here, calendar.before, round
  end
  return 0, round == calendar.round + 1 and calendar.here or 0, round
end

-- The number of those that wait, with this one among them; changes nothing.
function LINE.waiting(calendar, line, now)
  local here, before, round = counted(calendar, now)
  local is_counted = line.round == round or line.round == round - 1
  local all = math.max(here, before) + (is_counted and 0 or 1)
  return math.min(TIMES.MOST_WAITING, math.max(1, all))
end

-- Counts one that waits.
function LINE.count(calendar, line, now)
  calendar.here, calendar.before, calendar.round = counted(calendar, now)
  if line.round ~= calendar.round then
    line.round = calendar.round
    calendar.here = math.min(TIMES.MOST_WAITING, calendar.here + 1)
  end
end

return LINE
