-- Selects the buckets that pay for a request: of a bucket and its overflow, the first that has room;
-- if neither has, the one that has room earlier. Payers.java has the same. Returns the paying views
-- and, bit by bit from the lowest on, which of the pairs overflow.

local VIEW = require('queue/view')

local function overflows(view, other)
  if view.cost > view.capacity or other.cost > other.capacity then
    return view.cost > view.capacity
  end
  view.spare, other.spare = 0, 0
  return not VIEW.has_room(view)
    and (VIEW.has_room(other) or VIEW.newcomer_wait_us(other) < VIEW.newcomer_wait_us(view))
end

-- The views that pay, as `is_other` says of each pair.
local function selected(views, is_other)
  local payers, paid, bit = {}, 0, 1
  for i, view in ipairs(views) do
    local other = views[i + 1]
    if not view.demand.overflow and other and other.demand.overflow then
      local pays_other = is_other(view, other, bit)
      payers[#payers + 1] = pays_other and other or view
      paid, bit = pays_other and paid + bit or paid, bit * 2
    elseif not view.demand.overflow then
      payers[#payers + 1] = view
    end
  end
  return payers, paid
end

local PAYERS = {}

function PAYERS.of(views)
  return selected(views, overflows)
end

-- The views that paid for a ticket, by its bits.
function PAYERS.by(views, paid)
  return selected(views, function(_, _, bit)
    return math.fmod(paid, bit * 2) >= bit
  end)
end

return PAYERS
