-- Places in a queue: members of a sorted set with equal scores, so that Redis orders them by their
-- text.
--
--   <deadline>.<id> <slot> <until> <share>...
--
-- The id is that of a ticket; or '-' and a digest of the kind of the place if any caller may use
-- it; or '~' for the idle interval before a delayed slot. Instants have 16 digits. A share is
-- <k|t><+|-><bucket>@<rate>=<units>: of key or tenant, held or not. Places that any caller may use
-- have a second entry in the index of kinds, by their digest:
--
--   <digest>.<deadline> <slot> <until>
--

local CODES = require('codes')

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

local function is_idle(place)
  return place.id == '~'
end

local function index_text_of(place)
  return string.format('%s.%016d %016d %016d', string.sub(place.id, 2), place.deadline, place.slot, place.until_us)
end

local function is_in_tenants_queue(place)
  return string.find(place.shares, ' t+', 1, true) ~= nil
end

local function share_of(demand, units, is_held)
  local letter, mark = demand.scope == CODES.KEY and 'k' or 't', is_held and '+' or '-'
  return string.format(' %s%s%s=%d', letter, mark, demand.field, units)
end

-- The shares of demands as they are held; buckets of the cluster have no places.
local function shares_of(demands)
  local text = {}
  for _, demand in ipairs(demands) do
    if demand.scope < CODES.CLUSTER then
      text[#text + 1] = share_of(demand, demand.cost, demand.held)
    end
  end
  return table.concat(text)
end

-- The kind of a place: its shares, without the marks for those that are held.
local function kind_of(shares)
  return (string.gsub(shares, ' (%l)%+', ' %1-'))
end

-- Marks the demands in which a place for them is held.
local function mark_held(place, demands)
  local marks = string.gmatch(place.shares, ' %l([+-])')
  for _, demand in ipairs(demands) do
    if demand.scope < CODES.CLUSTER then
      demand.held = marks() == '+'
    end
  end
end

return { index_text_of = index_text_of, is_anybodys = is_anybodys, is_idle = is_idle,
  is_in_tenants_queue = is_in_tenants_queue, kind_of = kind_of, mark_held = mark_held, place_of = place_of,
  share_of = share_of, shares_of = shares_of, text_of = text_of }
