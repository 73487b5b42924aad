-- The demands of a charge other than rates, as in the arguments: text, with a semicolon between
-- demands:
--
--   <letter> <scope> <limit> <parameter>...
--
-- with + behind the letter if it is the overflow of the one before it.

require('kinds/congestion')
require('kinds/permit')
require('kinds/quota')
local KINDS = require('kinds/kinds').KINDS
local memo = require('memo').memo

local function bytes_of(text)
  return 500 + 40 * #text
end

-- Each demand as the metatable of those that charges fill.
local parsed_of = memo(function(text)
  local parsed = {}
  for letter, sign, scope, name, at in string.gmatch(text, '(%l)(%+?) (%d) (%S+) ()[^;]+') do
    local demand = { letter = letter, overflow = sign == '+', scope = tonumber(scope), name = name,
      kind = KINDS[letter] }
    demand.kind.read(demand, text, at)
    parsed[#parsed + 1] = { __index = demand }
    parsed.has_levels = parsed.has_levels or demand.bucket ~= nil
  end
  return parsed
end, bytes_of)

local function others_of(text)
  local parsed = parsed_of(text)
  local others = { has_levels = parsed.has_levels }
  for i, of in ipairs(parsed) do
    -- The fields that a charge sets.
    others[i] = setmetatable({ counters = false, standing = false, permits_key = false, held = 0 }, of)
  end
  return others
end

return others_of
