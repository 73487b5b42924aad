-- The ticket data of a caller, text: <within> <secret> <ticket>
--   within   microseconds: the longest wait for which a ticket is wanted, -1 for never
--   secret   22 unguessable characters, or empty: signs the tickets of the key if it has no secret
--   ticket   the ticket that the caller shows, or empty
-- `bits` is the key of the unused tickets.

local NOTHING = { within = -1, secret = '', ticket = '' }

local function asked_of(text, bits)
  if not text then
    return NOTHING
  end
  local within, secret, ticket = string.match(text, '^(%S+) (%S*) (%S*)$')
  return { within = tonumber(within), secret = secret, ticket = ticket, bits = bits }
end

return asked_of
