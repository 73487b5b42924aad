-- The fields of a job's record (job_record.lua) that counters and sets follow from. A queue has many jobs: the other
-- fields are not read.

local COUNTED = '^(%S+) (%d+) %S+ %S+ (%S+) (%d+) (%d+) (%d+) %S+ (%S+) (%S+) '

-- Nil if the text is no record.
local function counted_job(text)
  local state, number, pipeline, submitted, since, bytes, tenant, subject = string.match(text, COUNTED)
  return state and { state = state, number = tonumber(number), pipeline = pipeline, submitted = tonumber(submitted),
    since = tonumber(since), bytes = tonumber(bytes), tenant = tenant, subject = subject }
end

return counted_job
