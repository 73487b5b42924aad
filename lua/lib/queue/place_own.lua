-- Decides on equal charges in buckets that are all their key's own, in few steps: most places of callers that want
-- tickets in the fewest. A script builds what it needs.

-- The value of the state of the key after so many charges, until when it is stored, and their answers. Nil if something
-- else decides; then nothing has changed.
local function place_own(call, sha1, value, template, cost, asked, now, times)
  if asked.always and asked.ticket == '' and times == 1 then
    local place = template.own.count == 1 and require('queue/place_alone') or require('queue/place_together')
    local left, expires_ms, answer = place(call, sha1, value, template, cost, asked, now)
    if left then
      return left, expires_ms, { answer }
    end
  end
  return require('queue/decide_own')(call, sha1, value, template, cost, asked, now, times)
end

return place_own
