-- The answer to a charge whose decision raised an error.

local CODES = require('codes')

local function failed(failure)
  local text = type(failure) == 'table' and failure.err or tostring(failure)
  if string.find(text, '^-?READONLY ') then
    error(failure, 0) -- a replica takes nothing of any charge: the master is another node
  end
  return { CODES.FAILED, text }
end

return failed
