-- The meaning of the numbers of a state with these fields. There are few layouts and many states,
-- so each layout is kept. A part names the bucket of one number, and which of
-- its values it is.

local memo = require('memo').memo
local LAYOUT = require('state/layout')

local function part_of(field)
  local key, name, rate, what = string.match(field, '^(([^@]+)@(%d+)[/%d]*)%.?(%S*)$')
  if not name then
    return { what = 'unknown' }
  end
  return { name = name, key = key, rate = tonumber(rate), what = what == '' and 'used' or what }
end

-- The positions of the lowest levels among the numbers, and behind each the position of its bucket; false if there are
-- none, nil if one has no bucket.
local function lows_of(parts, index)
  local lows = {}
  for i, part in ipairs(parts) do
    if part.what == 'low' and not index[part.key] then
      return nil
    elseif part.what == 'low' then
      lows[#lows + 1], lows[#lows + 2] = i + LAYOUT.BEFORE_FIELDS, index[part.key]
    end
  end
  return #lows > 0 and lows
end

local function bytes_of(text)
  return 1500 + 40 * #text
end

local layout_of = memo(function(text)
  local fields, index, names, rates, parts, n, is_plain, is_broken = {}, {}, {}, {}, {}, 0, true, false
  for field in string.gmatch(text, '%S+') do
    n = n + 1
    local part = part_of(field)
    fields[n], index[field], parts[n], rates[n] = field, n + LAYOUT.BEFORE_FIELDS, part, part.rate
    if part.what == 'used' and part.name then
      names[part.name] = field
    elseif part.what ~= 'low' then
      is_plain = false
    end
    is_broken = is_broken or part.rate == 0
  end
  local lows = lows_of(parts, index)
  return { text = text, count = is_broken and -1 or n, fields = fields, index = index, names = names, rates = rates,
    parts = parts, lows = lows, is_plain = is_plain and lows ~= nil,
    format = LAYOUT.HEAD .. string.rep(LAYOUT.NUMBER, n) }
end, bytes_of)

return layout_of
