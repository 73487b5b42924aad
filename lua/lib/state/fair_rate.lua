-- The rate of one client of a divided limit. Everybody gets the demand and an equal part of the rest,
-- or the demand up to an equal part. `whole` is the rate to divide, with that of assignments that end.

local floor_div = require('floor_div')

-- Above 0, so that the rate of a client that begins is, too.
local function want(holder)
  return holder.demand + 1
end

local function fair_rate(pool, mine, whole)
  local rest, wants, sum = whole, {}, 0
  for _, ending in pairs(pool.endings) do
    rest = rest - ending.rate
  end
  rest = math.max(0, rest)
  for _, holder in pairs(pool.holders) do
    wants[#wants + 1], sum = want(holder), sum + want(holder)
  end
  if sum <= rest then
    return want(mine) + floor_div(rest - sum, #wants)
  end
  table.sort(wants)
  local part = 0
  for i = 1, #wants do
    part = floor_div(rest, #wants - i + 1)
    if wants[i] > part then
      break
    end
    rest = rest - wants[i]
  end
  return math.min(want(mine), part)
end

return fair_rate
