-- The keys of a queue of jobs by name. `names` are the keys in the order of the scripts' arguments.

local function job_keys_of(names)
  return { numbers = names[1], waiting = names[2], dispatch = names[3], checking = names[4], running = names[5],
    ends = names[6], states = names[7], requests = names[8], results = names[9], counts = names[10], polls = names[11],
    places = names[12], settlements = names[13], all = names }
end

return job_keys_of
