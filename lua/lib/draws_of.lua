-- Reads the draws of a request from its arguments, four for each, beginning at `first`.
local function draws_of(arguments, first, how_many)
  local draws = {}
  for i = 1, how_many do
    local at = first + (i - 1) * 4
    local field = arguments[at + 1]
    local mark = string.find(field, '@', 1, true)
    draws[i] = {
      state = tonumber(arguments[at]),
      key = field,
      name = string.sub(field, 1, mark - 1),
      mtps = tonumber(string.sub(field, mark + 1)),
      capacity = tonumber(arguments[at + 2]),
      cost = tonumber(arguments[at + 3]),
    }
  end
  return draws
end
