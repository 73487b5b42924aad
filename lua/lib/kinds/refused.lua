-- The answer to a charge of several kinds if a limit is full; nil if none is. `wait` and `is_never`
-- are the results of the rates.

local CODES = require('codes')
local answer_of = require('kinds/mixed').answer_of
local keep_counters = require('kinds/mixed_take').keep_counters

local function refused(charge, looked, used, wait, is_never)
  if is_never or looked.is_never then
    return answer_of(CODES.NEVER_ALLOWED, used, charge, looked, 0)
  elseif wait or looked.wait_us then
    keep_counters(charge, 'denied')
    local answer = answer_of(CODES.DENIED, used, charge, looked, 0)
    answer[#answer + 1], answer[#answer + 2] = math.max(wait or 0, looked.wait_us or 0), 1
    return answer
  end
  return nil
end

return refused
