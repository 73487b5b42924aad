-- A place for a caller that wants a ticket and shows none, in the calendars of several buckets, all of them its key's
-- own; queue/place_alone.lua does the same for a single one. It takes the steps of queue/decide.lua for such a caller,
-- without what shared buckets and callers that return need. A bucket is a table of the fields of a view
-- (queue/view.lua) that queue/find_place.lua reads, and of
--   each   the time that the cost takes
--   free   the room beside all that is due

local ceil_div = require('ceil_div')
local CODES = require('codes')
local floor_div = require('floor_div')
local CALENDAR = require('queue/calendar')
local slot_in = require('queue/find_place').slot_in
local LARGER = require('queue/larger')
local own_state = require('queue/own_state')
local take_share = require('queue/take_share')
local TICKET = require('queue/ticket')
local TURNS = require('queue/turns')
local WAITER = require('queue/waiter')
local drained = require('state/drained')
local expiry_of = require('state/expiry_of')
local LAYOUT = require('state/layout')
local PART = require('state/queue_part')
local TIMES = require('times')

-- The bucket of a demand that has this level; nil if something else has to decide.
local function bucket_of(demand, level, part, cost, now)
  local units, capacity = demand.units * cost, demand.capacity
  if units > capacity or level == 0 or level > capacity then
    return nil
  end
  local calendar, line = part.calendars[demand.name] or CALENDAR.begin(demand, units, now), part.lines[demand.field]
  local n = calendar.n
  if calendar.capacity ~= capacity or calendar.quantum > 1 or calendar.again > now
    or n == 0 and not CALENDAR.suits(calendar, demand, units) or LARGER.left_by(calendar, units, now) > 0 then
    return nil
  end
  return { demand = demand, capacity = capacity, cost = units, quanta = units, used = level, now = now,
    calendar = calendar, headroom = false, near = false, for_larger = 0,
    each = math.min(TIMES.LONGEST_US, ceil_div(units, demand.rate)),
    from = line and line.served > now and line.served or now,
    last = floor_div(now, calendar.width) + CALENDAR.bins(calendar) - calendar.lives,
    free = n == 0 and capacity - level or CALENDAR.free(calendar, level, now) }
end

-- The buckets of the demands, and whether there is no room in one of them; nil if something else has to decide.
local function buckets_of(demands, numbers, part, cost, now)
  local buckets, is_full, elapsed = {}, false, now - numbers[LAYOUT.AT]
  for i = 1, #demands do
    local demand = demands[i]
    local level = drained(numbers[LAYOUT.BEFORE_FIELDS + i], demand.rate, elapsed)
    local bucket = bucket_of(demand, level, part, cost, now)
    if not bucket then
      return nil
    end
    buckets[i], is_full = bucket, is_full or bucket.cost > bucket.free
  end
  return buckets, is_full
end

-- The turn of the caller; moves on those of the buckets without room.
local function turn_of(buckets, now)
  local turn = now
  for i = 1, #buckets do
    local bucket = buckets[i]
    local calendar, units = bucket.calendar, bucket.cost
    if units > bucket.free then
      local missing = math.max(0, CALENDAR.due_by(calendar, now) + units - (bucket.capacity - bucket.used))
      local wait = math.min(TIMES.MOST_WAIT_US, ceil_div(missing, bucket.demand.rate))
      local here = TURNS.with_ticket(calendar, units, bucket.each, now + wait, now)
      turn = here > turn and here or turn
    end
  end
  return turn
end

-- Holds a place in all buckets, and makes its ticket.
local function ticket_at(call, sha1, slot, part, buckets, template, cost, asked, now)
  local until_us, known_until, mark = 0, 0, TICKET.kind_of(template, 0, template.demands, sha1)
  for i = 1, #buckets do
    local bucket = buckets[i]
    local calendar = bucket.calendar
    local bin, waited_until = floor_div(slot, calendar.width), slot + calendar.pace.waited_us
    local over = (bin + calendar.lives) * calendar.width
    CALENDAR.add(calendar, bin, bucket.cost)
    take_share(part.lines, calendar, bucket.each, now)
    part.calendars[bucket.demand.name], mark = calendar, TICKET.marked(mark, calendar)
    until_us = over > until_us and over or until_us
    known_until = waited_until > known_until and waited_until or known_until
  end
  local waiter = part.waiter
  local secret = WAITER.secret_for(waiter, asked.secret, math.max(until_us, known_until))
  local number = WAITER.next_number(waiter, until_us)
  TICKET.open(call, asked.bits, number, expiry_of(waiter.needed_us, now))
  return TICKET.signed({ slot = slot, number = number, paid = 0, shared = 1 }, secret, cost, mark, sha1)
end

-- The value of a state with these levels and this queue, and until when it is stored.
local function value_of(template, numbers, part, buckets, now)
  local own, expires_ms, queue, until_us = template.own, numbers[LAYOUT.EXPIRES], PART.packed(part)
  for i = 1, #buckets do
    local level = buckets[i].used
    numbers[LAYOUT.BEFORE_FIELDS + i] = level
    local empty_us = now + ceil_div(level, buckets[i].demand.rate)
    until_us = empty_us > until_us and empty_us or until_us
  end
  expires_ms = until_us > expires_ms * 1000 and expiry_of(until_us, now) or expires_ms
  numbers[1], numbers[LAYOUT.AT], numbers[LAYOUT.EXPIRES] = own.count + LAYOUT.HAS_QUEUE, now, expires_ms
  return struct.pack(own.format, unpack(numbers)) .. own.fields .. queue, expires_ms
end

local function answer_of(buckets, wait_us, ticket)
  local answer, n = { CODES.DENIED }, #buckets + 1
  for i = 1, #buckets do
    local bucket = buckets[i]
    answer[i + 1] = math.max(bucket.used, bucket.capacity - math.max(0, bucket.free))
  end
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4], answer[n + 5] = wait_us, 0, CODES.NOT, 1, ticket
  return answer
end

-- The value of a state of a key with a place for a charge, until when it is stored, and the answer. Nil if something
-- else decides; then nothing has changed.
local function place_together(call, sha1, value, template, cost, asked, now)
  if not asked.always then
    return nil
  end
  local numbers, part = own_state(value, template, now)
  if not numbers then
    return nil
  end
  local buckets, is_full = buckets_of(template.demands, numbers, part, cost, now)
  part.waiter = part.waiter or WAITER.new()
  if not is_full or not WAITER.has_number(part.waiter, now) then
    return nil
  end
  local place = slot_in({ views = buckets, now = now }, #buckets, false, turn_of(buckets, now))
  if not place then
    return nil
  end
  local slot = place.slot
  local ticket = ticket_at(call, sha1, slot, part, buckets, template, cost, asked, now)
  local placed, expires_ms = value_of(template, numbers, part, buckets, now)
  return placed, expires_ms, answer_of(buckets, slot - now, ticket)
end

return place_together
