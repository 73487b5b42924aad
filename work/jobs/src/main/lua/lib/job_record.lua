-- A job in the hash of states: text, with a space between
--
--   <state> <number> <run> <attempts> <pipeline> <submitted_us> <since_us> <bytes> <holder>
--   <tenant> <subject> <fingerprint> <ahead> <dispatch> <receipt> <sent_us> <story>
--
-- and, if its charge is to be settled (job_charge.lua), after that
--
--   <charge> <may_have_run>
--
-- number is its order of arrival among all jobs; pipeline is single or dual; bytes is the size it
-- is counted with; ahead and dispatch are the jobs before it when it arrived; holder and receipt
-- are - if there is none; the story is the latest steps, <state>@<us>, with a comma between; charge is
-- the id of its reservation; may_have_run is 1 if the upstream may have executed it in an attempt that
-- is over.

local NUMBERS = { 'number', 'run', 'attempts', 'submitted', 'since', 'bytes', 'ahead', 'dispatch', 'sent',
  'may_have_run' }
local SIX = '(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) '
local RECORD = '^' .. SIX .. SIX .. '(%S+) (%S+) (%S+) (%S+) (%S+) ?(%S*) ?(%d?)$'

local function job_from(text)
  if not text then
    return nil
  end
  local job = {}
  job.state, job.number, job.run, job.attempts, job.pipeline, job.submitted, job.since, job.bytes, job.holder,
    job.tenant, job.subject, job.fingerprint, job.ahead, job.dispatch, job.receipt, job.sent, job.story, job.charge,
    job.may_have_run =
    string.match(text, RECORD)
  for _, name in ipairs(NUMBERS) do
    job[name] = tonumber(job[name])
  end
  return job
end

return job_from
