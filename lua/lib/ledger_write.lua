-- Writes the counters that have changed.
local COUNTERS_AT_MOST = 500

local function until_of(counter)
  return type(counter) == 'string' and tonumber(string.match(counter, '^%d+')) or counter[1]
end

-- The text of counters, and until when it is worth keeping; nil where nothing is.
local function counters_text(counters, now)
  local texts, until_us = {}, now
  for name, counter in pairs(counters) do
    local kept_us = until_of(counter)
    if kept_us > now and #texts < COUNTERS_AT_MOST then
      if type(counter) == 'table' then
        counter = string.format('%d' .. string.rep(',%d', #counter - 1), unpack(counter))
      end
      texts[#texts + 1] = name .. '=' .. counter
      until_us = math.max(until_us, kept_us)
    end
  end
  if #texts == 0 then
    return nil
  end
  table.sort(texts)
  return table.concat(texts, ' '), until_us
end

local function write_counters(ledger, call)
  for state_key, counters in pairs(ledger) do
    local text, until_us
    if counters.has_changed then
      text, until_us = counters_text(counters.by_name, counters.now)
    end
    if text then
      call('SET', state_key .. ':counters', text, 'PXAT', string.format('%d', math.ceil(until_us / 1000) + 1000))
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
  if not is_same(counter, stored_of(counters, name)) then
    counters.by_name[name] = #counter > 0 and counter or nil
    counters.has_changed, counters.now = true, now
  end
end
