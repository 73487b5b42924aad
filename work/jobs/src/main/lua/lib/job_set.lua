-- The sets of jobs.

-- The sorted set of a job; nil if it has ended.
local function set_of(keys, job)
  if job.state == 'queued' then
    return job.pipeline == 'dual' and keys.waiting or keys.dispatch
  elseif job.state == 'ready' then
    return keys.dispatch
  elseif job.state == 'checking' then
    return keys.checking
  elseif job.state == 'in_flight' or job.state == 'receipt_received' then
    return keys.running
  end
  return nil
end

return set_of
