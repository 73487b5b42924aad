-- The last claims of nodes: <node>:<number> <us> <ids>, with commas between the ids, by the node. A node
-- whose answer was lost names its claim with the next one. `call` runs a command.

local or_zero = require('or_zero')

local TWO_HOURS_US = 7200000000

-- The last claim of a node, and the ids that it was handed out; nil if there is none.
local function last_claim(call, keys, node)
  local before = call('HGET', keys.numbers, 'claim:' .. node)
  return string.match(before or '', '^(%S+) %d+ (%S+)$')
end

-- Records the jobs handed out, until the node's next claim.
local function note_claim(call, keys, node, holder, ids, now)
  if #ids > 0 then
    call('HSET', keys.numbers, 'claim:' .. node, string.format('%s %d %s', holder, now, table.concat(ids, ',')))
  else
    call('HDEL', keys.numbers, 'claim:' .. node)
  end
end

-- Removes records of nodes that have died; every two hours.
local function forget_old_claims(call, keys, now)
  if now - or_zero(call('HGET', keys.numbers, 'claims_us')) < TWO_HOURS_US then
    return
  end
  call('HSET', keys.numbers, 'claims_us', string.format('%d', now))
  local fields = call('HGETALL', keys.numbers)
  for i = 1, #fields, 2 do
    local noted_us = string.match(fields[i], '^claim:') and string.match(fields[i + 1], '^%S+ (%d+) ')
    if noted_us and tonumber(noted_us) < now - TWO_HOURS_US then
      call('HDEL', keys.numbers, fields[i])
    end
  end
end

return { forget_old_claims = forget_old_claims, last_claim = last_claim, note_claim = note_claim }
