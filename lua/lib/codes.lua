-- Every code of arguments and answers; Codes.java has the same, a test compares them.
local CODES = {
  -- Statuses: the first number of an answer.
  ALLOWED = 0, DENIED = 1, NEVER_ALLOWED = 2, STALE = 3, FAILED = 4, OUTSIDE = 5, AGAIN = 6, ENDED = 7, REUSED = 8,
  LATER = 9,
  -- Slot modes of a plan.
  RESERVE = 0, ESTIMATE = 1, OFF = 2,
  -- Outcomes of a caller's return to its place.
  NOT = 0, EARLY = 1, KEPT = 2, LATE = 3, UNKNOWN = 4, BROKEN = 5,
  -- How a hold ended.
  UNKNOWN_HOLD = 0, SETTLED = 1, CANCELLED = 2, EXPIRED = 3, RELEASED = 4, OPEN = 5,
  -- Scopes of a bucket.
  KEY = 1, TENANT = 2, CLUSTER = 3,
}

return CODES
