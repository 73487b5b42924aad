-- Appointments as a line keeps them: members of a sorted set with equal scores, so that Redis orders
-- them by their text.
--
--   t<deadline>.<id> <slot> <until> <share>...     a ticket's
--   p<deadline>.- <slot> <until> <share>...        anybody's
--
-- Instants have 16 digits. A share is <k|t><+|-><bucket>@<mtps>=<units>: of key or tenant, held or not.
local function text_of(place)
  return string.format('%s%016.0f.%s %016.0f %016.0f%s', place.id == '-' and 'p' or 't', place.deadline,
    place.id, place.slot, place.until_us, place.shares)
end

local function place_of(text)
  local deadline, id, slot, until_us, shares =
    string.match(text, '^%l(%d+)%.(%S+) (%d+) (%d+)(.*)$')
  return { text = text, id = id, deadline = tonumber(deadline), slot = tonumber(slot),
    until_us = tonumber(until_us), shares = shares }
end

-- Whether a ticket's place, or one of anybody whose slot has come; without reading all of it.
local function is_open_to(text, at_us)
  return string.sub(text, 1, 1) == 't' or tonumber(string.sub(text, 21, 36)) <= at_us
end

-- The share of one draw in the text of an appointment.
local function share_of(draw, held)
  return string.format(' %s%s%s=%.0f', draw.state == 1 and 'k' or 't', held and '+' or '-', draw.key, draw.cost)
end

-- Whether the appointment was made for just these draws. Marks those in which it holds water.
local function is_for(place, asked)
  local i = 0
  local own = {}
  for _, draw in ipairs(asked) do
    if draw.state < 3 then
      own[#own + 1] = draw
    end
  end
  for share in string.gmatch(place.shares, '%S+') do
    i = i + 1
    local draw = own[i]
    if not draw or string.sub(share, 1, 1) .. string.sub(share, 3) ~=
      string.format('%s%s=%.0f', draw.state == 1 and 'k' or 't', draw.key, draw.cost) then
      return false
    end
  end
  if i ~= #own then
    return false
  end
  i = 0
  for share in string.gmatch(place.shares, '%S+') do
    i = i + 1
    own[i].held = string.sub(share, 2, 2) == '+'
  end
  return true
end
