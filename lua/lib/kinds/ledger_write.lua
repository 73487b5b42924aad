-- Writes the counters that have changed.

local counters_layout = require('kinds/counters').counters_layout
local gathered = require('kinds/counters').gathered
local stored_of = require('kinds/ledger').stored_of

local COUNTERS_AT_MOST = 500

-- The limits with numbers to keep, in the order of their names.
local function limits_text(counters)
  local texts = {}
  for _, part in ipairs(counters.layout.parts) do
    stored_of(counters, part.name) -- fills by_name
  end
  for name, counter in pairs(counters.by_name) do
    if (counter[1] or 0) > counters.now and #texts < COUNTERS_AT_MOST then
      texts[#texts + 1] = string.format('%s=%d', name, #counter)
    end
  end
  table.sort(texts)
  return table.concat(texts, ' ')
end

-- Gathers the numbers of counters in the order of their layout. Returns their number, and until
-- when they are needed; nil if the set of limits differs from the layout.
local function gather(counters)
  local layout, now, n, until_us = counters.layout, counters.now, 0, 0
  if counters.has_new then
    return nil
  end
  for _, part in ipairs(layout.parts) do
    local counter = stored_of(counters, part.name)
    if #counter ~= part.width or counter[1] <= now then
      return nil
    end
    for i = 1, part.width do
      gathered[n + i] = counter[i]
    end
    n = n + part.width
    until_us = math.max(until_us, counter[1])
  end
  return n, until_us
end

-- The value of counters, and until when it is needed; nil if there is nothing to keep.
local function counters_value(counters)
  local n, until_us = gather(counters)
  if not n then
    counters.layout = counters_layout(limits_text(counters))
    counters.has_new, counters.has_new_time = false, true
    n, until_us = gather(counters)
  end
  if n == 0 then
    return nil
  end
  return struct.pack(counters.layout.format, n, unpack(gathered, 1, n)) .. counters.layout.text, until_us
end

local function write_counters(ledger, call)
  for state_key, counters in pairs(ledger.by_key) do
    local value, until_us
    if counters.has_changed then
      value, until_us = counters_value(counters)
    end
    if value and not counters.has_new_time then
      call('SET', state_key .. ':counters', value, 'KEEPTTL')
    elseif value then
      call('SET', state_key .. ':counters', value, 'PXAT', string.format('%d', math.ceil(until_us / 1000) + 1000))
    elseif counters.has_changed then
      call('UNLINK', state_key .. ':counters')
    end
  end
end

local function is_same(one, other)
  if #one ~= #other then
    return false
  end
  for i = 1, #one do
    if one[i] ~= other[i] then
      return false
    end
  end
  return true
end

local function put_counter(counters, name, counter, now)
  local stored = stored_of(counters, name)
  if not is_same(counter, stored) then
    counters.by_name[name] = counter
    counters.has_changed, counters.now = true, now
    counters.has_new = counters.has_new or not counters.layout.by_name[name]
    counters.has_new_time = counters.has_new_time or counter[1] ~= stored[1]
  end
end

return { put_counter = put_counter, write_counters = write_counters }
