-- The one description of a state's value, packed, most significant byte first:
--
--   count       2 bytes: how many fields; 32768 more if there is a queue
--   at_us       7 bytes: when it was written
--   revision    7 bytes: the newest policy that has decided on it
--   expires_ms  6 bytes: when it expires
--   numbers     7 bytes for each field
--   fields      text: their names, with a space between
--   queue       only while requests wait: a line feed, and what state/queue_part.lua says
--
-- A field is <bucket>@<rate> for the units used, <bucket>@<rate>.debt for what is owed beyond the
-- capacity, and <bucket>@<rate>.low while reservations may give units back: the lowest level since their
-- marks were stored (kinds/marks.lua). A rate is <units drained a microsecond>/<units of one operation>,
-- in lowest terms: it defines the unit. The units drained a microsecond suffice to compute how long a
-- level takes to drain.

local LAYOUT = {
  -- Positions of the numbers of the head among all numbers, and the last one before those of the
  -- fields.
  AT = 2, REVISION = 3, EXPIRES = 4, BEFORE_FIELDS = 4,
  HEAD = '>I2I7I7I6', HEAD_BYTES = 22, NUMBER = 'I7', NUMBER_BYTES = 7, HAS_QUEUE = 32768,
}

return LAYOUT
