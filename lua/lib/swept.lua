-- Lets go the appointments of a line whose time is over: the first of them, or all where nobody else waits.
-- Changes the state, whose letter is `letter`. Gives how many they were, and how many wait still.
local SWEPT_AT_MOST = 256

local function swept(state, letter, line, at_us)
  local over, texts = 0, {}
  for _, kind in ipairs({ 't', 'p' }) do
    local before = string.format('(%s%016.0f', kind, at_us)
    over = over + redis.call('ZLEXCOUNT', line, '[' .. kind, before)
    for _, text in ipairs(redis.call('ZRANGEBYLEX', line, '[' .. kind, before, 'LIMIT', 0, SWEPT_AT_MOST)) do
      texts[#texts + 1] = text
    end
  end
  local length = redis.call('ZCARD', line)
  if over == length then
    redis.call('DEL', line)
    for _, bucket in pairs(state.buckets) do
      without_line(bucket)
    end
    return over, 0
  end
  if over == 0 then
    return 0, length
  end
  table.sort(texts, function(a, b) return string.sub(a, 2) < string.sub(b, 2) end)
  local places, gone = {}, {}
  for i = 1, math.min(#texts, SWEPT_AT_MOST) do
    places[i], gone[i] = place_of(texts[i]), texts[i]
  end
  redis.call('ZREM', line, unpack(gone))
  released(state, letter, places)
  return #gone, length - #gone
end
