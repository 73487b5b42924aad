-- Decides on a request where somebody waits or would have to: the same as Booking.java. Changes the
-- buckets of what is asked. `mine` is the caller's place, in time or too early, the draws marked as held or
-- not. Gives a table: status, wait_us, estimate, place, gap, returned, made, changed.
local NOT, EARLY, KEPT, BROKEN = 0, 1, 2, 5
local RESERVES, NO_SLOTS = 0, 2
local ON_ITS_WAY, MAX_PUT_OFF = 30000, 150000
local SHARED_SPREAD = 10000000

local function booking(at_us, rules, asked, line_has_room, mine, returned)
  local function ceil_div(dividend, divisor)
    local rest = math.fmod(dividend, divisor)
    return (dividend - rest) / divisor + (rest > 0 and 1 or 0)
  end
  local tolerance_us = math.min(rules.lateness, 20000)
  local function whole_second(slot)
    return at_us + ceil_div(slot - at_us, 1000000) * 1000000 + ON_ITS_WAY
  end
  local function fits(draw)
    return draw.bucket.used <= draw.capacity - draw.cost
  end
  local function room(draw)
    return at_us + ceil_div(draw.bucket.used - (draw.capacity - draw.cost), draw.mtps)
  end
  local function turn(draw)
    if draw.bucket.waiting == 0 then
      return room(draw)
    end
    return math.max(room(draw), draw.bucket.slot + ceil_div(draw.cost, draw.mtps))
  end
  local function has_hole(draw)
    return draw.bucket.waiting > 0 and draw.cost <= draw.bucket.holes
  end
  local function is_ready(draw)
    if draw.held then
      return fits(draw)
    end
    return fits(draw) and (has_hole(draw) or turn(draw) <= at_us)
  end
  local function free_us(draw)
    return draw.capacity / draw.mtps - ceil_div(draw.cost, draw.mtps)
  end
  local function tolerance(draw)
    local missing = tolerance_us - free_us(draw)
    if missing <= 0 then
      return free_us(draw)
    end
    return missing <= math.floor(ceil_div(draw.cost, draw.mtps) / 4) and free_us(draw) + missing or -1
  end
  -- The turn, or a little later where the place could not be held until its caller comes.
  local function stands_at(draw, comes)
    return math.max(turn(draw), comes + tolerance_us - math.max(tolerance(draw), tolerance_us + ON_ITS_WAY))
  end
  -- How much later the next one stands, where the bucket alone cannot bear that this one is late.
  local function pad(draw)
    return tolerance(draw) - free_us(draw)
  end
  local function hold(draw, at, pad_us)
    local bucket = draw.bucket
    local slot = at + pad_us
    bucket.slot = bucket.waiting == 0 and slot or math.max(bucket.slot, slot)
    bucket.waiting = bucket.waiting + 1
  end
  local function admit(draw)
    local bucket = draw.bucket
    if draw.held then
      bucket.waiting = bucket.waiting - 1
    elseif has_hole(draw) then
      bucket.holes = bucket.holes - draw.cost
    elseif bucket.waiting > 0 then
      bucket.slot = turn(draw)
    end
    bucket.used = bucket.used + draw.cost
    if bucket.waiting <= 0 then
      without_line(bucket)
    end
  end
  -- When the last bucket is ready that is not; nil where all are.
  local function latest()
    local slot
    for _, draw in ipairs(asked) do
      if not is_ready(draw) then
        slot = math.max(slot or at_us, draw.held and room(draw) or turn(draw))
      end
    end
    return slot
  end
  local function denied(fields)
    fields.status = DENIED
    return fields
  end
  local function shares()
    local text = {}
    for _, draw in ipairs(asked) do
      if draw.state < 3 then
        text[#text + 1] = share_of(draw, draw.cost, draw.held)
      end
    end
    return table.concat(text)
  end

  local function moved(slot, comes)
    local until_us = mine.until_us
    local slack = rules.lateness + (mine.id == '-' and 1000000 or 0)
    for _, draw in ipairs(asked) do
      local at = turn(draw)
      if draw.state < 3 and not draw.held and tolerance(draw) >= 0 and not is_ready(draw)
        and at + tolerance(draw) >= comes + tolerance_us then
        until_us = math.min(until_us, at + tolerance(draw))
        hold(draw, at, pad(draw))
        draw.held = true
      end
    end
    return denied({ wait_us = slot - at_us, returned = BROKEN, changed = true, place = {
      id = mine.id, slot = slot, deadline = math.min(slot + slack, until_us),
      until_us = until_us, shares = shares() } })
  end

  local function book(slot)
    local ticket = slot - at_us <= rules.within
    local slack = rules.lateness + (ticket and 0 or 1000000)
    local comes = ticket and slot or whole_second(slot)
    local told, until_us, gaps_end, gaps = slot, math.huge, at_us, ''
    for _, draw in ipairs(asked) do
      if draw.state < 3 then
        local hole = fits(draw) and has_hole(draw)
        local decides = not hole and turn(draw) == slot
        local at = hole and at_us or decides and stands_at(draw, comes) or turn(draw)
        if decides and at > slot then
          -- Nobody stands in the gap; a turn after it is where this place stands.
          local gap_ends = at - ceil_div(draw.cost, draw.mtps)
          told = math.max(told, at)
          gaps_end, gaps = math.max(gaps_end, gap_ends), gaps .. share_of(draw, (at - slot) * draw.mtps, true)
          hold(draw, gap_ends, 0)
        end
        if decides or at + tolerance(draw) >= comes + tolerance_us then
          until_us = math.min(until_us, at + tolerance(draw))
          draw.now_held = true
          if hole then
            draw.bucket.waiting = draw.bucket.waiting + 1
            draw.bucket.holes = draw.bucket.holes - draw.cost
          else
            hold(draw, at, pad(draw))
          end
        end
      end
    end
    for _, draw in ipairs(asked) do
      draw.held = draw.now_held
    end
    return denied({ wait_us = told - at_us, made = 1, changed = true, place = {
      id = ticket and rules.new_id or '-', slot = told,
      deadline = math.min(told + slack, until_us), until_us = until_us, shares = shares() },
      gap = gaps ~= '' and {
        id = '~', slot = gaps_end, deadline = gaps_end, until_us = gaps_end, shares = gaps } or nil })
  end

  local function can_book(slot)
    if rules.mode ~= RESERVES or not line_has_room or slot - at_us > rules.horizon then
      return false
    end
    local comes = slot - at_us <= rules.within and slot or whole_second(slot)
    for _, draw in ipairs(asked) do
      if draw.state == 3 then
        if not is_ready(draw) then
          return false
        end
      elseif tolerance(draw) < 0 then
        return false
      elseif turn(draw) == slot and stands_at(draw, comes) - slot > math.min(MAX_PUT_OFF, free_us(draw)) then
        return false
      end
    end
    return true
  end

  -- The k-th in excess is told the k-th time; behind a line with some room for those who come late.
  local function estimate()
    local longest = at_us
    for _, draw in ipairs(asked) do
      if not is_ready(draw) then
        local bucket = draw.bucket
        local first = turn(draw)
        if bucket.waiting > 0 then
          first = first + math.min(rules.lateness, math.floor(free_us(draw) / 2))
        end
        local next_us = first
        if bucket.estimate > at_us then
          next_us = math.max(first, bucket.estimate + ceil_div(draw.cost, draw.mtps))
        end
        local furthest_us = 2 * rules.horizon
        if draw.state == 3 then
          furthest_us = math.min(furthest_us, SHARED_SPREAD)
        end
        if next_us - at_us > furthest_us then
          next_us = first
        end
        bucket.estimate = next_us
        longest = math.max(longest, next_us)
      end
    end
    return denied({ wait_us = longest - at_us, estimate = 1, changed = true })
  end

  local was_released = false
  if mine then
    if at_us < mine.slot then
      return denied({ wait_us = mine.slot - at_us, place = mine, returned = EARLY })
    end
    returned = KEPT
    local slot = latest()
    if slot then
      local comes = mine.id == '-' and whole_second(slot) or slot
      if comes + tolerance_us <= mine.until_us then
        return moved(slot, comes)
      end
      for _, draw in ipairs(asked) do
        if draw.held then
          draw.bucket.waiting = draw.bucket.waiting - 1
          draw.bucket.holes = math.min(draw.bucket.holes + draw.cost, 9007000000000000 - draw.bucket.used)
          if draw.bucket.waiting <= 0 then
            without_line(draw.bucket)
          end
          draw.held = false
        end
      end
      returned, was_released = BROKEN, true
    end
  end
  local slot = latest()
  local result
  if not slot then
    for _, draw in ipairs(asked) do
      admit(draw)
    end
    result = { status = ALLOWED, wait_us = 0, changed = true }
  elseif rules.mode == NO_SLOTS then
    result = denied({ wait_us = slot - at_us, estimate = 1, changed = was_released })
  elseif can_book(slot) then
    result = book(slot)
  else
    result = estimate()
  end
  result.returned = returned or NOT
  return result
end
