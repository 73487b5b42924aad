-- The arithmetic of slots for one bucket, as BucketState.java has it: docs/explanation/slots.md says why it keeps
-- its promises. A draw has its bucket at `now`. Uses ceil_div.
local function fits(draw)
  return draw.bucket.used <= draw.capacity - draw.cost
end

-- When it has room, if nobody else comes.
local function room_at(draw, now)
  return now + ceil_div(draw.bucket.used - (draw.capacity - draw.cost), draw.rate)
end

-- When it is a newcomer's turn, behind all who wait.
local function turn_at(draw, now)
  local room = room_at(draw, now)
  return draw.bucket.waiting == 0 and room or math.max(room, draw.bucket.slot + draw.need_us)
end

local function has_hole(draw)
  return draw.bucket.waiting > 0 and draw.cost <= draw.bucket.holes
end

-- The holder of a place needs room for it. A newcomer needs an empty queue, a hole that is large enough, or its turn.
local function is_ready(draw, now)
  return fits(draw) and (draw.held or has_hole(draw) or turn_at(draw, now) <= now)
end

-- When the last bucket is ready that is not; nil where all are.
local function slot_of(draws, now)
  local slot
  for _, draw in ipairs(draws) do
    if not is_ready(draw, now) then
      slot = math.max(slot or now, draw.held and room_at(draw, now) or turn_at(draw, now))
    end
  end
  return slot
end

-- The units that a newcomer finds used. In a queue these are all but the holes.
local function shown(draw)
  local bucket = draw.bucket
  if bucket.waiting > 0 then
    return math.max(bucket.used, draw.capacity - math.min(bucket.holes, draw.capacity))
  end
  return bucket.used
end
