-- A place for a caller that wants a ticket and shows none, in the calendar of its key's only bucket: most places. It
-- takes the steps of queue/decide.lua for such a caller, without the tables for several buckets, for shared ones, and
-- for callers that return.

local ceil_div = require('ceil_div')
local CODES = require('codes')
local floor_div = require('floor_div')
local CALENDAR = require('queue/calendar')
local HEADROOM = require('queue/headroom')
local LARGER = require('queue/larger')
local pace_of = require('queue/pace')
local take_share = require('queue/take_share')
local TICKET = require('queue/ticket')
local TURNS = require('queue/turns')
local WAITER = require('queue/waiter')
local drained = require('state/drained')
local expiry_of = require('state/expiry_of')
local LAYOUT = require('state/layout')
local PART = require('state/queue_part')
local TIMES = require('times')

local HEAD, WITH_QUEUE, LINE_FEED = LAYOUT.HEAD .. LAYOUT.NUMBER, 1 + LAYOUT.HAS_QUEUE, 10

-- The queue in a value, from a position on; nil if others wait than callers of this bucket, or its calendar is another.
local function waiting(value, at, demand, now)
  local part = { waiter = false, calendars = {}, lines = {} }
  PART.read(part, value, at)
  PART.forget(part, now)
  local name, calendar = next(part.calendars)
  local field = next(part.lines)
  if field and (field ~= demand.field or next(part.lines, field)) or name and (next(part.calendars, name)
    or calendar.field ~= demand.field or calendar.capacity ~= demand.capacity) then
    return nil
  end
  return part, calendar
end

-- The level of a state with exactly this bucket, until when it is stored, and what waits; nil if it has something else.
local function read(value, template, demand, now)
  local fields = template.own.fields
  local count, at_us, revision, expires_ms, used, at = struct.unpack(HEAD, value)
  local ends = at + #fields
  if count ~= 1 and count ~= WITH_QUEUE or at_us > now or revision ~= template.revision
    or string.sub(value, at, ends - 1) ~= fields then
    return nil
  end
  local level = drained(used, demand.rate, now - at_us)
  if level == 0 or level > demand.capacity then
    return nil
  elseif count == 1 then
    return level, expires_ms, { waiter = false, calendars = {}, lines = {} }
  elseif string.byte(value, ends) ~= LINE_FEED then
    return nil
  end
  return level, expires_ms, waiting(value, ends + 1, demand, now)
end

-- Whether a bucket has to be looked at beside what others promise themselves of it.
local function is_plain(calendar, waiter, demand, units, now)
  return calendar.quantum == 1 and calendar.again <= now and (calendar.n > 0 or CALENDAR.suits(calendar, demand, units))
    and LARGER.left_by(calendar, units, now) == 0 and WAITER.has_number(waiter, now)
end

-- The first instant, from one on, with room behind all that is due; nil if that is too far away.
local function slot_in(calendar, room, units, turn, from, now)
  local width, base = calendar.width, calendar.base
  local last = floor_div(now, width) + CALENDAR.bins(calendar) - calendar.lives
  if calendar.n == 0 then
    local slot = now + math.max(1, math.min(TIMES.MOST_WAIT_US, ceil_div(units - room, calendar.rate)))
    local bin = floor_div(slot, width)
    return bin <= last and bin >= base and slot or nil
  end
  local first, headroom = floor_div(from, width), HEADROOM.of(calendar, room, now, 0, units)
  local bin = HEADROOM.first_bin(headroom, calendar, units, first > base and first or base, last)
  local slot = bin <= last and math.max(CALENDAR.drained_at(calendar, bin), now + 1)
  return slot and slot <= turn + CALENDAR.BINS_BEHIND_TURN * width and slot or nil
end

-- Holds a place, and makes its ticket.
local function ticket_at(call, sha1, slot, waiter, calendar, template, cost, units, asked, now)
  local bin = floor_div(slot, calendar.width)
  CALENDAR.add(calendar, bin, units)
  local until_us = (bin + calendar.lives) * calendar.width
  local known_until = math.max(until_us, slot + pace_of(calendar.field).waited_us)
  local secret, number = WAITER.secret_for(waiter, asked.secret, known_until), WAITER.next_number(waiter, until_us)
  TICKET.open(call, asked.bits, number, expiry_of(waiter.needed_us, now))
  local mark = TICKET.marked(TICKET.kind_of(template, 0, template.demands, sha1), calendar)
  return TICKET.signed({ slot = slot, number = number, paid = 0, shared = 1 }, secret, cost, mark, sha1)
end

-- The value of a state of a key with a place for a charge, until when it is stored, and the answer. Nil if something
-- else decides; then nothing has changed.
local function place_alone(call, sha1, value, template, cost, asked, now)
  local demand = template.demands[1]
  local rate, capacity, units = demand.rate, demand.capacity, demand.units * cost
  if not asked.always or units > capacity then
    return nil
  end
  local level, expires_ms, part, calendar = read(value, template, demand, now)
  if not part then
    return nil
  end
  local waiter = part.waiter or WAITER.new()
  calendar = calendar or CALENDAR.begin(demand, units, now)
  if not is_plain(calendar, waiter, demand, units, now) then
    return nil
  end
  local room, free = capacity - level, capacity - level
  if calendar.n > 0 then
    free = CALENDAR.free(calendar, level, now)
  end
  if units <= free then
    return nil
  end
  local each = math.min(TIMES.LONGEST_US, ceil_div(units, rate))
  local wait = math.min(TIMES.MOST_WAIT_US, ceil_div(math.max(0, CALENDAR.due_by(calendar, now) + units - room), rate))
  local turn = TURNS.with_ticket(calendar, units, each, now + wait, now)
  local line = part.lines[demand.field]
  local slot = slot_in(calendar, room, units, turn, math.max(now + 1, line and line.served or 0), now)
  if not slot then
    return nil
  end
  local ticket = ticket_at(call, sha1, slot, waiter, calendar, template, cost, units, asked, now)
  take_share(part.lines, calendar, each, now)
  part.waiter, part.calendars[demand.name] = waiter, calendar
  local queue, needed_us = PART.packed(part)
  local until_us = math.max(needed_us, now + ceil_div(level, rate))
  expires_ms = until_us > expires_ms * 1000 and expiry_of(until_us, now) or expires_ms
  local shown = math.max(level, capacity - math.max(0, free))
  return struct.pack(HEAD, WITH_QUEUE, now, template.revision, expires_ms, level) .. demand.field .. queue, expires_ms,
    { CODES.DENIED, shown, slot - now, 0, CODES.NOT, 1, ticket }
end

return place_alone
