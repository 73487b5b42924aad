-- Books a key slot at a provider that may be sent to now, or the soonest, together with a permit in flight.
--
-- KEYS
--   1      weir:{pNN}:upstream:<name>, a hash: slot:<provider>/<key>, when the key may be used next;
--          cool:<provider>, cool:<provider>/<key> and cool:<provider>/<key>/<group>, until when it is left alone;
--          open:<provider>, until when its breaker is open; probe:<provider>, until when a probe is under way;
--          busy:<provider>, how many are under way to it; turn:<provider>, its smooth weighted turn; load:<provider>
--          and loaded:<provider>, how busy it says it is, in thousandths, and until when that counts; window and
--          latency, how many may be under way where that adapts itself, and how long answers take on average. Instants
--          are in microseconds since the epoch
--   2      ...:inflight, a sorted set: requests under way, `<id> <provider>`, by when their lease ends
-- ARGV
--   1      the id of the request
--   2      the group of its operation
--   3      how many may be under way
--   4      how long a lease is, in microseconds
--   5      how far ahead a slot may be, in microseconds
--   6      how long a probe may take, in microseconds
--   7      where it was sent to before, <provider>/<key>, with a comma between; these are asked last
--   8      providers, with a semicolon between: <provider> <tier> <weight> <interval_us> <most> <key>,<key>..., where
--          <most> is how many may be under way to it; 0 for three quarters of all, where there are several
--   9      how many may be under way before anything is learned, where that adapts itself; else 0
-- RETURNS
--   each with three before it: how many are under way, how many may be, and the providers whose breaker is open, with a
--   comma between; with a question mark where one request tries it
--   { BOOKED, provider, key, delay_us, is_probe }   to be sent in so long; is_probe 1 where it tries a provider again
--   { LATER, wait_us }                              no slot is so near; one may be in so long
--   { FULL }                                        too many are under way, in all or to each of them
--   { OPEN, wait_us }                               all breakers are open; one is tried again in so long
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   an hour or two after it was last used

--@include now
--@include upstream_life
--@include slots_of
--@include inflight

local BOOKED, LATER, FULL, OPEN, ENDED_AT_ONCE, SHARE_OF_ONE = 0, 1, 2, 3, 500, 0.75

local id, group, max_inflight, lease_us = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local patience_us, probe_us, text, first_window = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[8], tonumber(ARGV[9])
local now = now_us(1)
local asked = { now = now, group = group, before = ',' .. ARGV[7] .. ',', patience_us = patience_us }

-- The best of a tier that may be sent to by this instant: the one whose turn it is. What the others missed they get
-- later (smooth weighted round robin, as of nginx).
local function next_of(candidates, tier, by_us)
  local best, total = nil, 0
  for _, one in ipairs(candidates) do
    if one.tier == tier and one.at <= by_us then
      one.turn, total = one.turn + one.weight, total + one.weight
      if not best or one.turn > best.turn then
        best = one
      end
    end
  end
  if best then
    best.turn = best.turn - total
  end
  return best
end

local function keep_turns(candidates, tier, by_us)
  for _, one in ipairs(candidates) do
    if one.tier == tier and one.at <= by_us then
      redis.call('HSET', KEYS[1], 'turn:' .. one.provider, string.format('%d', one.turn))
    end
  end
end

-- The lowest tier that has one now; else the one that has one soonest.
local function tier_and_instant(candidates)
  local tier, soonest, soonest_tier
  for _, one in ipairs(candidates) do
    if one.at <= now and (not tier or one.tier < tier) then
      tier = one.tier
    end
    if not soonest or one.at < soonest then
      soonest, soonest_tier = one.at, one.tier
    end
  end
  if tier then
    return tier, now
  end
  return soonest_tier, soonest
end

local function soonest_of(candidates)
  local soonest = math.huge
  for _, one in ipairs(candidates) do
    soonest = math.min(soonest, one.at)
  end
  return soonest
end

-- Another provider first, where one may be sent to in time.
local function choice_of(fresh, again)
  local of_fresh, of_again = soonest_of(fresh), soonest_of(again)
  return of_fresh <= now + patience_us and fresh or of_again < of_fresh and again or fresh
end

local function book(candidates)
  local tier, by_us = tier_and_instant(candidates)
  if by_us - now > patience_us then
    return { LATER, by_us - now }
  end
  local best = next_of(candidates, tier, by_us)
  keep_turns(candidates, tier, by_us)
  local at = math.max(now, best.at)
  redis.call('HSET', KEYS[1], 'slot:' .. best.provider .. '/' .. best.key, string.format('%d', at + best.interval_us))
  if best.is_probe then
    redis.call('HSET', KEYS[1], 'probe:' .. best.provider, string.format('%d', at + probe_us))
  end
  redis.call('ZADD', KEYS[2], string.format('%d', at + lease_us), id .. ' ' .. best.provider)
  count_of_provider(redis.call, KEYS, best.provider, 1)
  keep_upstream(redis.call, KEYS, now)
  return { BOOKED, best.provider, best.key, at - now, best.is_probe and 1 or 0 }
end

local function answer_of(state, window)
  asked.most = string.find(text, ';', 1, true) and math.max(1, math.floor(SHARE_OF_ONE * window)) or window
  local fresh, again, open_until, is_full = slots_of(text, state, asked)
  if #fresh + #again == 0 then
    return is_full and { FULL } or { OPEN, math.max(0, open_until - now) }
  end
  return book(choice_of(fresh, again))
end

-- Leases that are over: of nodes that are gone.
local function end_leases()
  local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', now), 'LIMIT', 0, ENDED_AT_ONCE)
  for _, member in ipairs(over) do
    end_inflight(redis.call, KEYS, string.match(member, '^(%S+) (%S+)$'))
  end
end

-- A count of whom nothing is under way any more is forgotten with it.
local function forget_counts(state)
  for field in pairs(state) do
    if string.sub(field, 1, 5) == 'busy:' then
      redis.call('HDEL', KEYS[1], field)
      state[field] = nil
    end
  end
end

end_leases()
local state = state_from(redis.call('HGETALL', KEYS[1]))
local window = first_window > 0 and math.min(max_inflight, state.window or first_window) or max_inflight
local inflight = redis.call('ZCARD', KEYS[2])
if inflight == 0 then
  forget_counts(state)
end
local answer = inflight >= window and { FULL } or answer_of(state, window)
if answer[1] == BOOKED then
  inflight = inflight + 1
end
return { inflight, window, open_of(text, state, now), unpack(answer) }
