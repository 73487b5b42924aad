-- The callers of a key without tickets that make one kind of request, counted by the operations that they ask
-- for. Strangers.java has the same.
--
-- Packed:
--   kind      4 bytes: stands for the demands
--   slice     5 bytes: the slice of time in which they were counted last
--   together  4 bytes: asked for in it, without those that a moment was kept for
--   asked, came   4 bytes each: asked for in its second, and by those among them that a moment was kept for
--   before    4 bytes: asked for in an earlier second by those that no moment was kept for

local ceil_div = require('ceil_div')
local floor_div = require('floor_div')
local TIMES = require('times')

local FORMAT, MOST, MOST_EXPECTED = '>I4I5I4I4I4I4', 4294967295, 10000000
local IN_A_SECOND = TIMES.SECOND_US / TIMES.SLICE_US
local STRANGERS = {}

-- Nobody has been counted yet: so many operations are expected in a second.
function STRANGERS.new(kind, now, drained)
  return { kind = kind, slice = floor_div(now, TIMES.SLICE_US), together = 0, asked = 0, came = 0,
    before = math.min(MOST, drained) }
end

-- Reads some; second, the position after them.
function STRANGERS.read(text, at)
  local kind, slice, together, asked, came, before, next_at = struct.unpack(FORMAT, text, at)
  return { kind = kind, slice = slice, together = together, asked = asked, came = came, before = before }, next_at
end

function STRANGERS.packed(strangers)
  return struct.pack(FORMAT, strangers.kind, strangers.slice, strangers.together, strangers.asked, strangers.came,
    strangers.before)
end

local function move_to(strangers, slice)
  local passed = math.abs(floor_div(slice, IN_A_SECOND) - floor_div(strangers.slice, IN_A_SECOND))
  if passed > 0 then
    local alone = math.max(0, strangers.asked - strangers.came)
    strangers.before, strangers.asked, strangers.came = floor_div(strangers.before + alone, 1 + passed), 0, 0
  end
  strangers.together = slice == strangers.slice and strangers.together or 0
  strangers.slice = slice
end

function STRANGERS.ask(strangers, now, cost)
  move_to(strangers, floor_div(now, TIMES.SLICE_US))
  strangers.asked = math.min(MOST, strangers.asked + cost)
  strangers.together = math.min(MOST, strangers.together + cost)
end

-- A moment was kept for one that has asked.
function STRANGERS.claim(strangers, cost)
  strangers.came = math.min(MOST, strangers.came + cost)
  strangers.together = math.max(0, strangers.together - cost)
end

-- How many costs others are expected to ask for in a bin of this width, beside one that asks for this cost: as
-- much as in its time, or as all that came together just now.
function STRANGERS.company(strangers, width, cost)
  local most = ceil_div(math.max(strangers.before, strangers.asked - strangers.came - cost), cost)
  local apart = ceil_div(math.min(MOST_EXPECTED, most) * (math.min(width, TIMES.FURTHEST_US) + TIMES.ON_ITS_WAY_US)
    * 3, 2 * TIMES.SECOND_US)
  return math.max(apart, ceil_div(strangers.together - cost, cost))
end

return STRANGERS
