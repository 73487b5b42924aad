-- Removes the description of a node that ends: nobody has to miss it.
--
-- KEYS
--   1      weir:nodes:seen hash, as of node_put.lua
-- ARGV
--   1      node           text: its name
-- RETURNS
--   { removed }           1 if there was a record, else 0
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   as it was

return { redis.call('HDEL', KEYS[1], ARGV[1]) }
