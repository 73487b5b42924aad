-- Reads a state that has exactly the buckets of a template, all of them its key's own, and what waits for them.

local LAYOUT = require('state/layout')
local layout_of_way = require('state/own_way').layout
local PART = require('state/queue_part')

local LINE_FEED = 10

-- Whether all that wait in a state wait for buckets with these fields.
local function is_ours(state, fields)
  for _, calendar in pairs(state.calendars) do
    if not fields[calendar.field] then
      return false
    end
  end
  for field in pairs(state.lines) do
    if not fields[field] then
      return false
    end
  end
  return true
end

-- The numbers of a state with exactly the buckets of a template, and what waits; nil if it has something else.
local function own_state(value, template, now)
  local own = template.own
  local numbers, at = { struct.unpack(own.format, value) }, own.bytes + 1 - #own.fields
  local count = numbers[1]
  if count ~= own.count and count ~= own.count + LAYOUT.HAS_QUEUE or numbers[LAYOUT.AT] > now
    or numbers[LAYOUT.REVISION] ~= template.revision or string.sub(value, at, own.bytes) ~= own.fields then
    return nil
  end
  local state = { waiter = false, calendars = {}, lines = {} }
  if count ~= own.count then
    if string.byte(value, own.bytes + 1) ~= LINE_FEED then
      return nil
    end
    PART.read(state, value, own.bytes + 2)
    PART.forget(state, now)
  end
  return is_ours(state, layout_of_way(own).index) and numbers or nil, state
end

return own_state
