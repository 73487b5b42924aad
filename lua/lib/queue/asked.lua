-- The ticket data of a caller, text: <within> <secret> <ticket>
--   within   microseconds: the longest wait for which a ticket is wanted, -1 for never
--   secret   22 unguessable characters, or empty: signs the tickets of the key if it has no secret
--   ticket   the ticket that the caller shows, or empty
-- `bits` is the key of the unused tickets; `always` whether a ticket is wanted for any wait.

local ANY_WAIT_US = 4503599627370495
local NOTHING = { within = -1, always = false, secret = '', ticket = '' }

local function asked_of(text, bits)
  if not text then
    return NOTHING
  end
  local within, secret, ticket = string.match(text, '^(%S+) (%S*) (%S*)$')
  local within_us = tonumber(within)
  return { within = within_us, always = within_us >= ANY_WAIT_US, secret = secret, ticket = ticket, bits = bits }
end

return asked_of
