-- Reads the template that all charges of one operation by one plan share, packed as of charge.lua.
-- The byte of a scope has 8 added if each request counts as one operation, and 16 if the demand is
-- the overflow of the one before it: `by_scope` does not contain these, `alone` is the demands if all are
-- of one scope, else false. `kinds`
-- keeps the numbers that stand for those that pay (queue/ticket.lua), by the bits of overflows; `ways` how
-- states take its charges, by their layouts, `usual` the one that is tried first (state/way_of.lua), and `marking`
-- the same for reservations.

local memo = require('memo').memo

local PER_REQUEST, OVERFLOW = 8, 16

local function add_to(of_scopes, demand)
  local of_scope = of_scopes[demand.scope]
  if not of_scope then
    of_scope = { scope = demand.scope, text = demand.field, demands = {}, ways = {}, usual = false,
      marking = false }
    of_scopes[demand.scope] = of_scope
  else
    of_scope.text = of_scope.text .. ' ' .. demand.field
  end
  of_scope.demands[#of_scope.demands + 1] = demand
end

-- Drops the numbers for its payers and how states take its charges.
local function renew(template)
  template.kinds = {}
  for _, of_scope in pairs(template.by_scope) do
    of_scope.ways, of_scope.usual, of_scope.marking = {}, false, false
  end
end

local template_of = memo(function(text)
  local revision, mode, _, count = struct.unpack('>I7BBI2', text)
  local template = { revision = revision, mode = mode, demands = {}, scopes = {}, by_scope = {}, kinds = {},
    alone = false }
  local at, fields = 12, string.gmatch(string.sub(text, 12 + 22 * count), '%S+')
  local is_known = {}
  for i = 1, count do
    local scope, rate, capacity, units
    scope, rate, capacity, units, at = struct.unpack('>BI7I7I7', text, at)
    local field = fields()
    local overflow = scope >= OVERFLOW
    scope = overflow and scope - OVERFLOW or scope
    local requests = scope >= PER_REQUEST
    scope = requests and scope - PER_REQUEST or scope
    local demand = { scope = scope, rate = rate, capacity = capacity, units = units, field = field,
      name = string.match(field, '^[^@]+'), requests = requests, overflow = overflow }
    if not is_known[scope] then
      template.scopes[#template.scopes + 1], is_known[scope] = scope, true
    end
    template.has_overflow = template.has_overflow or overflow
    template.is_unusual = template.is_unusual or overflow or requests
    if not overflow then
      add_to(template.by_scope, demand)
    end
    template.demands[i] = demand
  end
  template.alone = #template.scopes == 1 and not template.has_overflow and template.by_scope[template.scopes[1]]
  return template
end, renew)

return template_of
