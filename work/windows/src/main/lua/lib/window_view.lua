-- The state of a window, appended to a script's answer; and its TTL.

local number_of = require('window_range').number_of
local text_of = require('window_range').text_of

local WINDOW_KEPT_MS, NO_KEY = 2592000000, -2

-- The TTLs of all keys are renewed together.
local function keep_window(window, now)
  local is_short = false
  for _, key in ipairs(window.keys) do
    local left_ms = window.call('PTTL', key)
    is_short = is_short or left_ms ~= NO_KEY and left_ms < WINDOW_KEPT_MS / 2
  end
  if is_short then
    local until_ms = text_of(math.ceil(now / 1000) + WINDOW_KEPT_MS)
    for _, key in ipairs(window.keys) do
      window.call('PEXPIREAT', key, until_ms)
    end
  end
end

local function with_view(window, answer, now)
  keep_window(window, now)
  local view = { number_of(window, 'next'), number_of(window, 'watermark'), window.call('HLEN', window.ranges),
    window.call('ZCARD', window.todo), window.call('ZCARD', window.times), number_of(window, 'failed') }
  for _, number in ipairs(view) do
    answer[#answer + 1] = number
  end
  return answer
end

return with_view
