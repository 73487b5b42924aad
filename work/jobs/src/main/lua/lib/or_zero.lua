-- A number of Redis, which may be absent.

local function or_zero(number)
  return tonumber(number or 0) or 0
end

return or_zero
