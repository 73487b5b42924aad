-- The keys of a queue of jobs by their names. `names` are the keys in the order of the scripts' arguments.
local function job_keys_of(names)
  return { numbers = names[1], waiting = names[2], dispatch = names[3], checking = names[4], running = names[5],
    ends = names[6], states = names[7], requests = names[8], results = names[9], counts = names[10], polls = names[11],
    all = names }
end

-- The sorted set in which a job is; nil where it has ended.
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
