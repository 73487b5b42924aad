-- What is known of a reservation, by its text: open, ended, or nil. How one ended is known for a while.
local function reservation_standing(text, now)
  local ends_us = text and string.match(text, '^ended %d %d+ (%d+)$')
  if not text or ends_us and tonumber(ends_us) <= now then
    return nil
  end
  return ends_us and 'ended' or 'open'
end
