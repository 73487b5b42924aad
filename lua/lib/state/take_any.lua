-- The general charges of take.lua: states of any scope with any buckets. Uses the variables of
-- take.lua, template_of, any_buckets, mixed_take. `call` runs a command.
local known, templates = {}, {}

local function template_of_charge(charge)
  templates[charge.at] = templates[charge.at] or template_of(charge.template_text)
  return templates[charge.at]
end

local function hand_back(charge)
  for _, scope in ipairs(charge.template.scopes) do
    queued[charge.keys[scope]] = true
  end
  return { CODES.QUEUED }
end

-- Whether a level is needed of a bucket that only the queue lane reads.
local function has_level_of_overflow(charge)
  for _, demand in ipairs(charge.others) do
    if demand.bucket and charge.template.has_overflow then
      return true
    end
  end
  return false
end

local function is_queued(charge)
  for _, scope in ipairs(charge.template.scopes) do
    if queued[charge.keys[scope]] then
      return true
    end
  end
  return false
end

-- The ways and the numbers of all states, by scope, without overflows; nil if the queue lane has to
-- decide.
local function ways_of(charge)
  local ways, now = {}, charge.now
  for _, scope in ipairs(charge.template.scopes) do
    local value = value_of(charge.keys[scope])
    if value and (#value < LAYOUT.HEAD_BYTES or struct.unpack('>I7', value, 3) > now) then
      return nil
    end
  end
  for scope, of_scope in pairs(charge.template.by_scope) do
    local way, numbers = way_and_numbers(value_of(charge.keys[scope]), of_scope, known, now)
    if not way or now < numbers[2] or numbers[3] > charge.template.revision then
      return nil
    end
    ways[scope] = { way = way, numbers = numbers, elapsed = now - numbers[2], of_scope = of_scope }
  end
  return ways
end

-- The units used now of each demand's bucket, in the order of the template; 0 for overflows, which
-- are not read.
local function used_now(charge, ways)
  local used, by_name = {}, {}
  for i, demand in ipairs(charge.template.demands) do
    local of_scope, level = ways[demand.scope], 0
    if of_scope and not demand.overflow then
      level = drained(of_scope.numbers[of_scope.way.index[demand.field]] or 0, demand.rate, of_scope.elapsed)
    end
    used[i], by_name[demand.name] = level, level
  end
  return used, by_name
end

-- The longest wait of the buckets; whether one can never hold the cost; whether one is above its
-- capacity.
local function rates_wait(charge, cost, used)
  local wait, is_never
  for i, demand in ipairs(charge.template.demands) do
    local each = demand.requests and demand.units or demand.units * cost
    if not demand.overflow and used[i] > demand.capacity then
      return nil, false, true
    elseif not demand.overflow and each > demand.capacity then
      is_never = true
    elseif not demand.overflow and used[i] > demand.capacity - each then
      wait = math.max(wait or 0, ceil_div(used[i] - (demand.capacity - each), demand.rate))
    end
  end
  return wait, is_never, false
end

local function commit(charge, ways, cost)
  for scope, of_scope in pairs(ways) do
    local way, numbers, k = of_scope.way, of_scope.numbers, charge.keys[scope]
    local until_us = taken(way, numbers, charge.template.revision, cost, 1, charge.now)
    texts[k] = way.text or texts[k]
    if until_us > numbers[LAYOUT.EXPIRES] * 1000 then
      numbers[LAYOUT.EXPIRES] = expiry_of(until_us, charge.now)
      times[k] = numbers[LAYOUT.EXPIRES]
    end
    heads[k] = struct.pack(way.format, unpack(numbers))
  end
end

local function decide_on(charge, ways)
  local used, by_name = used_now(charge, ways)
  charge.used_of = function(bucket)
    return by_name[bucket] or 0
  end
  local looked = look_at(charge, ledger, call)
  if not looked then
    return { CODES.OUTSIDE }
  end
  local wait, is_never, is_other = rates_wait(charge, looked.cost, used)
  local needs_queue = is_other
    or charge.template.has_overflow and (wait or is_never or looked.wait_us or looked.is_never)
    or wait and not looked.wait_us and charge.template.mode ~= CODES.OFF
  if needs_queue then
    return hand_back(charge)
  end
  local answer = refused(charge, looked, used, wait, is_never)
  if answer then
    return answer
  end
  commit(charge, ways, looked.cost)
  local unpaid = {}
  for i, demand in ipairs(charge.template.demands) do
    if demand.overflow then
      unpaid[#unpaid + 1] = i
    else
      used[i] = used[i] + (demand.requests and demand.units or demand.units * looked.cost)
    end
  end
  take_others(charge, looked, unpaid, holds_index, call)
  return answer_of(CODES.ALLOWED, used, charge, looked, 0)
end

local function decide_any(charge)
  if is_queued(charge) or has_level_of_overflow(charge) then
    return hand_back(charge)
  end
  local ways = ways_of(charge)
  if not ways then
    return hand_back(charge)
  end
  local before = known_reservation(charge, call)
  if before and before ~= CODES.AGAIN then
    return { before }
  elseif before and charge.template.has_overflow then
    return hand_back(charge)
  elseif before then
    return { CODES.AGAIN, unpack((used_now(charge, ways))) }
  end
  return decide_on(charge, ways)
end
