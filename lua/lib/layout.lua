-- The one description of a state's value, packed, most significant byte first:
--
--   count       2 bytes: how many fields
--   at_us       7 bytes: when it was written
--   revision    7 bytes: the newest policy that has decided on it
--   expires_ms  6 bytes: when Redis forgets it
--   numbers     7 bytes for each field
--   fields      text: their names, with a space between
--
-- A field is <bucket>@<rate> for the units used; the other fields are there only where somebody waits. A rate is
-- <units drained a microsecond>/<units of one operation>, in lowest terms: it says what a unit is. How many drain a
-- microsecond is all that is needed to know how long a level takes to drain, whatever its units.
local LAYOUT = {
  -- Where the numbers of the head stand among all numbers, and where those of the fields begin.
  AT = 2, REVISION = 3, EXPIRES = 4, BEFORE_FIELDS = 4,
  HEAD = '>I2I7I7I6', HEAD_BYTES = 22, NUMBER = 'I7', NUMBER_BYTES = 7,
}
