-- The counters that one call looks at. `call` runs a command. Uses counters_from.
-- The counters of all states that are looked at, by key; each is read once, and written at the end where it changed.
local function counters_at(ledger, call, state_key, now)
  local counters = ledger[state_key]
  if not counters then
    counters = { by_name = counters_from(call('GET', state_key .. ':counters'), now), now = now }
    ledger[state_key] = counters
  end
  return counters
end
