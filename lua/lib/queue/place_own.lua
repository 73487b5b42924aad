-- A place in buckets that are all its key's own, in the fewest steps: see those that make it. A script builds the one
-- that it needs.

local function place_own(call, sha1, value, template, cost, asked, now)
  local place = template.own.count == 1 and require('queue/place_alone') or require('queue/place_together')
  return place(call, sha1, value, template, cost, asked, now)
end

return place_own
