-- The counters of a key, a tenant or the cluster, of limits that are no rates: text, <limit>=<number>,<number>...
-- with a space between. The first number is the instant after which it is forgotten; an absent one is 0.
local function numbers_from(text)
  local first, second, third, fourth, rest = string.match(text, '^(%d+),?(%d*),?(%d*),?(%d*)(.*)$')
  local numbers = { tonumber(first), tonumber(second), tonumber(third), tonumber(fourth) }
  for number in string.gmatch(rest, '%d+') do
    numbers[#numbers + 1] = tonumber(number)
  end
  return numbers
end

-- By name, the text of each.
local function counters_from(text)
  local texts = {}
  for name, numbers in string.gmatch(text or '', '(%S+)=(%S+)') do
    texts[name] = numbers
  end
  return texts
end
