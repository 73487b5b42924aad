-- Places as a queue keeps them: members of a sorted set with equal scores, so that Redis orders them by their text.
--
--   <deadline>.<id> <slot> <until> <share>...
--
-- The id is a ticket's, or '-' and a digest of what the place is for where anybody may keep it, or '~' for the idle
-- interval before a delayed slot. Instants have 16 digits. A share is <k|t><+|-><bucket>@<rate>=<units>: of key or
-- tenant, held or not. Places that anybody may keep stand a second time in the index of kinds, by their digest:
--
--   <digest>.<deadline> <slot> <until>
--
-- Uses CODES.
local function text_of(place)
  return string.format('%016d.%s %016d %016d%s', place.deadline, place.id, place.slot, place.until_us, place.shares)
end

local function place_of(text)
  local deadline, id, slot, until_us, shares = string.match(text, '^(%d+)%.(%S+) (%d+) (%d+)(.*)$')
  return { text = text, id = id, deadline = tonumber(deadline), slot = tonumber(slot), until_us = tonumber(until_us),
    shares = shares }
end

-- A ticket's id may begin with '-', too, but is longer.
local function is_anybodys(place)
  return #place.id == 11 and string.byte(place.id) == 45
end

local function is_gap(place)
  return place.id == '~'
end

local function index_text_of(place)
  return string.format('%s.%016d %016d %016d', string.sub(place.id, 2), place.deadline, place.slot, place.until_us)
end

local function is_in_tenants_queue(place)
  return string.find(place.shares, ' t+', 1, true) ~= nil
end

local function share_of(draw, units, is_held)
  return string.format(' %s%s%s=%d', draw.scope == CODES.KEY and 'k' or 't', is_held and '+' or '-', draw.field, units)
end

-- The shares of draws as they are held; buckets of all tenants have no places.
local function shares_of(draws)
  local text = {}
  for _, draw in ipairs(draws) do
    if draw.scope < CODES.CLUSTER then
      text[#text + 1] = share_of(draw, draw.cost, draw.held)
    end
  end
  return table.concat(text)
end

-- The kind of a place: its shares, without the marks that say which of them are held.
local function kind_of(shares)
  return (string.gsub(shares, ' (%l)%+', ' %1-'))
end

-- Marks the draws in which a place for them is held.
local function mark_held(place, draws)
  local marks = string.gmatch(place.shares, ' %l([+-])')
  for _, draw in ipairs(draws) do
    if draw.scope < CODES.CLUSTER then
      draw.held = marks() == '+'
    end
  end
end
