-- Reads what all charges of one operation by one plan have in common, as charge.lua has it in its arguments.
local function terms_of(text)
  local revision, mode, lateness, max_line, horizon, _, count = struct.unpack('>I7BI7I4I7BI2', text)
  local terms = { revision = revision, mode = mode, lateness = lateness, max_line = max_line, horizon = horizon,
    draws = {}, scopes = {}, ways = {} }
  local at, fields = 30, string.gmatch(string.sub(text, 30 + 22 * count), '%S+')
  for i = 1, count do
    local scope, mtps, capacity, units
    scope, mtps, capacity, units, at = struct.unpack('>BI7I7I7', text, at)
    local draw = { scope = scope, mtps = mtps, capacity = capacity, units = units, field = fields() }
    local ways = terms.ways[scope]
    if not ways then
      terms.scopes[#terms.scopes + 1] = scope
      ways = { text = draw.field, draws = {} }
      terms.ways[scope] = ways
    else
      ways.text = ways.text .. ' ' .. draw.field
    end
    terms.draws[i], ways.draws[#ways.draws + 1] = draw, draw
  end
  return terms
end
