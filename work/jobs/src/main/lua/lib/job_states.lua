-- The allowed next states of each state of a job, as JobState.java has them. The other states are
-- ends.

local NEXT_STATES = {
  queued = { checking = true, in_flight = true, completed = true, timed_out = true, failed = true,
    cancelled = true },
  checking = { queued = true, ready = true, completed = true, timed_out = true, failed = true, cancelled = true },
  ready = { in_flight = true, completed = true, timed_out = true, failed = true, cancelled = true },
  in_flight = { queued = true, ready = true, receipt_received = true, completed = true, timed_out = true,
    failed = true, cancelled = true },
  receipt_received = { completed = true, timed_out = true, failed = true, cancelled = true },
}

return NEXT_STATES
