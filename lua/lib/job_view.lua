-- What is told of a queue and of a job. Uses job_keys. `call` runs a command.
local BYTES_OF_JOB = 500 -- what a job is counted with beside its request and its result

local function or_zero(number)
  return tonumber(number or 0) or 0
end

-- { now, waiting, dispatch, checking, running, check_us, processing_us }
local function queue_view(call, keys, now)
  local seen = call('HMGET', keys.numbers, 'check_us', 'processing_us')
  return { now, call('ZCARD', keys.waiting), call('ZCARD', keys.dispatch), call('ZCARD', keys.checking),
    call('ZCARD', keys.running), or_zero(seen[1]), or_zero(seen[2]) }
end

-- The jobs before one that waits, without those that were given back to the front, and with them; -1 and 0 of others.
local function position_of(call, keys, id, job)
  local set = (job.state == 'queued' or job.state == 'ready') and set_of(keys, job)
  local rank = set and call('ZRANK', set, id)
  if not rank then
    return -1, 0
  end
  local is_back = tonumber(call('ZSCORE', set, id)) < 0
  return is_back and rank or rank - call('ZCOUNT', set, '-inf', '(0'), rank
end

-- Adds { id, job, position, ahead } to an answer.
local function add_view(call, keys, answer, id, job)
  local position, ahead = position_of(call, keys, id, job)
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4] = id, job_text(job), position, ahead
  return answer
end

-- Lets all keys live so long from now, once a minute.
local function keep_queue(call, keys, life_us, now)
  local until_ms = math.ceil((now + life_us) / 1000)
  if until_ms - or_zero(call('HGET', keys.numbers, 'kept_ms')) < 60000 then
    return
  end
  call('HSET', keys.numbers, 'kept_ms', string.format('%d', until_ms))
  for _, key in ipairs(keys.all) do
    call('PEXPIREAT', key, string.format('%d', until_ms))
  end
end
