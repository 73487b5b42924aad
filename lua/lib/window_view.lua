-- Uses window_range. How a window stands, behind what a script answers; and for how long it is kept.
local WINDOW_KEPT_MS = 2592000000

local function keep_window(window, now)
  local until_ms = text_of(math.ceil(now / 1000) + WINDOW_KEPT_MS)
  for _, key in ipairs(window.keys) do
    if window.call('PTTL', key) < WINDOW_KEPT_MS / 2 then
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
