-- The values of the keys, by the index of the key; false if there is none, an empty text for a
-- value of another type. The first key is the policy and has none; the states follow, up to `last`.
-- `call` runs a command.

local function values_of(call, keys, last)
  local values, absent = call('MGET', unpack(keys, 1, last)), false
  for k = 2, last do
    if not values[k] then
      absent = absent or {}
      absent[#absent + 1] = keys[k]
    end
  end
  if absent and call('EXISTS', unpack(absent)) > 0 then
    for k = 2, last do
      values[k] = values[k] or call('EXISTS', keys[k]) > 0 and ''
    end
  end
  return values
end

return values_of
