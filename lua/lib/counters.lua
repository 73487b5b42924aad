-- The counters of a key, a tenant or the cluster, of limits that are no rates: text, <limit>=<number>,<number>...
-- with a space between. The first number is the instant after which it is forgotten; an absent one is 0.
-- By name, those whose time is not over.
local function counters_from(text, now)
  local counters = {}
  for name, numbers in string.gmatch(text or '', '(%S+)=(%S+)') do
    local counter = {}
    for number in string.gmatch(numbers, '%d+') do
      counter[#counter + 1] = tonumber(number)
    end
    if counter[1] > now then
      counters[name] = counter
    end
  end
  return counters
end
