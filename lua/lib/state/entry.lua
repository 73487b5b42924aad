-- An entry of equal charges in the arguments of charge.lua: how it is packed, and where the first one begins.

local ENTRY = { FORMAT = 'I2I2I7I2I2I2I2I2', BYTES = 21, FIRST = 10 }

-- Whether it comes without a ticket: nothing is behind the last space of its ticket data, if it has any.
function ENTRY.is_newcomer(data)
  return not data or string.byte(data, -1) == 32
end

return ENTRY
