-- Takes a cost from all buckets of a request, or from none; a denial makes an appointment.
--
-- KEYS
--   1      weir:policy, for the revision that was published last
--   2      the state of the key
--   3      the state of the tenant
--   4      the state of the cluster
--   5      the line of the key
--   6      the line of the tenant
-- ARGV
--   1      revision    integer, 1 to 2^53-1: the policy that the caller decides by
--   2      draws       integer, 1 to 1000, each of another bucket
--   3      slots       0 reserve, 1 estimate, 2 off
--   4      lateness    integer, microseconds: how long after its slot a place is kept
--   5      max_line    integer: how many appointments wait in a line at most
--   6      horizon     integer, microseconds: how far ahead an appointment is made at most
--   7      within      integer, microseconds: up to which wait a ticket is wanted, -1 for never
--   8      new_id      text of 22 characters that nobody can guess, or empty: what a new ticket is made of
--   9      ticket      text: <deadline>.<id>, or empty: what the caller shows
--   then for each draw
--     state            1 key, 2 tenant, 3 cluster: whose bucket it is
--     field            text, <bucket>@<mtps>; mtps: units drained a microsecond, 1 to 9.007e12
--     capacity         integer, units, 1 to 9.007e15
--     cost             integer, units, 1 to capacity + 1
-- RETURNS
--   { ALLOWED, lag_us, used... }         per draw the units used, the cost among them
--   { DENIED, lag_us, used... }          per draw the units used; nothing was taken
--   { NEVER_ALLOWED, lag_us, used... }   a cost is above its capacity; nothing was taken
--   { STALE, revision }                  a newer revision was published or has decided; nothing was taken
--   lag_us: how far the buckets are ahead of the clock, above 0 only after the clock went back
--   used: in a line, as a new caller finds it: all is used but the holes
--   where somebody waits or has to, followed by
--     wait_us, estimate  until the slot; 1 where nothing is promised
--     deadline_us        the ticket is <deadline_us>.<id>; 0 for no ticket
--     is_new             1 where the ticket's id is new_id, 0 where it is the one that was shown
--     returned           0 not, 1 early, 2 kept, 3 late, 4 unknown, 5 broken
--     made, lost, length 1 where an appointment was made; how many were not kept; how many wait then
-- ERRORS
--   none but those of wrong arguments
-- TTL
--   each written state expires when its last bucket is empty and nobody waits; a line with its last
--   appointment

--@include status
--@include now
--@include moved_on
--@include without_line
--@include carried_over
--@include end_other_lines
--@include buckets_of
--@include states_of
--@include draws_of
--@include bucket_of
--@include outcome
--@include shown
--@include moved_to

local CLUSTER, FIRST_DRAW = 3, 10
local OFF = '2'

local revision = tonumber(ARGV[1])
local draws = draws_of(ARGV, FIRST_DRAW, tonumber(ARGV[2]))

local clock = now_us()
local replies = {}
for _, draw in ipairs(draws) do
  if not replies[draw.state] then
    replies[draw.state] = redis.call('HGETALL', KEYS[draw.state + 1])
  end
end
local published = redis.call('HGET', KEYS[1], 'revision')
local states, now, newest, has_line = states_of(replies, clock, published)
if newest > revision then
  return { STALE, newest }
end

local drawn, carried, lines_changed = {}, {}, false

local function load_buckets()
  for _, draw in ipairs(draws) do
    local bucket, was_carried = bucket_of(draw, states[draw.state], now)
    draw.bucket = bucket
    drawn[draw.state] = drawn[draw.state] or {}
    drawn[draw.state][draw.name] = draw
    carried[draw.state] = carried[draw.state] or was_carried
  end
end

-- A denial writes only what a change of policy made of the buckets, and what became of the line: a
-- burst that shrank caps what was used at this instant, and the wait counts from here.
local function commit(decided)
  for i, state in pairs(states) do
    if drawn[i] and (decided or lines_changed) or carried[i] or state.changed then
      local written, deleted, longest_us = moved_to(state, drawn[i] or {}, now)
      local key = KEYS[i + 1]
      if state.line_us and state.line_us > now then
        written[#written + 1] = 'line_us'
        written[#written + 1] = state.line_us
        longest_us = math.max(longest_us, state.line_us - now + 1000)
      elseif state.line_us then
        deleted[#deleted + 1] = 'line_us'
      end
      redis.call('HSET', key, 'at_us', now, 'revision', drawn[i] and revision or state.revision,
        unpack(written))
      if #deleted > 0 then
        redis.call('HDEL', key, unpack(deleted))
      end
      redis.call('PEXPIREAT', key, math.ceil((now + longest_us) / 1000))
    end
  end
end

local function reply(status)
  local answer = { status, now - clock }
  for i, draw in ipairs(draws) do
    answer[i + 2] = shown(draw)
  end
  return answer
end

if has_line then
  for _, i in ipairs(end_other_lines(draws, states)) do
    lines_changed = true
    if i < CLUSTER then
      redis.call('DEL', KEYS[i + 4])
    end
  end
  has_line = false
  for _, state in pairs(states) do
    has_line = has_line or state.has_line
  end
end
load_buckets()
local status = outcome(draws)
if status == NEVER_ALLOWED or (not has_line and ARGV[9] == '' and (status == ALLOWED or ARGV[3] == OFF)) then
  local wait_us = 0
  for _, draw in ipairs(draws) do
    local bucket = draw.bucket
    if status == ALLOWED then
      bucket.used = bucket.used + draw.cost
    elseif status == DENIED and bucket.used > draw.capacity - draw.cost then
      local excess = bucket.used - (draw.capacity - draw.cost)
      local rest = math.fmod(excess, draw.mtps)
      wait_us = math.max(wait_us, (excess - rest) / draw.mtps + (rest > 0 and 1 or 0))
    end
  end
  commit(status == ALLOWED)
  local answer = reply(status)
  if status == DENIED then
    answer[#answer + 1] = wait_us
    answer[#answer + 1] = 1
  end
  return answer
end

-- Only from here on is anybody's line touched.
local function in_line()
--@include appointment
--@include released
--@include swept
--@include booking
  local LATE, UNKNOWN = 3, 4
  local LOOKED_AT = 256
  local KEPT_MILLIS = 60000 -- longer than anybody waits, so that what nobody kept is counted
  local letters = { 'k', 't' }

  for i = 1, 2 do
    if not states[i] then
      states[i] = buckets_of(redis.call('HGETALL', KEYS[i + 1]))
      now = math.max(now, states[i].at_us)
    end
  end
  local lost, length = 0, {}
  for i = 1, 2 do
    local gone
    gone, length[i] = swept(states[i], letters[i], KEYS[i + 4], now)
    if gone > 0 or length[i] == 0 and states[i].has_line then
      states[i].changed, lines_changed = true, true
    end
    if i == 1 then
      lost = gone
    end
  end
  load_buckets()

  local rules = { mode = tonumber(ARGV[3]), lateness = tonumber(ARGV[4]), horizon = tonumber(ARGV[6]),
    within = tonumber(ARGV[7]), new_id = ARGV[8] }
  local max_line = tonumber(ARGV[5])
  if drawn[2] and length[1] > 0 then
    -- Who waits already leaves the other half of the tenant's line to its other keys.
    rules.horizon, max_line = math.floor(rules.horizon / 2), math.floor(max_line / 2)
  end
  local line_has_room = length[1] < max_line and (not drawn[2] or length[2] < max_line)

  local function mine_of(texts)
    local asked_for = kind_of(draws)
    for _, text in ipairs(texts) do
      local place = is_open_to(text, now, asked_for) and place_of(text)
      if place then
        mark_held(place, draws)
        if not string.find(place.shares, ' t+', 1, true) or redis.call('ZSCORE', KEYS[6], text) then
          return place
        end
        for _, draw in ipairs(draws) do
          draw.held = nil
        end
        return nil
      end
    end
    return nil
  end

  local mine, returned = nil, 0
  if ARGV[9] ~= '' then
    mine = mine_of(redis.call('ZRANGEBYLEX', KEYS[5], '[t' .. ARGV[9] .. ' ', '(t' .. ARGV[9] .. '!',
      'LIMIT', 0, 1))
    if not mine then
      returned = tonumber(string.sub(ARGV[9], 1, 16)) < now and LATE or UNKNOWN
    end
  elseif ARGV[8] == '' or rules.within < 1e15 then
    mine = mine_of(redis.call('ZRANGEBYLEX', KEYS[5], string.format('[p%016.0f', now), '(q', 'LIMIT', 0,
      LOOKED_AT))
  end

  local result = booking(now, rules, draws, line_has_room, mine, returned)
  local place = result.place
  if mine and place ~= mine then
    redis.call('ZREM', KEYS[5], mine.text)
    redis.call('ZREM', KEYS[6], mine.text)
    length[1] = length[1] - 1
  end
  if place and place ~= mine then
    place.text = text_of(place)
    for i = 1, 2 do
      if i == 1 or string.find(place.shares, ' t+', 1, true) then
        local state = states[i]
        local until_us = math.max(state.line_us or 0, place.deadline)
        redis.call('ZADD', KEYS[i + 4], 0, place.text)
        redis.call('PEXPIREAT', KEYS[i + 4], math.ceil(until_us / 1000) + KEPT_MILLIS)
        state.line_us = until_us
        state.changed = true
      end
    end
    length[1] = length[1] + 1
  end
  commit(result.changed)
  local answer = reply(result.status)
  local n = #answer
  answer[n + 1] = result.wait_us
  answer[n + 2] = result.estimate or 0
  answer[n + 3] = place and place.id ~= '-' and place.deadline or 0
  answer[n + 4] = place and place.id == ARGV[8] and 1 or 0
  answer[n + 5] = result.returned or 0
  answer[n + 6] = result.made or 0
  answer[n + 7] = lost
  answer[n + 8] = result.made and length[1] or 0
  return answer
end
return in_line()
