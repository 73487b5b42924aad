-- The constants of time and of size for places; SlotLimits.java has the same, a test compares them.
local TIMES = {
  SECOND_US = 1000000,
  -- The number of bins of a calendar.
  BINS = 64,
  -- The same, of a calendar with fine bins.
  FINE_BINS = 128,
  -- The widest bin of a bucket whose operations take less than eight times as long.
  WIDEST_US = 250000,
  -- How far ahead a bucket of a tenant or of the cluster makes places, and the interval in which it counts
  -- those that wait: at least this, and so many of its operations.
  SHARED_US = 2000000,
  SHARED_OPERATIONS = 4,
  -- A key's own turns count if those of its bucket are further away by this factor, and an interval.
  PUSHED = 4,
  -- A key whose callers have no tickets is within its share if its turn is sooner than others' by this factor, and an
  -- interval.
  PASSED_OVER = 2,
  -- A calendar counts in parts of its capacity as small as this, or in single units.
  QUANTA = 17592186044416,
  -- The parts of the rate that may be promised if all callers return.
  WHOLE = 64,
  -- How many tickets of a key may be open at once, at most.
  TICKETS = 16384,
  -- How many instants a key keeps at which callers without tickets are to return.
  MOMENTS = 64,
  -- How many whole seconds are tried for a place of a caller without a ticket, from the first with room on.
  SECONDS_TRIED = 16,
  -- The travel time of an answer and the next request, for a caller that waits whole seconds.
  ON_ITS_WAY_US = 50000,
  -- In which callers without tickets count as those that come together.
  SLICE_US = 125000,
  -- How far ahead an estimate is: at least this, the whole calendar, and so many of its costs.
  FURTHEST_US = 60000000,
  TURNS = 64,
  -- How far ahead an estimate with a ticket is, in costs, if all that is promised is claimed.
  TICKET_TURNS = 2048,
  -- How long after its slot a ticket shows that its holder has waited: at least this, and one operation of the bucket.
  WAITED_US = 10000000,
  -- The longest time of one cost that shares and turns count: a year.
  LONGEST_US = 31536000000000,
  -- The longest wait for a bucket, 71 years: an instant so far ahead is exact.
  MOST_WAIT_US = 2251799813685248,
  -- The most waiting keys of a bucket that are counted.
  MOST_WAITING = 65535,
  -- The largest level.
  MAX_UNITS = 9007000000000000,
}

return TIMES
