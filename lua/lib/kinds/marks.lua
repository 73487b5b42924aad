-- How much open reservations may still give back to a bucket; Marks.java has the same. A refund leaves
-- the bucket as if the units had never been taken: what has drained since is not given back.
--
-- Each reservation has a mark, a number that grows with every one, and the lowest level of the bucket
-- since then. Of its units, as many as that level are still in the bucket: without it, the bucket would
-- have drained the others instead, or would have been empty. The marks are in their order, so the levels
-- rise; equal levels need one mark. Of more than MOST, the two with the nearest levels become one, with
-- the lower level.
--
-- The marks of a bucket are a counter of its owner, marks:<bucket> (kinds/counters.lua):
--
--   until     until when they are kept
--   newest    the mark of the newest reservation
--   then      for each <mark> <the lowest level from it until the marks were stored>
--
-- The lowest level since they were stored is in the state of the owner, as <bucket>@<rate>.low
-- (state/layout.lua): every charge lowers it. Without it the marks say nothing: the bucket was empty.

local ceil_div = require('ceil_div')
local stored_of = require('kinds/ledger').stored_of
local put_counter = require('kinds/ledger_write').put_counter
local TIMES = require('times')

local MOST, KEPT_US, BEFORE = 8, 600000000, 2
local MARKS = {}

-- The levels rise: a mark with the level of the one before it says nothing more.
local function add(marks, number, level)
  if level > (#marks > 0 and marks[#marks].level or 0) then
    marks[#marks + 1] = { number = number, level = level }
  end
end

-- The marks of a bucket; `low` is the lowest level since they were stored, 0 if it was empty.
local function marks_of(counters, name, low)
  local stored = stored_of(counters, 'marks:' .. name)
  local marks = { until_us = stored[1] or 0, newest = stored[2] or 0 }
  for i = BEFORE + 1, #stored, 2 do
    add(marks, stored[i], math.min(low, stored[i + 1]))
  end
  return marks
end

local function put(counters, name, marks, now)
  local numbers = { marks.until_us, marks.newest }
  for _, mark in ipairs(marks) do
    numbers[#numbers + 1], numbers[#numbers + 2] = mark.number, mark.level
  end
  put_counter(counters, 'marks:' .. name, numbers, now)
end

-- The first of those whose level is nearest to the one before, in relation to its own.
local function nearest_of(marks)
  local nearest, least = 2, math.huge
  for i = 2, #marks do
    local level = marks[i].level
    local distance = (level - marks[i - 1].level) / level
    if distance < least then
      nearest, least = i, distance
    end
  end
  return nearest
end

-- Until when they are kept for a reservation that is renewed: while its units may be in the bucket.
local function kept_until(lease_ends_us, demand)
  return lease_ends_us + math.max(KEPT_US, math.min(TIMES.LONGEST_US, ceil_div(demand.capacity, demand.rate)))
end

-- Marks a reservation in the buckets that paid, and returns its mark. `paid` has for each
--   name, rate, capacity   of the bucket
--   counters   those of its owner
--   low, used  the lowest level since its marks were stored, until the charge, and the level with it:
--              the lowest level from now on
function MARKS.reserve(paid, lease_ends_us, now)
  local mark = now
  for _, one in ipairs(paid) do
    one.marks = marks_of(one.counters, one.name, one.low)
    mark = math.max(mark, one.marks.newest + 1)
  end
  for _, one in ipairs(paid) do
    local marks = one.marks
    marks[#marks + 1] = { number = mark, level = one.used }
    if #marks > MOST then
      table.remove(marks, nearest_of(marks))
    end
    marks.newest, marks.until_us = mark, math.max(marks.until_us, kept_until(lease_ends_us, one))
    put(one.counters, one.name, marks, now)
  end
  return mark
end

-- The number of the last mark that is not newer, 0 if there is none, and for a mark that was made by a
-- clock that was set back since.
local function index_of(marks, number)
  local at = 0
  while number <= marks.newest and at < #marks and marks[at + 1].number <= number do
    at = at + 1
  end
  return at
end

-- The marks after the reservation of one has given back units.
local function without(marks, at, units)
  local left, after = marks[at].level - units, { until_us = marks.until_us, newest = marks.newest }
  for i, mark in ipairs(marks) do
    add(after, mark.number, i < at and math.min(mark.level, left) or i >= at and mark.level - units)
  end
  return after
end

-- Undoes the charge of units by the reservation with a mark in a bucket (state/state.lua), as far as they
-- have not drained since. Returns whether that has changed the bucket.
function MARKS.undo(counters, bucket, name, mark, units, now)
  local marks = marks_of(counters, name, bucket.low)
  local at = index_of(marks, mark)
  local part = at > 0 and math.min(units, marks[at].level) or 0
  if part > 0 then
    marks = without(marks, at, part)
    bucket.used = bucket.used - part
    bucket.low = #marks > 0 and bucket.used or 0
    put(counters, name, marks, now)
  end
  return part > 0
end

return MARKS
