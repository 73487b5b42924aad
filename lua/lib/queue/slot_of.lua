-- The arithmetic of slots for one bucket, as BucketState.java has it: docs/explanation/slots.md
-- explains why it keeps its promises. A demand has its bucket at `now`.

local ceil_div = require('ceil_div')

local function fits(demand)
  return demand.bucket.used <= demand.capacity - demand.cost
end

-- When it has room, without new requests.
local function room_at(demand, now)
  return now + ceil_div(demand.bucket.used - (demand.capacity - demand.cost), demand.rate)
end

-- The turn of a newcomer, behind all places of the queue.
local function turn_at(demand, now)
  local room = room_at(demand, now)
  return demand.bucket.waiting == 0 and room or math.max(room, demand.bucket.slot + demand.need_us)
end

local function has_unclaimed(demand)
  return demand.bucket.waiting > 0 and demand.cost <= demand.bucket.unclaimed
end

-- The holder of a place needs room for it. A newcomer needs an empty queue, enough unclaimed
-- capacity, or its turn.
local function is_ready(demand, now)
  return fits(demand) and (demand.held or has_unclaimed(demand) or turn_at(demand, now) <= now)
end

-- When the last of the buckets that are not ready becomes ready; nil if all are ready.
local function slot_of(demands, now)
  local slot
  for _, demand in ipairs(demands) do
    if not is_ready(demand, now) then
      slot = math.max(slot or now, demand.held and room_at(demand, now) or turn_at(demand, now))
    end
  end
  return slot
end

-- The units used as a newcomer sees them: in a queue, all but the unclaimed.
local function shown(demand)
  local bucket = demand.bucket
  if bucket.waiting > 0 then
    return math.max(bucket.used, demand.capacity - math.min(bucket.unclaimed, demand.capacity))
  end
  return bucket.used
end

return { fits = fits, has_unclaimed = has_unclaimed, is_ready = is_ready, shown = shown, slot_of = slot_of,
  turn_at = turn_at }
