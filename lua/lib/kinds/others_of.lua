-- The demands of a charge other than rates, as in the arguments: text, with a semicolon between
-- demands:
--
--   <letter> <scope> <limit> <parameter>...
--
-- with + behind the letter if it is the overflow of the one before it. Uses KINDS.
local function others_of(text)
  local others = {}
  for letter, sign, scope, name, at in string.gmatch(text, '(%l)(%+?) (%d) (%S+) ()[^;]+') do
    -- With the fields that a charge sets later, so that the table has the room.
    local demand = { letter = letter, overflow = sign == '+', scope = tonumber(scope), name = name,
      kind = KINDS[letter], counters = false, standing = false, permits_key = false, held = 0 }
    demand.kind.read(demand, text, at)
    others[#others + 1] = demand
    others.has_levels = others.has_levels or demand.bucket ~= nil
  end
  return others
end
