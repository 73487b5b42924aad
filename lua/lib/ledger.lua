-- The counters of all states that one call looks at, by key; each is read once, and written at the end where it
-- changed. `call` runs a command. Uses counters_from, numbers_from.
local function counters_at(ledger, call, state_key, now)
  local counters = ledger[state_key]
  if not counters then
    counters = { by_name = counters_from(call('GET', state_key .. ':counters')), now = now }
    ledger[state_key] = counters
  end
  return counters
end

-- The numbers of a counter, empty where there is none or its time is over. As text until somebody asks.
local function stored_of(counters, name)
  local counter = counters.by_name[name]
  if type(counter) == 'string' then
    counter = numbers_from(counter)
    counter = counter[1] > counters.now and counter or nil
    counters.by_name[name] = counter
  end
  return counter or {}
end
