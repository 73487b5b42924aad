-- Claims that a warning is told: of all nodes that see a limit fill up, one tells it.
--
-- KEYS
--   1      weir:warning:RULE:TO:AGAIN:OWNER:LIMIT:AT  text: the node that tells it
-- ARGV
--   1      node            text
--   2      lasts_ms        whole number > 0: for so long nobody tells it again
-- RETURNS
--   { 0 } if this node is to tell it, else { ms } after which it may be told again, at least 1
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   lasts_ms

if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', tonumber(ARGV[2])) then
  return { 0 }
end
return { math.max(1, redis.call('PTTL', KEYS[1])) }
