-- Appointments as a line keeps them: members of a sorted set with equal scores, so that Redis orders
-- them by their text.
--
--   t<deadline>.<id> <slot> <until> <share>...     a ticket's
--   p<deadline>.- <slot> <until> <share>...        anybody's
--   g<deadline>.~ <slot> <until> <share>...        nobody's: the gap before a slot that was put off
--
-- Instants have 16 digits. A share is <k|t><+|-><bucket>@<mtps>=<units>: of key or tenant, held or not.
local function text_of(place)
  local kind = place.id == '-' and 'p' or place.id == '~' and 'g' or 't'
  return string.format('%s%016d.%s %016d %016d%s', kind, place.deadline,
    place.id, place.slot, place.until_us, place.shares)
end

local function place_of(text)
  local deadline, id, slot, until_us, shares =
    string.match(text, '^%l(%d+)%.(%S+) (%d+) (%d+)(.*)$')
  return { text = text, id = id, deadline = tonumber(deadline), slot = tonumber(slot),
    until_us = tonumber(until_us), shares = shares }
end

-- The share of one draw in the text of an appointment.
local function share_of(draw, units, held)
  return string.format(' %s%s%s=%d', draw.state == 1 and 'k' or 't', held and '+' or '-', draw.key, units)
end

-- The shares of an appointment for just these draws, without what is held.
local function kind_of(asked)
  local text = {}
  for _, draw in ipairs(asked) do
    if draw.state < 3 then
      text[#text + 1] = share_of(draw, draw.cost, false)
    end
  end
  return table.concat(text)
end

-- Whether its slot has come. Deadline and slot stand where `text_of` puts them.
local function is_due(text, at_us)
  return tonumber(string.sub(text, 21, 36)) <= at_us
end

-- Whether it is in time, for what is asked for, and a ticket's place or one of anybody that is due.
local function is_open_to(text, at_us, asked_for)
  if tonumber(string.sub(text, 2, 17)) < at_us then
    return false
  end
  if string.sub(text, 1, 1) == 'p' and not is_due(text, at_us) then
    return false
  end
  local shares = string.match(text, '^%S+ %d+ %d+(.*)$')
  return string.gsub(shares, ' (%l)%+', ' %1-') == asked_for
end

-- Marks the draws in which an appointment for them holds water.
local function mark_held(place, asked)
  local marks = string.gmatch(place.shares, ' %l([+-])')
  for _, draw in ipairs(asked) do
    if draw.state < 3 then
      draw.held = marks() == '+'
    end
  end
end
