-- The clock of tests, for scripts with plain arguments: the last one is the instant, in
-- microseconds since the epoch.
local function now_us()
  return tonumber(ARGV[#ARGV])
end
