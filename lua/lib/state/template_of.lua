-- Reads the template that all charges of one operation by one plan share, packed as of charge.lua. There may be a
-- template for each operation of thousands of plans, so most have little until a charge needs more. A template is a
-- table of
--   revision, mode   of charge.lua
--   scopes     those of its demands, each once
--   alone      the template itself if all demands are of one scope, and none is of a request or an overflow; else false
--   source     its text
-- if it is alone, also of
--   scope, own, usual   as in `by_scope`
-- and once it is complete, of
--   demands    in their order. The byte of a scope has 8 added if each request counts as one operation, and 16 if the
--              demand is the overflow of the one before it
--   by_scope   those that are no overflow; of an alone template this is the template itself. For each scope
--     scope, demands
--     own      how a state with exactly these buckets takes charges (state/own_way.lua)
--     ways, usual   how others do, by their layouts, and the one that is tried first (state/way_of.lua)
--     marking  the same for reservations
--   kinds      the numbers that stand for those that pay (queue/ticket.lua), by the bits of overflows
--   has_overflow, is_unusual   whether there is an overflow; one of both kinds

local CODES = require('codes')
local grow = require('memo').grow
local memo = require('memo').memo
local OWN_WAY = require('state/own_way')

local FORMAT, FIRST, DEMAND, DEMAND_BYTES = '>I7BBI2', 12, '>BI7I7I7', 22
local PER_REQUEST, OVERFLOW = 8, 16
local SCOPES = { { 1 }, { 2 }, { 3 } }
-- Roughly, what Lua needs for what completes a template, and for each demand of it.
local BYTES_OF_PARTS, BYTES_OF_DEMAND = 900, 900

-- A demand of a text, and where the next one begins.
local function demand_at(text, at, field)
  local scope, rate, capacity, units, next_at = struct.unpack(DEMAND, text, at)
  local overflow = scope >= OVERFLOW
  scope = overflow and scope - OVERFLOW or scope
  local requests = scope >= PER_REQUEST
  scope = requests and scope - PER_REQUEST or scope
  return { scope = scope, rate = rate, capacity = capacity, units = units, field = field,
    name = string.match(field, '^[^@]+'), requests = requests, overflow = overflow }, next_at
end

local function demands_of(text, count)
  local demands, at = {}, FIRST
  local fields = string.gmatch(string.sub(text, FIRST + DEMAND_BYTES * count), '%S+')
  for i = 1, count do
    demands[i], at = demand_at(text, at, fields())
  end
  return demands
end

-- The demands of one scope that are no overflow; nil if there are none.
local function of_one_scope(demands, scope)
  local ours, fields = {}, {}
  for _, demand in ipairs(demands) do
    if demand.scope == scope and not demand.overflow then
      ours[#ours + 1], fields[#fields + 1] = demand, demand.field
    end
  end
  if #ours == 0 then
    return nil
  end
  local own = OWN_WAY.of_demands(table.concat(fields, ' '), ours)
  return { scope = scope, demands = ours, own = own, usual = own, ways = {}, marking = false }
end

local function scopes_of(demands)
  local scopes, is_known = {}, {}
  for _, demand in ipairs(demands) do
    if not is_known[demand.scope] then
      scopes[#scopes + 1], is_known[demand.scope] = demand.scope, true
    end
  end
  return scopes
end

-- Reads what only some charges need.
local function completed(template)
  if template.demands then
    return template
  end
  local text = template.source
  local _, _, _, count = struct.unpack(FORMAT, text)
  local demands = demands_of(text, count)
  template.demands, template.kinds = demands, {}
  template.has_overflow, template.is_unusual = false, false
  for _, demand in ipairs(demands) do
    template.has_overflow = template.has_overflow or demand.overflow
    template.is_unusual = template.is_unusual or demand.overflow or demand.requests
  end
  if template.alone then
    template.by_scope, template.ways, template.marking = { [template.scope] = template }, {}, false
  else
    template.scopes = scopes_of(demands)
    template.by_scope = {}
    for _, scope in ipairs(template.scopes) do
      template.by_scope[scope] = of_one_scope(demands, scope)
    end
  end
  grow(BYTES_OF_PARTS + BYTES_OF_DEMAND * count)
  return template
end

-- The own way if each demand has this byte of a scope; else nil.
local function own_of(text, count, first)
  local way, at = OWN_WAY.new(string.sub(text, FIRST + DEMAND_BYTES * count), count), FIRST
  for i = 1, count do
    local scope, rate, capacity, units, next_at = struct.unpack(DEMAND, text, at)
    if scope ~= first then
      return nil
    end
    OWN_WAY.put(way, i, rate, capacity, units)
    at = next_at
  end
  return way
end

-- Drops what charges have added.
local function renew(template)
  template.demands, template.by_scope, template.kinds, template.ways, template.marking = nil, nil, nil, nil, nil
  template.usual = template.own
  if not template.alone then
    completed(template)
  end
end

local function bytes_of(text)
  return 900 + 4 * #text
end

local short_of = memo(function(text)
  local revision, mode, _, count = struct.unpack(FORMAT, text)
  local first = count > 0 and string.byte(text, FIRST)
  local own = first and first < PER_REQUEST and own_of(text, count, first)
  local template = { revision = revision, mode = mode, source = text, alone = false }
  if own then
    template.alone, template.scope, template.scopes = template, first, SCOPES[first]
    template.own, template.usual = own, own
  else
    completed(template)
  end
  return template
end, bytes_of, renew)

-- Whether all buckets are a key's own, and its callers may get places in them: see queue/place_own.lua.
local function has_places_alone(template)
  return template.alone and template.scope == CODES.KEY and template.mode == CODES.RESERVE
end

-- The template of a text, complete or not; `completed`, which completes one; and the complete template of a text.
return { short_of = short_of, completed = completed, has_places_alone = has_places_alone, template_of = function(text)
  return completed(short_of(text))
end }
