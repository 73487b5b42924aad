-- The state that a key keeps for its waiting callers: the secret and the numbers of its tickets, and for callers
-- without tickets the moments at which they are to return. Waiter.java has the same.
--
-- Packed:
--   secret      1 byte, text: signs the tickets; empty if none was made
--   number      7 bytes: of the last ticket
--   open_0, open_1   7 bytes each: by half of the numbers, until when a ticket of it may be open
--   needed_us   7 bytes: until when a ticket or a moment is good
--   slice     7 bytes: the slice of time in which a caller without a ticket came last
--   strangers   1 byte: of how many kinds of request such callers are counted (queue/strangers.lua), which
--               follow, the one that was asked for last at the end
--   moments     1 byte: how many, and for each
--     at, operations, until_us   7 bytes each: when they are due, how many are left, and when the last
--               bin that holds them is over
--     mark      4 bytes: stands for the demands and the calendars that hold them
--     shared    1 byte: 1 if buckets of the tenant and of the cluster hold them, too

local floor_div = require('floor_div')
local STRANGERS = require('queue/strangers')
local TIMES = require('times')

local FORMAT, MOMENT, KINDS = '>Bc0I7I7I7I7I7B', '>I7I7I7I4B', 4
local BRIEF = FORMAT .. 'B' -- without strangers and moments
local IN_A_SECOND = TIMES.SECOND_US / TIMES.SLICE_US
local WAITER = {}

function WAITER.new()
  return { secret = '', number = 0, open_0 = 0, open_1 = 0, needed_us = 0, slice = 0, strangers = {},
    moments = {} }
end

-- Reads one; second, the position after it.
function WAITER.read(text, at)
  local secret, number, open_0, open_1, needed_us, slice, count, after = struct.unpack(FORMAT, text, at)
  local strangers, moments = {}, {}
  for i = 1, count do
    strangers[i], after = STRANGERS.read(text, after)
  end
  count, after = string.byte(text, after), after + 1
  for i = 1, count do
    local due, operations, until_us, mark, shared, next_at = struct.unpack(MOMENT, text, after)
    moments[i] = { at = due, operations = operations, until_us = until_us, mark = mark, shared = shared }
    after = next_at
  end
  return { secret = secret, number = number, open_0 = open_0, open_1 = open_1, needed_us = needed_us, slice = slice,
    strangers = strangers, moments = moments }, after
end

function WAITER.packed(waiter)
  local strangers, moments = waiter.strangers, waiter.moments
  local count, n = #strangers, #moments
  local head = struct.pack(BRIEF, #waiter.secret, waiter.secret, waiter.number, waiter.open_0, waiter.open_1,
    waiter.needed_us, waiter.slice, count, n)
  if count + n == 0 then
    return head
  end
  local parts = { string.sub(head, 1, -2) }
  for i = 1, count do
    parts[i + 1] = STRANGERS.packed(strangers[i])
  end
  parts[count + 2] = string.char(n)
  for i = 1, n do
    local moment = moments[i]
    parts[count + 2 + i] = struct.pack(MOMENT, moment.at, moment.operations, moment.until_us, moment.mark,
      moment.shared)
  end
  return table.concat(parts)
end

local function second_of(slice)
  return floor_div(slice, IN_A_SECOND)
end

-- Until when it has to be stored.
function WAITER.needed_us(waiter)
  local counted_us, needed_us = (second_of(waiter.slice) + 2) * TIMES.SECOND_US, waiter.needed_us + 1
  return counted_us > needed_us and counted_us or needed_us
end

function WAITER.is_over(waiter, now)
  return waiter.needed_us < now and second_of(waiter.slice) + 2 <= floor_div(now, TIMES.SECOND_US)
end

-- Which half of the numbers a number is in.
local function half_of(number)
  return number % TIMES.TICKETS < TIMES.TICKETS / 2 and 'open_0' or 'open_1'
end

-- Whether one more ticket may be made: the tickets that had its number are over.
function WAITER.has_number(waiter, now)
  local next_number = waiter.number + 1
  return next_number % (TIMES.TICKETS / 2) ~= 0 or waiter[half_of(next_number)] <= now
end

-- Makes the number of a ticket that holds a place until then.
function WAITER.next_number(waiter, until_us)
  local number = waiter.number + 1
  local half = half_of(number)
  waiter.number, waiter[half] = number, math.max(waiter[half], until_us)
  return number
end

-- The secret for a ticket that is good until then.
function WAITER.secret_for(waiter, fresh, until_us)
  waiter.secret = waiter.secret == '' and fresh or waiter.secret
  waiter.needed_us = until_us > waiter.needed_us and until_us or waiter.needed_us
  return waiter.secret
end

local function forget_moments(waiter, now, furthest_us)
  local moments, left, furthest = waiter.moments, 0, now + furthest_us
  for i = 1, #moments do
    local moment = moments[i]
    if moment.until_us > now and moment.at <= furthest then
      left = left + 1
      moments[left] = moment
    end
  end
  for i = #moments, left + 1, -1 do
    moments[i] = nil
  end
end

-- The callers without tickets of a kind of request, which become the last ones; nil if they are not known.
function WAITER.known_strangers(waiter, kind)
  local all = waiter.strangers
  local n = #all
  for at = n, 1, -1 do
    local one = all[at]
    if one.kind == kind then
      if at < n then
        table.remove(all, at)
        all[n] = one
      end
      return one
    end
  end
  return nil
end

-- The same of a new kind. Until they were counted for a second, as many operations are expected as drain in it.
function WAITER.new_strangers(waiter, kind, now, drained)
  local all = waiter.strangers
  if #all == KINDS then
    table.remove(all, 1)
  end
  local one = STRANGERS.new(kind, now, drained)
  all[#all + 1] = one
  return one
end

-- Counts a caller without a ticket, and forgets moments that are over.
function WAITER.note(waiter, strangers, now, cost, furthest_us)
  waiter.slice = floor_div(now, TIMES.SLICE_US)
  STRANGERS.ask(strangers, now, cost)
  forget_moments(waiter, now, furthest_us)
end

-- The first moment that is due with enough operations of one of these marks, the second of them if
-- shared buckets hold it.
function WAITER.due(waiter, now, cost, mark, shared_mark)
  local moments = waiter.moments
  for i = 1, #moments do
    local moment = moments[i]
    if moment.at > now then
      return nil
    end
    if moment.operations >= cost and moment.mark == (moment.shared == 1 and shared_mark or mark) then
      return moment
    end
  end
  return nil
end

function WAITER.claim(waiter, moment, cost)
  moment.operations = moment.operations - cost
  for i, one in ipairs(waiter.moments) do
    if one == moment and moment.operations == 0 then
      table.remove(waiter.moments, i)
      return
    end
  end
end

function WAITER.moment_at(waiter, at)
  local moments = waiter.moments
  local i = #moments
  while i > 0 and moments[i].at > at do
    i = i - 1
  end
  return i > 0 and moments[i].at == at and moments[i] or nil
end

-- Keeps the operations of a moment, in the order of the moments.
function WAITER.keep(waiter, moment)
  local known = WAITER.moment_at(waiter, moment.at)
  if known then
    known.operations = math.min(TIMES.MAX_UNITS, known.operations + moment.operations)
    known.until_us = moment.until_us
  else
    local i = #waiter.moments + 1
    while i > 1 and waiter.moments[i - 1].at > moment.at do
      i = i - 1
    end
    table.insert(waiter.moments, i, moment)
  end
  waiter.needed_us = math.max(waiter.needed_us, moment.until_us)
end

return WAITER
