-- When Redis may forget what is worth keeping until `until_us`, in milliseconds: up to as long again and a second
-- later, so that it is rarely set anew.
local function expiry_of(until_us, now)
  local until_ms, now_ms = math.ceil(until_us / 1000), math.floor(now / 1000)
  return 2 * until_ms - math.min(now_ms, until_ms) + 1000
end
