-- Reads the draws of a request from its arguments, four for each, beginning at `first`.
local function draws_of(arguments, first, how_many)
  local draws = {}
  for i = 1, how_many do
    local at = first + (i - 1) * 4
    local field = arguments[at + 1]
    local name, mtps = string.match(field, '^(.+)@(%d+)$')
    draws[i] = {
      state = tonumber(arguments[at]),
      key = field,
      name = name,
      mtps = tonumber(mtps),
      capacity = tonumber(arguments[at + 2]),
      cost = tonumber(arguments[at + 3]),
    }
  end
  return draws
end
