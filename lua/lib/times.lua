-- The constants of time and of size for places; SlotLimits.java has the same, a test compares them.
local TIMES = {
  SECOND_US = 1000000,
  -- How much a caller must be able to miss its slot for a place to be worth making.
  TOLERANCE_US = 20000,
  -- The travel time of an answer and the next request, for a caller that waits whole seconds.
  ON_ITS_WAY_US = 30000,
  -- How much a slot may be delayed so that its place can be held.
  MAX_PUT_OFF_US = 150000,
  -- How far ahead an estimate of a bucket of the cluster is at most.
  SHARED_SPREAD_US = 10000000,
  -- How long a queue is kept after its last place, so that its TTL is rarely set.
  KEPT_US = 60000000,
  -- How many overdue places one charge removes at most, unless all are overdue.
  SWEPT_AT_MOST = 16,
  -- The largest number a level may reach, unclaimed included.
  MAX_UNITS = 9007000000000000,
}

return TIMES
