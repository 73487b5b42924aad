-- Applies the arithmetic of slots to all buckets of a charge, as SlotBooking.java does. The
-- functions change the buckets of the demands, which belong to the charge alone. `rules` has the
-- settings of the plan and of the caller: lateness, horizon, within (the longest wait for which it
-- wants a ticket), new_id, digest.

local ceil_div = require('ceil_div')
local CODES = require('codes')
local is_anybodys = require('queue/places').is_anybodys
local share_of = require('queue/places').share_of
local shares_of = require('queue/places').shares_of
local end_queue_of = require('queue/release').end_queue_of
local fits = require('queue/slot_of').fits
local has_unclaimed = require('queue/slot_of').has_unclaimed
local is_ready = require('queue/slot_of').is_ready
local turn_at = require('queue/slot_of').turn_at
local TIMES = require('times')

local function tolerance_of(rules)
  return math.min(rules.lateness, TIMES.TOLERANCE_US)
end

local function whole_second(now, slot)
  return now + ceil_div(slot - now, TIMES.SECOND_US) * TIMES.SECOND_US + TIMES.ON_ITS_WAY_US
end

-- How long after its turn the bucket can hold a place; -1 if that is too short to be useful.
local function holds_us(demand, rules)
  local missing = tolerance_of(rules) - demand.free_us
  if missing <= 0 then
    return demand.free_us
  end
  return missing <= math.floor(demand.need_us / 4) and demand.free_us + missing or -1
end

-- The turn, delayed a little if the place could not be held until its caller returns.
local function stands_at(demand, now, comes, rules)
  local tolerance = tolerance_of(rules)
  local held_for = math.max(holds_us(demand, rules), tolerance + TIMES.ON_ITS_WAY_US)
  return math.max(turn_at(demand, now), comes + tolerance - held_for)
end

-- Adds a place behind all others. The next one is later if the bucket cannot absorb this lateness
-- alone.
local function hold(demand, at, rules)
  local slot = at + (rules and holds_us(demand, rules) - demand.free_us or 0)
  local bucket = demand.bucket
  bucket.slot = bucket.waiting == 0 and slot or math.max(bucket.slot, slot)
  bucket.waiting = bucket.waiting + 1
end

-- Takes the cost from all buckets, which must be ready.
local function admit(demands, now)
  for _, demand in ipairs(demands) do
    local bucket = demand.bucket
    if demand.held then
      bucket.waiting = bucket.waiting - 1
    elseif has_unclaimed(demand) then
      bucket.unclaimed = bucket.unclaimed - demand.cost
    elseif bucket.waiting > 0 then
      bucket.slot = turn_at(demand, now)
    end
    bucket.used = bucket.used + demand.cost
    if bucket.waiting <= 0 then
      end_queue_of(bucket)
    end
  end
end

local function comes_at(slot, now, rules)
  return slot - now <= rules.within and slot or whole_second(now, slot)
end

-- How far ahead a place is made; half as far without a ticket, because HTTP clients return after 30
-- s whatever the answer says.
local function furthest_us(wait_us, rules)
  return wait_us <= rules.within and rules.horizon or math.floor(rules.horizon / 2)
end

local function can_book(demands, slot, now, rules)
  if rules.mode ~= CODES.RESERVE or not rules.has_room or slot - now > furthest_us(slot - now, rules) then
    return false
  end
  local comes = comes_at(slot, now, rules)
  for _, demand in ipairs(demands) do
    if demand.scope == CODES.CLUSTER then
      if not is_ready(demand, now) then
        return false
      end
    elseif holds_us(demand, rules) < 0 then
      return false
    elseif turn_at(demand, now) == slot
      and stands_at(demand, now, comes, rules) - slot > math.min(TIMES.MAX_PUT_OFF_US, demand.free_us) then
      return false
    end
  end
  return true
end

-- The place of one bucket in a booking: whether it is held, its instant, the share of the idle
-- interval before it, and the end of that interval.
local function book_one(demand, slot, now, comes, rules)
  local is_claim = fits(demand) and has_unclaimed(demand)
  local turn = turn_at(demand, now)
  local decides = not is_claim and turn == slot
  local at = is_claim and now or decides and stands_at(demand, now, comes, rules) or turn
  local idle, idle_ends
  if decides and at > slot then
    idle, idle_ends = share_of(demand, (at - slot) * demand.rate, true), at - demand.need_us
    hold(demand, idle_ends)
  end
  local is_held = decides or at + holds_us(demand, rules) >= comes + tolerance_of(rules)
  if is_held and is_claim then
    demand.bucket.waiting, demand.bucket.unclaimed = demand.bucket.waiting + 1, demand.bucket.unclaimed - demand.cost
  elseif is_held then
    hold(demand, at, rules)
  end
  return is_held, at, idle, idle_ends
end

-- Makes a place and, if its slot was delayed, one for the idle interval before it.
local function book(demands, slot, now, rules)
  local has_ticket = slot - now <= rules.within
  local comes = comes_at(slot, now, rules)
  local told, until_us, idle_end, idle_shares, held = slot, math.huge, now, '', {}
  for i, demand in ipairs(demands) do
    if demand.scope < CODES.CLUSTER then
      local is_held, at, idle, idle_ends = book_one(demand, slot, now, comes, rules)
      held[i] = is_held
      if idle then
        told, idle_end, idle_shares = math.max(told, at), math.max(idle_end, idle_ends), idle_shares .. idle
      end
      if is_held then
        until_us = math.min(until_us, at + holds_us(demand, rules))
      end
    end
  end
  for i, demand in ipairs(demands) do
    demand.held = held[i]
  end
  local slack = rules.lateness + (has_ticket and 0 or TIMES.SECOND_US)
  local place = { id = has_ticket and rules.new_id or '-' .. rules.digest(), slot = told,
    deadline = math.min(told + slack, until_us), until_us = until_us, shares = shares_of(demands) }
  if idle_shares == '' then
    return place, nil
  end
  return place, { id = '~', slot = idle_end, deadline = idle_end, until_us = idle_end, shares = idle_shares }
end

-- After another bucket had no room: the place is kept, and the other bucket keeps one too.
local function moved(mine, demands, slot, comes, now, rules)
  local until_us, tolerance = mine.until_us, tolerance_of(rules)
  for _, demand in ipairs(demands) do
    local at, holds = turn_at(demand, now), holds_us(demand, rules)
    if demand.scope < CODES.CLUSTER and not demand.held and holds >= 0 and not is_ready(demand, now)
      and at + holds >= comes + tolerance then
      until_us = math.min(until_us, at + holds)
      hold(demand, at, rules)
      demand.held = true
    end
  end
  local slack = rules.lateness + (is_anybodys(mine) and TIMES.SECOND_US or 0)
  return { id = mine.id, slot = slot, deadline = math.min(slot + slack, until_us), until_us = until_us,
    shares = shares_of(demands) }
end

return { admit = admit, book = book, can_book = can_book, furthest_us = furthest_us, moved = moved,
  tolerance_of = tolerance_of, whole_second = whole_second }
