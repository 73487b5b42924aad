-- The state of a key that a correction changes, as of now, and its counters.

local counters_at = require('kinds/ledger').counters_at
local new_ledger = require('kinds/ledger').new_ledger
local write_counters = require('kinds/ledger_write').write_counters
local STATE = require('state/state')

-- nil if the key holds no state. `call` runs a command.
local function correction_of(call, state_key, now)
  local state = STATE.read(call('GET', state_key), now)
  if not state then
    return nil
  end
  local ledger, at_us = new_ledger(), math.max(state.at_us, now)
  local counters = counters_at(ledger, call, state_key, now)
  STATE.forget(state, at_us)
  STATE.move_to(state, at_us)
  return { key = state_key, state = state, counters = counters, ledger = ledger }
end

-- The counters are written if they have changed.
local function write_correction(call, correction, has_changed)
  local state = correction.state
  if has_changed then
    call('SET', correction.key, STATE.value(state, {}), 'PXAT', string.format('%d', state.expires_ms))
  end
  write_counters(correction.ledger, call)
end

return { correction_of = correction_of, write_correction = write_correction }
