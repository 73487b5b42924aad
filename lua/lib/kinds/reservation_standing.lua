-- The standing of a reservation, by its text: open, expired if it was not ended in time, ended, or
-- nil. An ended one is kept for a while.

local function reservation_standing(text, now)
  local ends_us = text and string.match(text, '^ended %d %d+ (%d+)$')
  if not text or ends_us and tonumber(ends_us) <= now then
    return nil
  end
  if ends_us then
    return 'ended'
  end
  return tonumber(string.match(text, '^open (%d+)')) > now and 'open' or 'expired'
end

return reservation_standing
