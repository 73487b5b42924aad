-- The expiry of a value that is needed until `until_us`, in milliseconds: the TTL is twice that
-- time plus 1 s, so that it is rarely rewritten.

local function expiry_of(until_us, now)
  local until_ms, now_ms = math.ceil(until_us / 1000), math.floor(now / 1000)
  return 2 * until_ms - math.min(now_ms, until_ms) + 1000
end

return expiry_of
