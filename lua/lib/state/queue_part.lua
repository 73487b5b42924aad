-- The part of a state's value for those that wait, packed:
--
--   form        1 byte: 2, or 3 if the key keeps something for its callers (queue/waiter.lua), which follows;
--               what has an earlier form is forgotten
--   calendars   2 bytes: how many of its buckets have a calendar (queue/calendar.lua), which follow
--   lines       2 bytes: for how many shared buckets it waits (queue/line.lua), which follow

local CALENDAR = require('queue/calendar')
local LINE = require('queue/line')
local WAITER = require('queue/waiter')

local FORM, FORM_WITH_WAITER, BEGIN, BEGIN_WITH_WAITER = 2, 3, '\n\2', '\n\3'
local NONE, ONE = '\0\0', '\0\1' -- most counts
local PART = {}

-- Reads it into a state, from a position of its value on.
function PART.read(state, value, at)
  local form = string.byte(value, at)
  at = at + 1
  if form < FORM then
    return
  elseif form == FORM_WITH_WAITER then
    state.waiter, at = WAITER.read(value, at)
  end
  local count
  count, at = struct.unpack('>I2', value, at)
  for _ = 1, count do
    local calendar
    calendar, at = CALENDAR.read(value, at)
    state.calendars[calendar.name] = calendar
  end
  count, at = struct.unpack('>I2', value, at)
  for _ = 1, count do
    local field, line
    field, line, at = LINE.read(value, at)
    state.lines[field] = line
  end
end

-- Forgets bins that are over, and everything that says nothing any more; also intervals that are ahead, which
-- are of a clock that was set back, or of a release that counted others: until when something is stored
-- follows from them.
function PART.forget(state, now)
  for name, calendar in pairs(state.calendars) do
    if CALENDAR.is_far_ahead(calendar, now) then
      state.calendars[name] = nil
    else
      CALENDAR.advance(calendar, now)
      LINE.drop_ahead(calendar, calendar.pace.shared_us, now)
      if CALENDAR.is_over(calendar, now) then
        state.calendars[name] = nil
      end
    end
  end
  for field, line in pairs(state.lines) do
    LINE.drop_ahead(line, line.shared_us, now)
    if LINE.is_over(line, now) then
      state.lines[field] = nil
    end
  end
  if state.waiter and WAITER.is_over(state.waiter, now) then
    state.waiter = false
  end
end

-- Takes back what was counted for decisions that did not keep it.
function PART.uncount(state)
  for _, calendar in pairs(state.calendars) do
    CALENDAR.uncount(calendar)
  end
end

local function packed_count(count)
  return count == 0 and NONE or count == 1 and ONE or struct.pack('>I2', count)
end

-- Packs it, with a line feed before it, empty if nothing waits; second, until when it has to be
-- stored.
function PART.packed(state)
  local waiter, calendars, lines = state.waiter, state.calendars, state.lines
  if not waiter and not next(calendars) and not next(lines) then
    return '', 0
  end
  local until_us, n = waiter and WAITER.needed_us(waiter) or 0, 3
  local parts = { waiter and BEGIN_WITH_WAITER or BEGIN, waiter and WAITER.packed(waiter) or '', NONE, '', NONE }
  for _, calendar in pairs(calendars) do
    local needed_us = CALENDAR.needed_us(calendar)
    until_us = needed_us > until_us and needed_us or until_us
    n = n + 1
    parts[n] = CALENDAR.packed(calendar)
  end
  local first = n + 1
  parts[3], n = packed_count(n - 3), first
  for field, line in pairs(lines) do
    local needed_us = LINE.needed_us(line)
    until_us = needed_us > until_us and needed_us or until_us
    n = n + 1
    parts[n] = LINE.packed(field, line)
  end
  parts[first] = packed_count(n - first)
  return table.concat(parts, '', 1, n), until_us
end

return PART
