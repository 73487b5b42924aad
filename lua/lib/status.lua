-- What a decision says; the first integer of every answer. The same codes stand in Status.java.
local ALLOWED, DENIED, NEVER_ALLOWED, STALE, FAILED = 0, 1, 2, 3, 4
