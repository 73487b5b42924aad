-- While some callers do not return, more is promised than the rate: the share of the key, one of its lines by field,
-- says how much of that it had. A cost that takes `each` was promised in a calendar.

local CALENDAR = require('queue/calendar')
local LINE = require('queue/line')
local TIMES = require('times')

local function take_share(lines, calendar, each, now)
  local parts, field = CALENDAR.parts(calendar), calendar.field
  if parts < TIMES.WHOLE then
    lines[field] = lines[field] or LINE.new(field)
    LINE.takes(lines[field], each, TIMES.WHOLE, parts, now, now + CALENDAR.furthest_us(calendar, each))
  end
end

return take_share
