-- Takes what a charge demands beside rates. Uses mixed, ledger, permit. `call` runs a command.
-- Stores what the limits are after a denial, or after the charge was taken.
local function keep_counters(charge, looked, what)
  for i, demand in ipairs(charge.others) do
    put_counter(demand.counters, demand.name, looked.standings[i][what], charge.now)
  end
end

local function hold_permit(charge, demand, stored, call)
  local key, until_us = permits_key(charge.state_keys[demand.scope], demand.name), charge.now + charge.hold.lease_us
  call('ZADD', key, string.format('%d', until_us), charge.hold.id)
  local kept_us = permits_until(stored, charge.now)
  if kept_us ~= stored[1] or call('PTTL', key) < 0 then
    call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', charge.now))
    call('PEXPIREAT', key, string.format('%d', math.ceil((kept_us + charge.hold.lease_us + PERMITS_KEPT_US) / 1000)))
  end
end

-- What a reservation is kept as, text: open <expires_us> <refunds> <cost> <price> <lease_us> and a part for each
-- thing taken:
--   r <scope> <field> <capacity> <units> <requests>, of a bucket
--   <letter> <scope> <limit> <counts> <mark>, of another limit; counts is what it counts of the request
--   p <scope> <limit>, of a permit
local function reservation_text(charge, looked, payers, now)
  local parts = { string.format('open %d %d %d %d %d', now + charge.hold.lease_us, charge.hold.refunds and 1 or 0,
    looked.asked, looked.price, charge.hold.lease_us) }
  for _, demand in ipairs(payers) do
    parts[#parts + 1] = string.format('r %d %s %d %d %d', demand.scope, demand.field, demand.capacity, demand.units,
      demand.requests and 1 or 0)
  end
  for i, demand in ipairs(charge.others) do
    if demand.kind.mark and not looked.standings[i].is_uncharged then
      parts[#parts + 1] = string.format('%s %d %s %d %s', demand.letter, demand.scope, demand.name,
        demand.requests and 1 or -1, demand.kind.mark(demand, now))
    elseif demand.letter == 'p' then
      parts[#parts + 1] = string.format('p %d %s', demand.scope, demand.name)
    end
  end
  return table.concat(parts, ';')
end

-- Takes all of them, and what the rates took of the payers' buckets is noted. `index` is the key of open reservations.
local function take_others(charge, looked, payers, index, call)
  local now, held = charge.now, charge.hold
  for _, demand in ipairs(charge.others) do
    if demand.letter == 'p' then
      hold_permit(charge, demand, stored_of(demand.counters, demand.name), call)
    end
  end
  keep_counters(charge, looked, 'taken')
  if held and held.reserves then
    local expires_us = now + held.lease_us
    call('SET', reservation_key(charge), reservation_text(charge, looked, payers, now), 'PXAT',
      string.format('%d', math.ceil((expires_us + PERMITS_KEPT_US) / 1000)))
    call('ZADD', index, string.format('%d', expires_us), reservation_key(charge))
  end
end
