-- A call with one entry, of callers without tickets, on one state that has exactly the buckets of their template: the
-- fewest steps and tables, if there is room and nobody waits, or for a place in a key's own buckets. A call of one
-- decision is short, so that reading code and collecting tables are half of its time.

local ENTRY = require('state/entry')
local is_newcomer = require('state/entry').is_newcomer
local is_settled = require('state/policy_of').is_settled
local head_of = require('state/simple').head_of
local is_denied = require('state/simple').is_denied
local is_for_long_way = require('state/simple').is_for_long_way
local completed = require('state/template_of').completed
local has_places_alone = require('state/template_of').has_places_alone
local short_of = require('state/template_of').short_of

local FORMAT, BYTES = '>' .. ENTRY.FORMAT, ENTRY.FIRST - 1 + ENTRY.BYTES

-- Decides in a key's own buckets while somebody waits; returns the answer, nil if something else decides.
local function place(call, sha1, keys, value, template, cost, asked, now)
  local is_done, left, expires_ms, answers = pcall(require('queue/place_own'), call, sha1, value, completed(template),
    cost, asked, now, 1)
  if not is_done or not left then
    return nil
  end
  call('SET', keys[2], left, 'PXAT', string.format('%d', expires_ms))
  return answers[1]
end

-- The answers of a call whose only state has this value. Else false if it has several entries or the state is new, nil
-- if the charge does not fit this way; second, whether only the long way is left, and third, its ticket data, if they
-- were read. `call` runs a command.
local function charge_alone(call, sha1, keys, arguments, value, newest, now)
  local text = arguments[1]
  if not value or #text ~= BYTES then
    return false
  end
  local argument, count, cost, _, _, _, ticket, bits = struct.unpack(FORMAT, text, ENTRY.FIRST)
  local template = short_of(arguments[argument])
  local alone, revision, data = template.alone, template.revision, arguments[ticket]
  local way = alone and alone.usual
  if not way or newest ~= revision and not is_settled(newest, keys[1], revision) then
    return nil
  end
  local is_long = not is_newcomer(data)
  if not is_long then
    local head = head_of(way, value, revision, cost * count, now)
    if head then
      call('SETRANGE', keys[2], '0', head)
      return { now, head }
    elseif is_denied(head, count, template.mode) then
      return { now, 0, value }
    end
    is_long = is_for_long_way(value, head, count, template.mode)
  end
  local asked = is_long and count == 1 and has_places_alone(template)
    and require('queue/asked')(data, keys[bits])
  local answer = asked and place(call, sha1, keys, value, template, cost, asked, now)
  return answer and { now, answer } or nil, is_long, asked
end

return charge_alone
