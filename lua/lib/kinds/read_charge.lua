-- Reads the charges of take.lua and peek.lua.

local hold_of = require('kinds/mixed').hold_of
local others_of = require('kinds/others_of')
local asked_of = require('queue/asked')

local FORMAT, BYTES, WIDTH, NOTHING = 'I2I7I2I2I2I2I2I2I2I7', 30, 10, {}

-- The numbers of all charges.
local function numbers_of(lane)
  local text = lane.arguments[1]
  return { struct.unpack('>' .. string.rep(FORMAT, (#text - 9) / BYTES), text, 10) }
end

-- Reads the charge behind a position; `known` has the demands other than rates, by argument.
local function read_charge(lane, charges, base, known)
  local keys, arguments = lane.keys, lane.arguments
  local others, hold = charges[base + 6], arguments[charges[base + 7]]
  local key, tenant, cluster = charges[base + 3], charges[base + 4], charges[base + 5]
  if others > 0 and not known[others] then
    known[others] = others_of(arguments[others])
  end
  return { cost = charges[base + 2], least = charges[base + 10], keys = { key, tenant, cluster },
    state_keys = { keys[key], keys[tenant], keys[cluster] }, others = known[others] or NOTHING,
    others_text = arguments[others] or '', hold = hold and hold_of(hold, keys[key]),
    template_text = arguments[charges[base + 1]],
    asked = asked_of(arguments[charges[base + 8]], keys[charges[base + 9]]) }
end

return { WIDTH = WIDTH, numbers_of = numbers_of, read_charge = read_charge }
