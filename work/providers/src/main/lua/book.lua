-- Ends bookings and records the result of each attempt. Then, for each request that asks, books a
-- key slot at a provider that is available now, or at the earliest one, and a permit in flight.
--
-- KEYS
--   1      weir:{pNN}:upstream:<name>, a hash: slot:<provider>/<key>, when the key may be used
--          next; cool:<provider>, cool:<provider>/<key> and cool:<provider>/<key>/<group>, until
--          when no request is sent there; open:<provider>, until when its breaker is open;
--          probe:<provider>, until when a probe is under way; busy:<provider>, how many requests
--          are under way to it; turn:<provider>, its smooth weighted turn; load:<provider> and
--          loaded:<provider>, the load that it reports, in thousandths, and until when the report
--          counts; limit and latency, the adaptive limit of requests under way and the average time
--          of an answer; full:<caller>/<group> and seen:<caller>/<group>, since when the caller is
--          answered FULL, and when it was last; at, the last call. Instants are in microseconds
--          since the epoch
--   2      ...:inflight, a sorted set: requests under way, `<id> <provider>`, by the end of their
--          lease
-- ARGV
--   1      length of a lease, in microseconds
--   2      the most requests under way
--   3      the initial adaptive limit of requests under way; 0 if the limit is fixed
--   4      the longest time of a probe, in microseconds
--   5      parameters of the adaptive limit, as of lib/adaptive.lua; '' if the limit is fixed
--   6      providers, as of lib/slots_of.lua
--   7      the caller: a queue of a node
--   8, 9   how many bookings end, and how many requests ask
--   then three for each booking that ends:
--          its id; its provider, or, if it is unknown whether it was booked, all candidates with a
--          comma between; the lesson, as of lib/lesson.lua, or ''. A lesson counts if the booking
--          was held or the id is ''
--   then five for each request:
--          its id; the group of its operation; how far ahead a slot may be, in microseconds;
--          previous attempts, <provider>/<key> with a comma between: these are tried last; with an
--          exclamation mark before it if only that key is tried last, as it was refused; 1 if it
--          is retried after a failure of the provider, else 0: then it probes a provider whose
--          breaker is open only if no other provider serves it, or no request has tried it for 10 s
-- RETURNS
--   { requests under way, limit of requests under way, providers whose breaker is open, ... },
--   the providers have a comma between, and a question mark during a probe; then for each booking
--   that ends 1 if it was held, else 0; then for each request five:
--   BOOKED, provider, key, delay_us, is_probe   to be sent after delay_us; is_probe is 1 for a
--                                               probe
--   LATER, '', '', wait_us, 0                   no slot within reach; there may be one after
--                                               wait_us
--   FULL, '', '', 0, 0                          too many are under way, in all or to each provider
--   OPEN, '', '', wait_us, 0                    all breakers are open; the next probe is after
--                                               wait_us
--   NOT_ASKED, '', '', 0, 0                     an earlier request of its group was not booked
-- ERRORS
--   only those of wrong arguments, and of a Redis that accepts no writes
-- TTL
--   one to two hours after the last use

local mark = require('full_marks').mark
local marked_before = require('full_marks').marked_before
local marks_in = require('full_marks').marks_in
local unmark_others = require('full_marks').unmark_others
local count_of_provider = require('inflight').count_of_provider
local end_inflight = require('inflight').end_inflight
local LEASED = require('leased')
local learn = require('lesson')
local clock = require('now')
local NEAR_US = require('places_of').NEAR_US
local is_resting = require('places_of').is_resting
local places_at = require('places_of').places_at
local places_of = require('places_of').places_of
local serves = require('places_of').serves
local serving = require('places_of').serving
local choice_of = require('provider_choice').choice_of
local next_of = require('provider_choice').next_of
local tier_and_instant = require('provider_choice').tier_and_instant
local open_of = require('slots_of').open_of
local providers_of = require('slots_of').providers_of
local slots_of = require('slots_of').slots_of
local forget_old = require('upstream_clock').forget_old
local set_back = require('upstream_clock').set_back
local keep_upstream = require('upstream_life')
local number_in = require('upstream_state').number_in
local put_number = require('upstream_state').put_number
local upstream_state = require('upstream_state').upstream_state
local write_upstream = require('upstream_state').write_upstream

local now_us = clock(ARGV)

local BOOKED, LATER, FULL, OPEN, NOT_ASKED = 0, 1, 2, 3, 4
local OF_END, OF_ASKING, ENDED_AT_ONCE, SHARE_OF_ONE = 3, 5, 500, 0.75

local lease_us, max_inflight, first_limit, probe_us = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]),
  tonumber(ARGV[4])
local adaptive, text, caller, ends, asking = ARGV[5], ARGV[6], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9])
local now = now_us(1)
local state = upstream_state(redis.call, KEYS[1])
local providers, groups, blocked, leases, marks = providers_of(text), {}, {}, {}, nil
local inflight, limit, share, places

-- After a step back of the clock no lease is longer than one that begins now.
local function follow_clock()
  if set_back(state, now) > 0 then
    local latest = now + NEAR_US + lease_us
    for _, member in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. string.format('%d', latest), '+inf')) do
      LEASED.hold(redis.call, KEYS[2], member, latest)
    end
  end
  forget_old(state, providers, now)
  put_number(state, 'at', now)
  marks = marks_in(state, now)
end

-- Ends expired leases, of nodes that have died.
local function end_leases()
  for _, member in ipairs(LEASED.over(redis.call, KEYS[2], now, ENDED_AT_ONCE)) do
    local id, provider = string.match(member, '^(%S+) (%S+)$')
    if id then
      end_inflight(redis.call, KEYS[2], state, id, provider)
    else
      redis.call('ZREM', KEYS[2], member)
    end
  end
end

-- Nothing is under way: the counters of all providers are zero.
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

local function book(asked, candidates)
  local tier, by_us = tier_and_instant(candidates, now)
  if by_us - now > asked.patience_us then
    return LATER, '', '', by_us - now, 0
  end
  local best = next_of(state, candidates, tier, by_us)
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

-- Cached until the next booking.
local function places_for(group)
  places[group] = places[group] or places_of(serving_group(group), group, state, share, now)
  return places[group]
end

-- Places of a provider owed to groups that were answered FULL earlier and have no place elsewhere.
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

-- Whether all room is owed to callers that were answered FULL earlier: of each group at most as
-- many as there are places for.
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
    code, provider, key, wait_us, is_probe = book(asked, choice_of(fresh, again, now + asked.patience_us))
  end
  if code ~= BOOKED and is_full then
    return FULL, '', '', 0, 0
  elseif code == LATER and open_until > now then
    wait_us = math.min(wait_us, open_until - now)
  end
  return code, provider, key, wait_us, is_probe
end

-- Requests of a group are served in order of arrival.
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
