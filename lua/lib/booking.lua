-- Applies the arithmetic of slots to all buckets of a charge, as Booking.java does. The functions change the buckets
-- of the draws, which are the charge's own. `rules` is what the plan says and the caller wants: lateness, horizon,
-- within (up to which wait it wants a ticket), new_id, digest. Uses TIMES, CODES, slot_of, places, release.
local function tolerance_of(rules)
  return math.min(rules.lateness, TIMES.TOLERANCE_US)
end

local function whole_second(now, slot)
  return now + ceil_div(slot - now, TIMES.SECOND_US) * TIMES.SECOND_US + TIMES.ON_ITS_WAY_US
end

-- How long after its turn the bucket can hold a place; -1 where that is too short to be of use.
local function holds_us(draw, rules)
  local missing = tolerance_of(rules) - draw.free_us
  if missing <= 0 then
    return draw.free_us
  end
  return missing <= math.floor(draw.need_us / 4) and draw.free_us + missing or -1
end

-- The turn, or a little later where the place could not be held until its caller comes.
local function stands_at(draw, now, comes, rules)
  local tolerance = tolerance_of(rules)
  local held_for = math.max(holds_us(draw, rules), tolerance + TIMES.ON_ITS_WAY_US)
  return math.max(turn_at(draw, now), comes + tolerance - held_for)
end

-- A place is taken behind all others. The next one stands later where the bucket alone cannot bear that this is late.
local function hold(draw, at, rules)
  local slot = at + (rules and holds_us(draw, rules) - draw.free_us or 0)
  local bucket = draw.bucket
  bucket.slot = bucket.waiting == 0 and slot or math.max(bucket.slot, slot)
  bucket.waiting = bucket.waiting + 1
end

-- Takes the cost from all buckets, which are ready.
local function admit(draws, now)
  for _, draw in ipairs(draws) do
    local bucket = draw.bucket
    if draw.held then
      bucket.waiting = bucket.waiting - 1
    elseif has_hole(draw) then
      bucket.holes = bucket.holes - draw.cost
    elseif bucket.waiting > 0 then
      bucket.slot = turn_at(draw, now)
    end
    bucket.used = bucket.used + draw.cost
    if bucket.waiting <= 0 then
      end_queue_of(bucket)
    end
  end
end

local function comes_at(slot, now, rules)
  return slot - now <= rules.within and slot or whole_second(now, slot)
end

-- How far ahead a place is made. Without a ticket half as far: HTTP clients come back after 30 s, whatever they
-- were told.
local function furthest_us(wait_us, rules)
  return wait_us <= rules.within and rules.horizon or math.floor(rules.horizon / 2)
end

local function can_book(draws, slot, now, rules)
  if rules.mode ~= CODES.RESERVE or not rules.has_room or slot - now > furthest_us(slot - now, rules) then
    return false
  end
  local comes = comes_at(slot, now, rules)
  for _, draw in ipairs(draws) do
    if draw.scope == CODES.CLUSTER then
      if not is_ready(draw, now) then
        return false
      end
    elseif holds_us(draw, rules) < 0 then
      return false
    elseif turn_at(draw, now) == slot
      and stands_at(draw, now, comes, rules) - slot > math.min(TIMES.MAX_PUT_OFF_US, draw.free_us) then
      return false
    end
  end
  return true
end

-- The place of one bucket within a booking: whether it is held, when it stands, the share of the idle interval before.
local function book_one(draw, slot, now, comes, rules)
  local in_hole = fits(draw) and has_hole(draw)
  local turn = turn_at(draw, now)
  local decides = not in_hole and turn == slot
  local at = in_hole and now or decides and stands_at(draw, now, comes, rules) or turn
  local gap, gap_ends
  if decides and at > slot then
    gap, gap_ends = share_of(draw, (at - slot) * draw.rate, true), at - draw.need_us
    hold(draw, gap_ends)
  end
  local is_held = decides or at + holds_us(draw, rules) >= comes + tolerance_of(rules)
  if is_held and in_hole then
    draw.bucket.waiting, draw.bucket.holes = draw.bucket.waiting + 1, draw.bucket.holes - draw.cost
  elseif is_held then
    hold(draw, at, rules)
  end
  return is_held, at, gap, gap_ends
end

-- Makes a place, and where its slot was delayed, one for the idle interval before it.
local function book(draws, slot, now, rules)
  local has_ticket = slot - now <= rules.within
  local comes = comes_at(slot, now, rules)
  local told, until_us, gaps_end, gaps, held = slot, math.huge, now, '', {}
  for i, draw in ipairs(draws) do
    if draw.scope < CODES.CLUSTER then
      local is_held, at, gap, gap_ends = book_one(draw, slot, now, comes, rules)
      held[i] = is_held
      if gap then
        told, gaps_end, gaps = math.max(told, at), math.max(gaps_end, gap_ends), gaps .. gap
      end
      if is_held then
        until_us = math.min(until_us, at + holds_us(draw, rules))
      end
    end
  end
  for i, draw in ipairs(draws) do
    draw.held = held[i]
  end
  local slack = rules.lateness + (has_ticket and 0 or TIMES.SECOND_US)
  local place = { id = has_ticket and rules.new_id or '-' .. rules.digest(), slot = told,
    deadline = math.min(told + slack, until_us), until_us = until_us, shares = shares_of(draws) }
  local gap = gaps ~= '' and { id = '~', slot = gaps_end, deadline = gaps_end, until_us = gaps_end, shares = gaps }
  return place, gap or nil
end

-- Where another bucket had no room: the place is kept, and the other bucket keeps one too.
local function moved(mine, draws, slot, comes, now, rules)
  local until_us, tolerance = mine.until_us, tolerance_of(rules)
  for _, draw in ipairs(draws) do
    local at, holds = turn_at(draw, now), holds_us(draw, rules)
    if draw.scope < CODES.CLUSTER and not draw.held and holds >= 0 and not is_ready(draw, now)
      and at + holds >= comes + tolerance then
      until_us = math.min(until_us, at + holds)
      hold(draw, at, rules)
      draw.held = true
    end
  end
  local slack = rules.lateness + (is_anybodys(mine) and TIMES.SECOND_US or 0)
  return { id = mine.id, slot = slot, deadline = math.min(slot + slack, until_us), until_us = until_us,
    shares = shares_of(draws) }
end
