-- A job as the hash of states has it: text, with a space between
--
--   <state> <number> <run> <attempts> <pipeline> <submitted_us> <since_us> <bytes> <holder> <tenant> <subject>
--   <fingerprint> <ahead> <dispatch> <receipt> <sent_us> <story>
--
-- number is its place among all that came; pipeline is single or dual; bytes is what it is counted with; ahead and
-- dispatch are what was before it when it came; holder and receipt are - where there is none; the story is
-- <state>@<us>, with a comma between, the latest ones.
local NUMBERS = { 'number', 'run', 'attempts', 'submitted', 'since', 'bytes', 'ahead', 'dispatch', 'sent' }
local RECORD = '^' .. string.rep('(%S+) ', 16) .. '(%S+)$'

local function job_from(text)
  if not text then
    return nil
  end
  local job = {}
  job.state, job.number, job.run, job.attempts, job.pipeline, job.submitted, job.since, job.bytes, job.holder,
    job.tenant, job.subject, job.fingerprint, job.ahead, job.dispatch, job.receipt, job.sent, job.story =
    string.match(text, RECORD)
  for _, name in ipairs(NUMBERS) do
    job[name] = tonumber(job[name])
  end
  return job
end
