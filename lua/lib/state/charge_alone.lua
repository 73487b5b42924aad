-- A call with one entry, of callers without tickets, on one state that has exactly the buckets of their template and of
-- which nobody waits: the fewest steps and tables. A call of one decision is short, so that reading code and collecting
-- tables are half of its time.

local ENTRY = require('state/entry')
local is_newcomer = require('state/entry').is_newcomer
local is_settled = require('state/policy_of').is_settled
local head_of = require('state/short').head_of
local is_for_long_way = require('state/short').is_for_long_way
local short_of = require('state/template_of').short_of

local FORMAT, BYTES = '>' .. ENTRY.FORMAT, ENTRY.FIRST - 1 + ENTRY.BYTES

-- The answers of a call whose only state has this value. Else false if it has several entries or the state is new, nil
-- if the charge does not fit this way; second, whether only the long way is left.
local function charge_alone(call, keys, arguments, value, newest, now)
  local text = arguments[1]
  if not value or #text ~= BYTES then
    return false
  end
  local argument, count, cost, _, _, _, ticket = struct.unpack(FORMAT, text, ENTRY.FIRST)
  local template = short_of(arguments[argument])
  local alone, revision = template.alone, template.revision
  local way = alone and alone.usual
  if not way or newest ~= revision and not is_settled(newest, keys[1], revision)
    or ticket > 0 and not is_newcomer(arguments[ticket]) then
    return nil
  end
  local head = head_of(way, value, revision, cost * count, now)
  if not head then
    return nil, is_for_long_way(value, head, count, template.mode)
  end
  call('SETRANGE', keys[2], '0', head)
  return { now, head }
end

return charge_alone
