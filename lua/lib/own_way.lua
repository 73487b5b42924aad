-- How the state of a key takes charges by these terms where it holds just their buckets, and they are all of the
-- key: by the places of its numbers. Nil where some buckets are of others.
local function own_way(terms)
  local count = #terms.draws
  if #terms.scopes > 1 or terms.scopes[1] ~= 1 then
    return nil
  end
  local own = { text = terms.ways[1].text, from = BEFORE_NUMBERS + 7 * count + 1, last = BEFORE_FIELDS + count,
    format = '>BI7I7I6' .. string.rep('I7', count), mtps = {}, units = {}, capacity = {} }
  for i, draw in ipairs(terms.draws) do
    local j = i + BEFORE_FIELDS
    own.mtps[j], own.units[j], own.capacity[j] = draw.mtps, draw.units, draw.capacity
  end
  return own
end
