-- Shows the state of a key, a tenant or the cluster in words, as HGETALL shows a hash. Reads only;
-- levels are those of the instant at_us, as they are stored. Of counters, the present standing of
-- each limit other than a rate; of permits, the number held. Of an upstream, a window or a leased
-- bucket its fields, and which instants are in the future.
--   redis-cli --eval lua/show.lua 'weir:{72nw}:acme:key:k1' weir:policy
--
-- KEYS
--   1      the state, its <state>:counters, <state>:permits:<limit> or <state>:tickets; an upstream, a
--          window or a leased bucket
--   2      weir:policy, or nothing: then no percentages are shown
-- ARGV
--   1      bursts      text, instead of the field of weir:policy; optional
--   2      limits      text, instead of the field of weir:policy; optional
-- RETURNS
--   name, value, ...   at_us, revision, expires_ms, and each field of the state; the value is the
--                      raw number, followed by its meaning in words if it has one. While requests
--                      wait also what is due to them, <bucket>@<rate>.due, and the last turns
--   limit, numbers, ...   of counters: the numbers of each with a comma between, followed by their
--                         meaning in words
--   now_us, ..., held, ...   of permits: the number held
--   open, ...                of tickets: how many were not used
--   now_us, ..., field, value, ...   of an upstream, a window or a leased bucket
--   nothing            there is no such state: its buckets are empty
-- ERRORS
--   the key holds something else
-- TTL
--   writes no key

local function iso_instant(at_us)
  local micros = math.fmod(at_us, 1000000)
  local seconds = (at_us - micros) / 1000000
  local of_day = math.fmod(seconds, 86400)
  -- civil_from_days of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms", from 1970
  -- on.
  local day = (seconds - of_day) / 86400 + 719468
  local of_era = math.fmod(day, 146097)
  local year_of_era = math.floor(
    (of_era - math.floor(of_era / 1460) + math.floor(of_era / 36524) - math.floor(of_era / 146096)) / 365)
  local of_year = of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local from_march = math.floor((5 * of_year + 2) / 153)
  local month = from_march < 10 and from_march + 3 or from_march - 9
  local year = year_of_era + math.floor(day / 146097) * 400 + (month <= 2 and 1 or 0)
  return string.format('%04d-%02d-%02dT%02d:%02d:%02d.%06dZ', year, month,
    of_year - math.floor((153 * from_march + 2) / 5) + 1,
    math.floor(of_day / 3600), math.floor(math.fmod(of_day, 3600) / 60), math.fmod(of_day, 60), micros)
end

-- The policy's texts for readers: the time to drain each bucket from full, and the size of each
-- limit.
local function policy_says(argument, field)
  return '\n' .. (ARGV[argument] or KEYS[2] and redis.call('HGET', KEYS[2], field) or '') .. '\n'
end

local function line_of(text, name)
  return string.match(text, '\n' .. string.gsub(name, '%p', '%%%0') .. ' ([^\n]*)\n') or ''
end

-- Explains a level of a bucket in words, by its field <bucket>@<rate>.
local function level_in_words(field, used, at_us, bursts)
  local drains, per_operation = string.match(field, '@(%d+)/(%d+)$')
  local rate, each = tonumber(drains), tonumber(per_operation)
  local burst_ms = tonumber(line_of(bursts, field))
  local of = burst_ms and string.format(' of %.10g operations, %.1f %%', rate * burst_ms * 1000 / each,
    used / (rate * burst_ms * 10)) or ' operations'
  return string.format('%.10g%s, empty at %s', used / each, of, iso_instant(at_us + math.ceil(used / rate)))
end

local function in_time(at_us)
  return string.format('%d (%s)', at_us, iso_instant(at_us))
end

-- Shows the state that a key keeps for its callers, as lib/queue/waiter.lua has it; returns the position after it.
local function show_waiter(shown, value, at)
  local _, number, count
  _, at = struct.unpack('>Bc0', value, at)
  number, _, _, _, _, count, at = struct.unpack('>I7I7I7I7I7B', value, at)
  count, at = struct.unpack('B', value, at + 25 * count)
  shown[#shown + 1], shown[#shown + 2] = 'tickets', string.format('%d (made)', number)
  for _ = 1, count do
    local due, operations = struct.unpack('>I7I7', value, at)
    shown[#shown + 1] = string.format('due_at_%d', due)
    shown[#shown + 1] =
      string.format('%d (operations, to callers without a ticket, at %s)', operations, iso_instant(due))
    at = at + 26
  end
  return at
end

-- The calendar of a bucket, as lib/queue/calendar.lua has it; returns the position after it.
local function show_calendar(shown, value, at)
  local field, capacity, width, lives, kept, turn, larger, larger_until, base, bins, due, _
  field, at = struct.unpack('>Bc0', value, at)
  _, capacity, width, lives, kept, _, _, _, turn, _, _, _, _, larger, larger_until, _, base, bins, at =
    struct.unpack('>I4I7I6BBI7I7I7I7I7I5I2I2I7I7I7I7B', value, at)
  due = 0
  for i = 0, bins - 1 do
    due = due + struct.unpack('>I6', value, at + 6 * i)
  end
  local units = due * math.ceil(capacity / 2 ^ 44) / tonumber(string.match(field, '/(%d+)$'))
  shown[#shown + 1] = field .. '.due'
  shown[#shown + 1] = string.format('%d (%.10g operations until %s, %d of 64 parts kept)', due, units,
    iso_instant((base + bins - 1 + lives) * width), kept)
  shown[#shown + 1], shown[#shown + 2] = field .. '.turn', in_time(turn)
  if larger_until > 0 then
    shown[#shown + 1] = field .. '.larger'
    shown[#shown + 1] = string.format('%d (%.10g operations, until %s)', larger,
      larger / tonumber(string.match(field, '/(%d+)$')), iso_instant(larger_until))
  end
  return at + 6 * bins
end

-- The part of a state's value for those that wait, as lib/state/queue_part.lua has it.
local function show_queue(shown, value, at)
  local form, count
  form, at = struct.unpack('B', value, at)
  if form < 2 then
    return
  end
  at = form == 3 and show_waiter(shown, value, at) or at
  count, at = struct.unpack('>I2', value, at)
  for _ = 1, count do
    at = show_calendar(shown, value, at)
  end
  count, at = struct.unpack('>I2', value, at)
  for _ = 1, count do
    local field, served, turn
    field, at = struct.unpack('>Bc0', value, at)
    served, turn = struct.unpack('>I7I7', value, at)
    at = at + 19
    shown[#shown + 1], shown[#shown + 2] = field .. '.served', in_time(served)
    shown[#shown + 1], shown[#shown + 2] = field .. '.own_turn', in_time(turn)
  end
end

local function now_of_redis()
  local time = redis.call('TIME')
  return time[1] * 1e6 + time[2]
end

-- A limit of 0 differs between subjects.
local function share_in_words(used, limit)
  return limit > 0 and string.format('%.15g of %.15g, %.1f %%', used, limit, used / limit * 100)
    or string.format('%.15g', used)
end

-- The present use of a quota, as lib/kinds/quota.lua computes it, and the end of its window.
local function quota_in_words(numbers, limit, now_us)
  local ends_us, used, before, length_us = numbers[2], numbers[3], numbers[4], numbers[1] - numbers[2]
  if now_us >= ends_us then
    used, before, ends_us = 0, now_us < numbers[1] and used or 0, ends_us + length_us
  end
  if now_us >= ends_us then
    return share_in_words(0, limit)
  end
  if before > 0 then
    local passed_ms = math.max(0, math.floor((now_us - ends_us + length_us) / 1000))
    local share = 1000 - math.floor(passed_ms * 1000 / (length_us / 1000))
    used = used + math.ceil(before * share / 1000)
  end
  return share_in_words(used, limit) .. ', until ' .. iso_instant(ends_us)
end

-- The counters of an owner, as lib/kinds/counters.lua has them.
local function shown_counters(value)
  local count, at = struct.unpack('>I2', value)
  local limits, now_us, shown = policy_says(2, 'limits'), now_of_redis(), {}
  for limit, width in string.gmatch(string.sub(value, at + 7 * count), '(%S+)=(%d+)') do
    local numbers, texts = {}, {}
    for i = 1, tonumber(width) do
      numbers[i] = struct.unpack('>I7', value, at)
      texts[i] = string.format('%d', numbers[i])
      at = at + 7
    end
    local quota = string.match(line_of(limits, limit), '^quota (%d+)$')
    local words = quota and ' (' .. quota_in_words(numbers, tonumber(quota), now_us) .. ')' or ''
    shown[#shown + 1], shown[#shown + 2] = limit, table.concat(texts, ',') .. words
  end
  return shown
end

-- Expired permits stay in the set until the next one is taken.
local function shown_permits(limit)
  local now_us = now_of_redis()
  local held = redis.call('ZCOUNT', KEYS[1], '(' .. string.format('%d', now_us), '+inf')
  local most = tonumber(string.match(line_of(policy_says(2, 'limits'), limit), '^permits (%d+)$') or 0)
  return { 'now_us', string.format('%d (%s)', now_us, iso_instant(now_us)),
    'held', string.format('%d', held) .. (most > 0 and ' (' .. share_in_words(held, most) .. ')' or '') }
end

-- The fields of an upstream that are instants begin with one of these words.
local IS_INSTANT = { slot = true, cool = true, open = true, probe = true, loaded = true, full = true, seen = true }

-- The name of the leased bucket of a key or a tenant with this key of Redis.
local function leased_name(key)
  return string.match(key, '^[^:]+:[^:]+:[^:]+:key:[^:]+:leased:(.+)$')
    or string.match(key, '^[^:]+:[^:]+:[^:]+:tenant:leased:(.+)$')
end

local function shown_hash(fields)
  local now_us, names, values = now_of_redis(), {}, {}
  local shown = { 'now_us', string.format('%d (%s)', now_us, iso_instant(now_us)) }
  for i = 1, #fields, 2 do
    names[#names + 1], values[fields[i]] = fields[i], fields[i + 1]
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local number = tonumber(values[name])
    local is_instant = number
      and (name == 'committed_us' or name == 'at_us' or IS_INSTANT[string.match(name, '^(%a+):')])
    local words = ''
    if is_instant then
      local left = number > now_us and string.format(', in %.3f s', (number - now_us) / 1e6) or ''
      words = ' (' .. iso_instant(number) .. left .. ')'
    elseif name == 'used' and values.rate and values.at_us then
      local bucket = leased_name(KEYS[1]) or string.match(KEYS[1], '[^:]+$')
      local field, bursts = bucket .. '@' .. values.rate, policy_says(1, 'bursts')
      local each = string.match(bursts, '\n' .. string.gsub(field, '%p', '%%%0') .. '/(%d+) ')
      words = each and ' (' .. level_in_words(field .. '/' .. each, number, tonumber(values.at_us), bursts) .. ')' or ''
    end
    shown[#shown + 1], shown[#shown + 2] = name, values[name] .. words
  end
  return shown
end

-- Tenants and keys may have these words as names, too: an upstream or a leased bucket is distinguished
-- from a tenant by its type, and the counters and permits of an owner from the owner by the number of words.
local of = string.match(KEYS[1], ':(%a+):[^:]+$')
local is_hash = of == 'upstream' or of == 'window' or of == 'cluster' or leased_name(KEYS[1]) ~= nil
local fields = is_hash and redis.pcall('HGETALL', KEYS[1]) or {}
if #fields > 0 then
  return shown_hash(fields)
end
local is_owner = string.find(KEYS[1], '^[^:]+:[^:]+:[^:]+:key:[^:]+$')
  or string.find(KEYS[1], '^[^:]+:[^:]+:[^:]+:tenant$')
if of == 'permits' and not is_owner then
  return redis.call('EXISTS', KEYS[1]) > 0 and shown_permits(string.match(KEYS[1], '[^:]+$')) or {}
end
if not is_owner and string.find(KEYS[1], ':tickets$') then
  local open = redis.call('BITCOUNT', KEYS[1])
  return open > 0 and { 'open', string.format('%d (tickets that were not used, or are over)', open) } or {}
end
local value = redis.call('GET', KEYS[1])
if not value then
  return {}
elseif string.find(KEYS[1], ':counters$') and not is_owner then
  return shown_counters(value)
end
local bursts = policy_says(1, 'bursts')
local count, at_us, revision, expires_ms, at = struct.unpack('>I2I7I7I6', value)
local has_queue = count >= 32768
count = has_queue and count - 32768 or count
local text_at = at + 7 * count
local text_ends = has_queue and string.find(value, '\n', text_at, true) or #value + 1
local shown = { 'at_us', in_time(at_us), 'revision', string.format('%d', revision),
  'expires_ms', string.format('%d (%s)', expires_ms, iso_instant(expires_ms * 1000)) }
local names = string.gmatch(string.sub(value, text_at, text_ends - 1), '%S+')
for i = 1, count do
  local field, number = names(), (struct.unpack('>I7', value, at + 7 * (i - 1)))
  local words = string.find(field, '@%d+/%d+$') and ' (' .. level_in_words(field, number, at_us, bursts) .. ')' or ''
  shown[#shown + 1], shown[#shown + 2] = field, string.format('%d', number) .. words
end
if has_queue then
  show_queue(shown, value, text_ends + 1)
end
return shown
