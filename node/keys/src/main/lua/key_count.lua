-- Counts the keys of a tenant in some parts of the index.
--
-- KEYS
--   1...   weir:{p}:apikeys:<n>   sorted sets: the members of the parts, each with the score 0
-- ARGV
--   1, 2   bounds       of the tenant's members, as ZRANGEBYLEX has them
--   3      most         to count
-- RETURNS
--   { count }           if there are more than most, any number above it
-- ERRORS
--   only those of wrong arguments
-- TTL
--   none: nothing is written

local lower, upper = ARGV[1], ARGV[2]
local most = tonumber(ARGV[3])
local count = 0
for i = 1, #KEYS do
  if count <= most then
    local members = redis.call('ZRANGEBYLEX', KEYS[i], lower, upper, 'LIMIT', 0, most + 1 - count)
    count = count + #members
  end
end
return { count }
