-- The counters of all states in one call, by key; each is read once, and written at the end if it
-- has changed. `call` runs a command.

local counter_in = require('kinds/counters').counter_in
local counters_layout_of = require('kinds/counters').counters_layout_of

local function new_ledger()
  return { by_key = {} }
end

local function counters_at(ledger, call, state_key, now)
  local counters = ledger.by_key[state_key]
  if not counters then
    local value = call('GET', state_key .. ':counters')
    local layout = counters_layout_of(value)
    if not layout then
      error(state_key .. ':counters holds no counters', 0)
    end
    counters = { value = value, layout = layout, by_name = {}, now = now,
      has_changed = false, has_new = false, has_new_time = false }
    ledger.by_key[state_key] = counters
  end
  return counters
end

-- The numbers of a counter, empty if there is none or it has expired. Unpacked on first use.
local function stored_of(counters, name)
  local counter = counters.by_name[name]
  if not counter then
    local part = counters.layout.by_name[name]
    counter = part and counter_in(counters.value, part) or {}
    if part and counter[1] <= counters.now then
      counter = {}
    end
    counters.by_name[name] = counter
  end
  return counter
end

return { counters_at = counters_at, new_ledger = new_ledger, stored_of = stored_of }
