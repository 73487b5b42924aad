-- Ends what was booked, with what was learned of its provider. Then books, for each that asks, a key slot at a provider
-- that may be sent to now, or the soonest, together with a permit in flight.
--
-- KEYS
--   1      weir:{pNN}:upstream:<name>, a hash: slot:<provider>/<key>, when the key may be used next;
--          cool:<provider>, cool:<provider>/<key> and cool:<provider>/<key>/<group>, until when it is left alone;
--          open:<provider>, until when its breaker is open; probe:<provider>, until when a probe is under way;
--          busy:<provider>, how many are under way to it; turn:<provider>, its smooth weighted turn; load:<provider>
--          and loaded:<provider>, how busy it says it is, in thousandths, and until when that counts; limit and
--          latency, how many may be under way where that adapts itself, and how long answers take on average;
--          full:<caller>/<group> and seen:<caller>/<group>, since when who asks is told that there is no room, and when
--          it was told last; at, when it was asked last. Instants are in microseconds since the epoch
--   2      ...:inflight, a sorted set: requests under way, `<id> <provider>`, by when their lease ends
-- ARGV
--   1      how long a lease is, in microseconds
--   2      how many may be under way
--   3      how many may be under way before anything is learned, where that adapts itself; else 0
--   4      how long a probe may take, in microseconds
--   5      how it adapts itself, as of lib/adaptive.lua; else ''
--   6      providers, as of lib/slots_of.lua
--   7      who asks: a queue of a node
--   8, 9   how many end, and how many ask
--   then for each that ends three: its id; its provider, or where nobody knows whether it was booked all that it may
--          be, with a comma between; what was learned, as of lib/lesson.lua, or ''. It counts where it was held, or the
--          id is ''
--   then for each that asks five: its id; the group of its operation; how far ahead a slot may be, in microseconds;
--          where it was sent to before, <provider>/<key>, with a comma between: these are asked last; 1 where it is
--          sent again if a provider fails it, else 0: then it tries a provider whose breaker is open only where no
--          other provider serves it, or no request has tried it for 10 s
-- RETURNS
--   { how many are under way, how many may be, providers whose breaker is open, ... }, the providers with a comma
--   between, with a question mark where one request tries it; then for each that ends 1 where it was held, else 0; then
--   for each that asks five:
--   BOOKED, provider, key, delay_us, is_probe   to be sent in so long; is_probe 1 where it tries a provider again
--   LATER, '', '', wait_us, 0                   no slot is so near; one may be in so long
--   FULL, '', '', 0, 0                          too many are under way, in all or to each of them
--   OPEN, '', '', wait_us, 0                    all breakers are open; one is tried again in so long
--   NOT_ASKED, '', '', 0, 0                     one of its group before it was not booked
-- ERRORS
--   none but those of wrong arguments, and of Redis where it accepts no writes
-- TTL
--   an hour or two after it was last used

--@include now
--@include upstream_state
--@include upstream_life
--@include upstream_clock
--@include inflight
--@include adaptive
--@include lesson
--@include places_of
--@include slots_of
--@include full_marks

local BOOKED, LATER, FULL, OPEN, NOT_ASKED = 0, 1, 2, 3, 4
local OF_END, OF_ASKING, ENDED_AT_ONCE, SHARE_OF_ONE = 3, 5, 500, 0.75

local lease_us, max_inflight, first_limit, probe_us = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]),
  tonumber(ARGV[4])
local adaptive, text, caller, ends, asking = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local now = now_us(1)
local state = upstream_state(redis.call, KEYS[1])
local providers, groups, blocked, leases, marks = providers_of(text), {}, {}, {}, nil
local inflight, limit, share, places

-- Where the clock was set back, no lease is longer than one that begins now.
local function follow_clock()
  if set_back(state, now) > 0 then
    local latest = string.format('%d', now + NEAR_US + lease_us)
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. latest, '+inf')) do
      redis.call('ZADD', KEYS[2], latest, member)
    end
  end
  forget_old(state, now)
  put_number(state, 'at', now)
  marks = marks_in(state, now)
end

-- Leases that are over: of nodes that are gone.
local function end_leases()
  local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', now), 'LIMIT', 0, ENDED_AT_ONCE)
  for _, member in ipairs(over) do
    local id, provider = string.match(member, '^(%S+) (%S+)$')
    if id then
      end_inflight(redis.call, KEYS[2], state, id, provider)
    else
      redis.call('ZREM', KEYS[2], member)
    end
  end
end

-- Where nothing is under way, no provider has anything under way.
local function forget_counts()
  for field in pairs(state.values) do
    if string.sub(field, 1, 5) == 'busy:' then
      put_number(state, field, nil)
    end
  end
end

local function end_one(id, of, lesson)
  local was_there = 0
  for provider in string.gmatch(of, '[^,]+') do
    was_there = was_there + end_inflight(redis.call, KEYS[2], state, id, provider)
  end
  if lesson ~= '' and (was_there > 0 or id == '') then
    learn(state, of, lesson, adaptive, now)
  end
  return was_there
end

-- The best of a tier that may be sent to by this instant: the one whose turn it is. What the others missed they get
-- later (smooth weighted round robin, as of nginx).
local function next_of(candidates, tier, by_us)
  local best, total = nil, 0
  for _, one in ipairs(candidates) do
    if one.of.tier == tier and one.at <= by_us then
      one.turn, total = one.turn + one.weight, total + one.weight
      put_number(state, one.of.turn, one.turn)
      if not best or one.turn > best.turn then
        best = one
      end
    end
  end
  put_number(state, best.of.turn, best.turn - total)
  return best
end

-- The lowest tier that has one now; else the one that has one soonest.
local function tier_and_instant(candidates)
  local tier, soonest, soonest_tier
  for _, one in ipairs(candidates) do
    if one.at <= now and (not tier or one.of.tier < tier) then
      tier = one.of.tier
    end
    if not soonest or one.at < soonest then
      soonest, soonest_tier = one.at, one.of.tier
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
local function choice_of(fresh, again, patience_us)
  local of_fresh, of_again = soonest_of(fresh), soonest_of(again)
  return of_fresh <= now + patience_us and fresh or of_again < of_fresh and again or fresh
end

local function book(asked, candidates)
  local tier, by_us = tier_and_instant(candidates)
  if by_us - now > asked.patience_us then
    return LATER, '', '', by_us - now, 0
  end
  local best = next_of(candidates, tier, by_us)
  local one, at = best.of, math.max(now, best.at)
  put_number(state, best.key.slot, at + one.interval_us)
  if best.is_probe then
    put_number(state, one.probe, at + probe_us)
  end
  leases[#leases + 1], leases[#leases + 2] = string.format('%d', at + lease_us), asked.id .. ' ' .. one.name
  count_of_provider(state, one.name, 1)
  inflight, places = inflight + 1, {}
  return BOOKED, one.name, best.key.name, at - now, best.is_probe and 1 or 0
end

local function serving_group(group)
  groups[group] = groups[group] or serving(providers, group)
  return groups[group]
end

-- Kept until the next booking.
local function places_for(group)
  places[group] = places[group] or places_of(serving_group(group), group, state, share, now)
  return places[group]
end

-- Places of a provider for groups that were told so before, and find none elsewhere.
local function owed_at(one, ahead, group)
  local owed = 0
  for other, before in pairs(ahead) do
    if other ~= group and serves(one, other) and not is_resting(one, state, other, now) then
      local elsewhere = places_for(other) - math.max(0, places_at(one, state, share))
      owed = owed + math.max(0, before - elsewhere)
    end
  end
  return owed
end

-- Whether all room is for those that were told so before: of each group as many as there are places for.
local function is_turn_of_others(ahead, group)
  local own, taken = ahead[group] or 0, inflight
  if not next(ahead) then
    return false
  end
  for other, before in pairs(ahead) do
    taken = taken + math.min(before, places_for(other))
  end
  local free = places_for(group)
  return taken >= limit or free > 0 and free <= own
end

local function ask(asked)
  if inflight >= limit then
    return FULL, '', '', 0, 0
  end
  asked.ahead = marked_before(marks, caller, asked.group, now)
  if is_turn_of_others(asked.ahead, asked.group) then
    return FULL, '', '', 0, 0
  end
  local fresh, again, open_until, is_full = slots_of(serving_group(asked.group), state, asked, owed_at)
  local code, provider, key, wait_us, is_probe = OPEN, '', '', math.max(0, open_until - now), 0
  if #fresh + #again > 0 then
    code, provider, key, wait_us, is_probe = book(asked, choice_of(fresh, again, asked.patience_us))
  end
  if code ~= BOOKED and is_full then
    return FULL, '', '', 0, 0
  elseif code == LATER and open_until > now then
    wait_us = math.min(wait_us, open_until - now)
  end
  return code, provider, key, wait_us, is_probe
end

-- First come, first served in each group.
local function ask_in_turn(i)
  local group, before = ARGV[i + 1], ARGV[i + 3]
  if blocked[group] then
    return NOT_ASKED, '', '', 0, 0
  end
  local code, provider, key, wait_us, is_probe = ask({ now = now, id = ARGV[i], group = group, share = share,
    patience_us = tonumber(ARGV[i + 2]), before = before ~= '' and ',' .. before .. ',' or '',
    may_probe = ARGV[i + 4] == '1' })
  blocked[group] = code ~= BOOKED
  mark(state, marks, caller, group, code == FULL and now or nil)
  return code, provider, key, wait_us, is_probe
end

local answer = { 0, 0, '' }
follow_clock()
end_leases()
for i = 10, 10 + OF_END * (ends - 1), OF_END do
  answer[#answer + 1] = end_one(ARGV[i], ARGV[i + 1], ARGV[i + 2])
end
inflight = redis.call('ZCARD', KEYS[2])
if inflight == 0 then
  forget_counts()
end
limit = first_limit > 0 and math.min(max_inflight, number_in(state, 'limit') or first_limit) or max_inflight
share, places = #providers > 1 and math.max(1, math.floor(SHARE_OF_ONE * limit)) or limit, {}
local first, last, asks = 10 + OF_END * ends, 9 + OF_END * ends + OF_ASKING * asking, {}
for i = first, last, OF_ASKING do
  asks[ARGV[i + 1]] = true
end
unmark_others(state, marks, caller, asks)
for i = first, last, OF_ASKING do
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3], answer[n + 4], answer[n + 5] = ask_in_turn(i)
end
if #leases > 0 then
  redis.call('ZADD', KEYS[2], unpack(leases))
end
write_upstream(redis.call, KEYS[1], state)
keep_upstream(redis.call, KEYS, now)
answer[1], answer[2], answer[3] = inflight, limit, open_of(providers, state, now)
return answer
