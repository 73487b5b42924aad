-- Shows the state of a key, a tenant or the cluster in words, as HGETALL shows a hash. Reads only; levels are
-- those of the instant at_us, as they are stored. Of counters, the numbers of each limit that is no rate. Of an
-- upstream or a window its fields, and which of the instants are still to come.
--   redis-cli --eval lua/show.lua 'weir:{p40}:acme:key:k1' weir:policy
--
-- KEYS
--   1      the state, or its <state>:counters; an upstream or a window
--   2      weir:policy, or nothing: then no percentages are shown
-- ARGV
--   none
-- RETURNS
--   name, value, ...   at_us, revision, expires_ms, and each field of the state; the value is the raw number and,
--                      where it has a meaning in words, the words behind it
--   limit, numbers, ...   of counters: the numbers of each with a comma between
--   now_us, ..., field, value, ...   of an upstream or a window
--   nothing            there is no such state: its buckets are empty
-- ERRORS
--   the key holds something else
-- TTL
--   writes no key

local function iso_instant(at_us)
  local micros = math.fmod(at_us, 1000000)
  local seconds = (at_us - micros) / 1000000
  local of_day = math.fmod(seconds, 86400)
  -- civil_from_days of Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms", from 1970 on.
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

-- Explains a level of a bucket in words, by its field <bucket>@<rate>.
local function level_in_words(field, used, at_us, bursts)
  local rate = tonumber(string.match(field, '@(%d+)$'))
  local burst_ms = tonumber(string.match(bursts, '\n' .. string.gsub(field, '%p', '%%%0') .. ' (%d+)\n'))
  local of = burst_ms and string.format(' of %.10g operations, %.1f %%', rate * burst_ms / 1e6,
    used / (rate * burst_ms * 10)) or ' operations'
  return string.format('%.10g%s, empty at %s', used / 1e9, of, iso_instant(at_us + math.ceil(used / rate)))
end

-- The counters of an owner, as lib/counters.lua has them.
local function shown_counters(value)
  local count, at = struct.unpack('>I2', value)
  local shown = {}
  for limit, width in string.gmatch(string.sub(value, at + 7 * count), '(%S+)=(%d+)') do
    local numbers = {}
    for i = 1, tonumber(width) do
      numbers[i] = string.format('%d', (struct.unpack('>I7', value, at)))
      at = at + 7
    end
    shown[#shown + 1], shown[#shown + 2] = limit, table.concat(numbers, ',')
  end
  return shown
end

-- Fields of an upstream that are instants begin with one of these.
local IS_INSTANT = { slot = true, cool = true, open = true, probe = true, loaded = true, full = true, seen = true }

local function shown_hash(fields)
  local time = redis.call('TIME')
  local now_us, names, values = time[1] * 1e6 + time[2], {}, {}
  local shown = { 'now_us', string.format('%d (%s)', now_us, iso_instant(now_us)) }
  for i = 1, #fields, 2 do
    names[#names + 1], values[fields[i]] = fields[i], fields[i + 1]
  end
  table.sort(names)
  for _, name in ipairs(names) do
    local number = tonumber(values[name])
    local is_instant = number and (name == 'committed_us' or IS_INSTANT[string.match(name, '^(%a+):')])
    local words = ''
    if is_instant then
      local left = number > now_us and string.format(', in %.3f s', (number - now_us) / 1e6) or ''
      words = ' (' .. iso_instant(number) .. left .. ')'
    end
    shown[#shown + 1], shown[#shown + 2] = name, values[name] .. words
  end
  return shown
end

-- A tenant may be called so, too: then it is no hash.
local of = string.match(KEYS[1], ':(%a+):[^:]+$')
local fields = (of == 'upstream' or of == 'window') and redis.pcall('HGETALL', KEYS[1]) or {}
if #fields > 0 then
  return shown_hash(fields)
end
local value = redis.call('GET', KEYS[1])
if not value then
  return {}
elseif string.find(KEYS[1], ':counters$') then
  return shown_counters(value)
end
local bursts = '\n' .. (KEYS[2] and redis.call('HGET', KEYS[2], 'bursts') or '') .. '\n'
local count, at_us, revision, expires_ms, at = struct.unpack('>I2I7I7I6', value)
local shown = { 'at_us', string.format('%d (%s)', at_us, iso_instant(at_us)), 'revision', string.format('%d', revision),
  'expires_ms', string.format('%d (%s)', expires_ms, iso_instant(expires_ms * 1000)) }
local names = string.gmatch(string.sub(value, at + 7 * count), '%S+')
for i = 1, count do
  local field, number = names(), (struct.unpack('>I7', value, at + 7 * (i - 1)))
  local words
  if string.find(field, '@%d+$') then
    words = level_in_words(field, number, at_us, bursts)
  elseif string.find(field, '_us$') or string.find(field, '%.slot$') then
    words = number > 0 and iso_instant(number)
  end
  shown[#shown + 1] = field
  shown[#shown + 1] = string.format('%d', number) .. (words and ' (' .. words .. ')' or '')
end
return shown
