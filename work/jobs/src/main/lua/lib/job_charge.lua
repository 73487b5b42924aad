-- The charges of jobs. The reservation of a charge is in the slot of its tenant, so no script of a queue can end it:
-- the end of a job leaves a settlement, which nodes carry out and then remove. `call` runs a command.
--
-- A settlement is a member of the sorted set of settlements, by the microsecond at which it is due:
--
--   <charge> <tenant> <subject> <cost>
--
-- where the cost is the actual one, in operations; -1 for the charge as it was reserved; or cancelled, to give it
-- back.

local LEASED = require('leased')

local CARRIED_OUT_US = 10000000 -- by then a node has carried out what it was handed, or has died
local AT_ONCE = 100

-- Notes that the upstream may have executed a job that leaves it without an answer that counts.
local function note_attempt(job)
  if job.state == 'in_flight' or job.state == 'receipt_received' then
    job.may_have_run = 1
  end
end

-- Leaves the settlement of a job that ends, before it changes its state. Without a cost from its sender, the charge of
-- a job is given back only if the upstream cannot have executed it.
local function settle_job(call, keys, job, cost, now)
  if job.charge == '' then
    return
  end
  note_attempt(job)
  if cost == '' then
    cost = job.may_have_run == 1 and '-1' or 'cancelled'
  end
  local settlement = string.format('%s %s %s %s', job.charge, job.tenant, job.subject, cost)
  LEASED.hold(call, keys.settlements, settlement, now)
end

-- The settlements that are due, each in a line. They are handed out again unless they are removed soon.
local function due_settlements(call, keys, now)
  local due = LEASED.over(call, keys.settlements, now, AT_ONCE)
  for _, settlement in ipairs(due) do
    LEASED.hold(call, keys.settlements, settlement, now + CARRIED_OUT_US)
  end
  return table.concat(due, '\n')
end

return { due_settlements = due_settlements, note_attempt = note_attempt, settle_job = settle_job }
