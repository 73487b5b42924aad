-- Reads what all charges of one operation by one plan have in common.
local function terms_of(text)
  local revision, mode, lateness, max_line, horizon, count, at = struct.unpack('>I7BI7I4I7I2', text)
  local terms = { revision = revision, mode = mode, lateness = lateness, max_line = max_line, horizon = horizon,
    draws = {}, scopes = {}, ways = {} }
  local scope, mtps, capacity, units, field
  for i = 1, count do
    scope, mtps, capacity, units, field, at = struct.unpack('>BI7I7I7Bc0', text, at)
    local draw = { scope = scope, mtps = mtps, capacity = capacity, units = units, field = field }
    local ways = terms.ways[scope]
    if not ways then
      terms.scopes[#terms.scopes + 1] = scope
      ways = { text = field, draws = {} }
      terms.ways[scope] = ways
    else
      ways.text = ways.text .. ' ' .. field
    end
    terms.draws[i], ways.draws[#ways.draws + 1] = draw, draw
  end
  return terms
end
