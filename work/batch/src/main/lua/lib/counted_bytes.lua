-- Counts the bytes of an API key's answers. The count restarts when its key expires. `call` runs a
-- command.

local BYTES_OF_CLAIM = 400

local function count_bytes(call, key, bytes, keep_ms)
  if call('INCRBY', key, bytes) == bytes then
    call('PEXPIRE', key, keep_ms)
  end
end

return { BYTES_OF_CLAIM = BYTES_OF_CLAIM, count_bytes = count_bytes }
