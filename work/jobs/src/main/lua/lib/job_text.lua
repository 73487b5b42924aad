-- Formats a job as of job_record.lua.

local function charge_of(job)
  return job.charge == '' and '' or string.format(' %s %d', job.charge, job.may_have_run)
end

local function job_text(job)
  return string.format('%s %d %d %d %s %d %d %d %s %s %s %s %d %d %s %d %s%s', job.state, job.number, job.run,
    job.attempts, job.pipeline, job.submitted, job.since, job.bytes, job.holder, job.tenant, job.subject,
    job.fingerprint, job.ahead, job.dispatch, job.receipt, job.sent, job.story, charge_of(job))
end

return job_text
