-- The TTL of the keys of an upstream. `call` runs a command.

local UPSTREAM_KEPT_MS = 7200000

local function keep_upstream(call, keys, now)
  local until_ms = string.format('%d', math.ceil(now / 1000) + UPSTREAM_KEPT_MS)
  for _, key in ipairs(keys) do
    if call('PTTL', key) < UPSTREAM_KEPT_MS / 2 then
      call('PEXPIREAT', key, until_ms)
    end
  end
end

return keep_upstream
