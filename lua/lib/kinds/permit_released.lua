-- The numbers to store after a permit was given back, as Permits.java has them.

local FURTHEST_US = require('kinds/permit').FURTHEST_US
local permits_until = require('kinds/permit').permits_until

local function permit_released(stored, now)
  local before, average = stored[2] or 0, stored[3] or 0
  local passed = math.max(0, math.min(FURTHEST_US, now - before))
  local moved = average == 0 and passed or math.floor((average * 7 + passed) / 8)
  return { permits_until(stored, now), now, before == 0 and 0 or moved, stored[4] or 0 }
end

return permit_released
