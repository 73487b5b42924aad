-- Returns the states of jobs, and their results.
--
-- KEYS
--   1 to 13  as of job_submit.lua
-- ARGV
--   1        the <tenant>/<subject> of the caller, for counting its polls; else ''
--   2        1 if results are wanted, else 0
--   3        the ids of jobs, with a comma between
-- RETURNS
--   { <queue>, then for each id: <job>, polls, result }
--   where <queue> and <job> are as of lib/job_queue.lua and lib/job_view.lua; an unknown job has an
--   empty text, position -1, 0 polls and an empty result; polls is how often its caller asked,
--   below 0 once that caller has received the end of the job; the result is '' if there is none
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   that of the queue

local job_time = require('job_clock')
local job_keys_of = require('job_keys')
local queue_view = require('job_queue')
local job_from = require('job_record')
local NEXT_STATES = require('job_states')
local add_view = require('job_view')
local clock = require('now')
local or_zero = require('or_zero')

local now_us = clock(ARGV)

local keys = job_keys_of(KEYS)
local owner, with_results = ARGV[1], ARGV[2] == '1'
local answer = queue_view(redis.call, keys, (job_time(redis.call, keys, now_us(1))))

-- Polls are no longer counted once the caller has received the end of the job.
local function polls_of(id, job)
  local polls = or_zero(redis.call('HGET', keys.polls, id))
  if owner ~= job.tenant .. '/' .. job.subject or polls < 0 then
    return polls
  end
  polls = polls + 1
  redis.call('HSET', keys.polls, id, NEXT_STATES[job.state] and string.format('%d', polls) or '-1')
  return polls
end

for id in string.gmatch(ARGV[3], '[^,]+') do
  local job = job_from(redis.call('HGET', keys.states, id))
  local n = #answer
  if job then
    add_view(redis.call, keys, answer, id, job)
    answer[n + 4] = polls_of(id, job)
    answer[n + 5] = with_results and redis.call('HGET', keys.results, id) or ''
  else
    answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4], answer[n + 5] = id, '', -1, 0, ''
  end
end
return answer
