-- The clock of rehearsals and tests: the last argument, in microseconds since the epoch.
local function now_us()
  return tonumber(ARGV[#ARGV])
end
