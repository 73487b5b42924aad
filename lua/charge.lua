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
--   2      draws       integer, 1 to 500, each of another bucket
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

local CLUSTER, FIRST_DRAW, RESERVE, OFF = 3, 10, '0', '2'
local LOOKED_AT = 256
local BESIDE_BUCKETS = 2 -- the fields at_us and revision

local revision, count = tonumber(ARGV[1]), tonumber(ARGV[2])
local last = FIRST_DRAW + 4 * count - 1
local clock = now_us()
local now, newest = clock, tonumber(redis.call('HGET', KEYS[1], 'revision') or 0)
local replies, hashes, unread = {}, {}, {}
for at = FIRST_DRAW, last, 4 do
  local state = tonumber(ARGV[at])
  if not replies[state] then
    local reply, hash = redis.call('HGETALL', KEYS[state + 1]), {}
    for i = 1, #reply, 2 do
      hash[reply[i]] = reply[i + 1]
    end
    replies[state], hashes[state], unread[state] = reply, hash, #reply / 2
    if hash.at_us then
      unread[state] = unread[state] - BESIDE_BUCKETS
      now = math.max(now, tonumber(hash.at_us))
      newest = math.max(newest, tonumber(hash.revision))
    end
  end
end
if newest > revision then
  return { STALE, newest }
end

-- The usual case, without a table too many: nobody waits, and the buckets are just those that were written.
-- Nil where it is not so simple.
local function decided_simply()
  local answer, wait_us, fits = { ALLOWED, now - clock }, 0, true
  local rates = {}
  for at = FIRST_DRAW, last, 4 do
    local state, field = tonumber(ARGV[at]), ARGV[at + 1]
    local capacity, cost = tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
    local mtps, level = tonumber(string.sub(field, string.find(field, '@', 1, true) + 1)), 0
    local before = hashes[state][field]
    if before then
      unread[state] = unread[state] - 1
      level = math.max(0, tonumber(before) - (now - tonumber(hashes[state].at_us)) * mtps)
    end
    if cost > capacity or level > capacity then
      return nil
    end
    if level > capacity - cost then
      local excess = level - (capacity - cost)
      local rest = math.fmod(excess, mtps)
      fits, wait_us = false, math.max(wait_us, (excess - rest) / mtps + (rest > 0 and 1 or 0))
    end
    rates[#rates + 1] = mtps
    answer[#answer + 1] = level
  end
  for _, fields in pairs(unread) do
    if fields > 0 then
      return nil
    end
  end
  if fits then
    return answer, rates
  end
  if ARGV[3] ~= OFF then
    return nil
  end
  answer[1], answer[#answer + 1], answer[#answer + 2] = DENIED, wait_us, 1
  return answer
end

local function commit_simply(answer, rates)
  for state in pairs(hashes) do
    local written, longest_us = { 'at_us', string.format('%d', now), 'revision', ARGV[1] }, 0
    for i = 1, count do
      local at = FIRST_DRAW + 4 * (i - 1)
      if tonumber(ARGV[at]) == state then
        local used = answer[i + 2] + tonumber(ARGV[at + 3])
        written[#written + 1], written[#written + 2] = ARGV[at + 1], string.format('%d', used)
        longest_us = math.max(longest_us, used / rates[i])
        answer[i + 2] = used
      end
    end
    redis.call('HSET', KEYS[state + 1], unpack(written))
    redis.call('PEXPIREAT', KEYS[state + 1],
      string.format('%d', math.ceil((now + math.ceil(longest_us)) / 1000)))
  end
end

-- A place at the end of a line in which nothing has to be kept or let go. Nil where it is not so simple.
local function booked_simply(key_state)
--@include end_of_line
  local line, max_line, wants_always = KEYS[5], tonumber(ARGV[5]), tonumber(ARGV[7]) >= 1e15
  if ARGV[3] ~= RESERVE or now > tonumber(key_state.sweep_us) or key_state.revision ~= ARGV[1] then
    return nil
  end
  local place = end_of_line(ARGV, FIRST_DRAW, count, key_state, now)
  if not place or place.fields ~= #replies[1] / 2 or place.deadline > tonumber(key_state.line_us)
    or place.deadline < tonumber(key_state.sweep_us) then
    return nil
  end
  local length = redis.call('ZCARD', line)
  if length == 0 or length >= max_line then
    return nil
  end
  if not wants_always then
    local first = redis.call('ZRANGEBYLEX', line, string.format('[p%016d', now), '(q', 'LIMIT', 0, 1)[1]
    if first and tonumber(string.sub(first, 21, 36)) <= now then
      return nil
    end
  end
  redis.call('ZADD', line, 0, place.text)
  redis.call('HSET', KEYS[2], unpack(place.written))
  local answer = { DENIED, now - clock, unpack(place.shown) }
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3] = place.slot - now, 0, place.is_ticket and place.deadline or 0
  answer[n + 4], answer[n + 5], answer[n + 6] = place.is_ticket and 1 or 0, 0, 1
  answer[n + 7], answer[n + 8] = 0, length + 1
  return answer
end

if ARGV[9] == '' and hashes[1] and hashes[1].sweep_us then
  local booked = booked_simply(hashes[1])
  if booked then
    return booked
  end
elseif ARGV[9] == '' then
  local simple, rates = decided_simply()
  if rates then
    commit_simply(simple, rates)
  end
  if simple then
    return simple
  end
end

-- All other cases. What follows is not even defined where it is not needed.
local function decided_in_detail()
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

  local draws = draws_of(ARGV, FIRST_DRAW, count)
  local states, has_line = states_of(replies)

  local drawn, carried, lines_changed, loaded_at = {}, {}, false, 0

  local function load_buckets()
    loaded_at = now
    for _, draw in ipairs(draws) do
      local bucket, was_carried = bucket_of(draw, states[draw.state], now)
      draw.bucket = bucket
      drawn[draw.state] = drawn[draw.state] or {}
      drawn[draw.state][draw.name] = draw
      carried[draw.state] = carried[draw.state] or was_carried
    end
  end

  -- Writes a new place or estimate and nothing else, where that is all: the levels stay as of when they were
  -- written. Says whether it could.
  local function commit_booking(i, state)
    for name, before in pairs(state.buckets) do
      if not drawn[i][name] or drawn[i][name].key ~= before.key then
        return false
      end
    end
    local written = {}
    local function write(field, value, before)
      if value ~= before then
        written[#written + 1], written[#written + 2] = field, string.format('%d', value)
      end
    end
    for name, draw in pairs(drawn[i]) do
      local bucket, before = draw.bucket, state.buckets[name]
      if not before or bucket.holes > 0 or before.holes > 0 then
        return false
      end
      write(draw.key .. '.waiting', bucket.waiting, before.waiting)
      write(draw.key .. '.slot', bucket.slot, before.slot)
      write(draw.key .. '.estimate', bucket.estimate, before.estimate)
    end
    write('line_us', state.line_us, state.line_us_before)
    write('sweep_us', state.sweep_us, state.sweep_us_before)
    if #written > 0 then
      redis.call('HSET', KEYS[i + 1], unpack(written))
    end
    return true
  end

  -- A denial writes only what a change of policy made of the buckets, and what became of the line: a
  -- burst that shrank caps what was used at this instant, and the wait counts from here.
  local function commit(decided, made)
    for i, state in pairs(states) do
      local only_booked = made and not lines_changed and not carried[i] and drawn[i] and state.revision == revision
        and state.line_us and state.line_us == state.line_us_before
      if only_booked and commit_booking(i, state) then
        state.changed = false
      elseif drawn[i] and (decided or lines_changed) or carried[i] or state.changed then
        local written, deleted, longest_us = moved_to(state, drawn[i] or {}, now)
        local key = KEYS[i + 1]
        redis.call('HSET', key, 'at_us', string.format('%d', now), 'revision',
          string.format('%d', drawn[i] and revision or state.revision), unpack(written))
        if #deleted > 0 then
          redis.call('HDEL', key, unpack(deleted))
        end
        if not (state.line_us and state.line_us == state.line_us_before and state.line_us >= now + longest_us) then
          redis.call('PEXPIREAT', key, string.format('%d', math.ceil((now + longest_us) / 1000)))
        end
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
      states[i].line_us, states[i].sweep_us = nil, nil
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
--@include booking
    local LATE, UNKNOWN = 3, 4
    local SWEPT_AT_MOST = 256
    local KEPT_US = 60000000 -- a line lives on, so that what nobody kept is counted, and its time seldom set
    local letters = { 'k', 't' }

    if not states[1] then
      states[1] = buckets_of(redis.call('HGETALL', KEYS[2]))
      now = math.max(now, states[1].at_us)
    end
    local function sweeps_from(state, line)
      local first_us = math.huge
      for _, range in ipairs({ { '[t', '(u' }, { '[p', '(q' } }) do
        local text = redis.call('ZRANGEBYLEX', line, range[1], range[2], 'LIMIT', 0, 1)[1]
        first_us = text and math.min(first_us, tonumber(string.sub(text, 2, 17))) or first_us
      end
      state.sweep_us, state.changed = first_us, true
    end

    local function is_empty(state)
      for _, bucket in pairs(state.buckets) do
        without_line(bucket)
      end
      state.changed = state.changed or state.line_us or state.has_line
      state.line_us, state.sweep_us = nil, nil
    end

    -- Lets go the appointments of a line whose time is over: the first of them, or all where nobody else waits.
    -- Changes the state, whose letter is `letter`. Gives how many they were, and how many wait still.
    local function swept(state, letter, line)
      local length = redis.call('ZCARD', line)
      if length == 0 then
        is_empty(state)
      end
      if length == 0 or state.sweep_us and now <= state.sweep_us then
        return 0, length
      end
      local over, texts = 0, {}
      for _, kind in ipairs({ 't', 'p' }) do
        local before = string.format('(%s%016d', kind, now)
        local first = redis.call('ZRANGEBYLEX', line, '[' .. kind, before, 'LIMIT', 0, SWEPT_AT_MOST)
        for _, text in ipairs(first) do
          texts[#texts + 1] = text
        end
        over = over + (#first < SWEPT_AT_MOST and #first or redis.call('ZLEXCOUNT', line, '[' .. kind, before))
      end
      if over == length then
        redis.call('DEL', line)
        is_empty(state)
        return over, 0
      end
      table.sort(texts, function(a, b) return string.sub(a, 2) < string.sub(b, 2) end)
      local places, gone = {}, {}
      for i = 1, math.min(#texts, SWEPT_AT_MOST) do
        places[i], gone[i] = place_of(texts[i]), texts[i]
      end
      if #gone > 0 then
        redis.call('ZREM', line, unpack(gone))
        released(state, letter, places)
      end
      sweeps_from(state, line)
      return #gone, length - #gone
    end

    local lost, length = {}, {}
    for i = 1, 2 do
      if states[i] then
        lost[i], length[i] = swept(states[i], letters[i], KEYS[i + 4])
        lines_changed = lines_changed or states[i].changed
      end
    end
    if lines_changed or now > loaded_at then
      load_buckets()
    end

    local rules = { mode = tonumber(ARGV[3]), lateness = tonumber(ARGV[4]), horizon = tonumber(ARGV[6]),
      within = tonumber(ARGV[7]), new_id = ARGV[8] }
    local max_line = tonumber(ARGV[5])
    if drawn[2] and length[1] > 0 then
      -- Who waits already leaves the other half of the tenant's line to its other keys.
      rules.horizon, max_line = math.floor(rules.horizon / 2), math.floor(max_line / 2)
    end
    local line_has_room = length[1] < max_line and (not drawn[2] or length[2] < max_line)

    local asked_for
    local function is_mine(text)
      asked_for = asked_for or kind_of(draws)
      return is_open_to(text, now, asked_for)
        and (not string.find(text, ' t+', 1, true) or redis.call('ZSCORE', KEYS[6], text))
    end

    -- Those whose slot has come stand before the others, give or take what their buckets cannot hold long: where
    -- the first is not due, nobody is.
    local function mine_of_anybodys()
      local from, how_many = string.format('[p%016d', now), 1
      for offset = 0, 1 do
        for _, text in ipairs(redis.call('ZRANGEBYLEX', KEYS[5], from, '(q', 'LIMIT', offset, how_many)) do
          if is_mine(text) then
            return text
          end
          if offset == 0 and not is_due(text, now) then
            return nil
          end
        end
        how_many = LOOKED_AT - 1
      end
    end

    local text, returned = nil, 0
    if ARGV[9] ~= '' then
      text = redis.call('ZRANGEBYLEX', KEYS[5], '[t' .. ARGV[9] .. ' ', '(t' .. ARGV[9] .. '!', 'LIMIT', 0, 1)[1]
      if not text or not is_mine(text) then
        text, returned = nil, tonumber(string.sub(ARGV[9], 1, 16)) < now and LATE or UNKNOWN
      end
    elseif has_line and (ARGV[8] == '' or rules.within < 1e15) then
      text = mine_of_anybodys()
    end
    local mine = text and place_of(text)
    if mine then
      mark_held(mine, draws)
    end

    local result = booking(now, rules, draws, line_has_room, mine, returned)
    local place = result.place
    if mine and place ~= mine then
      for i = 1, 2 do
        if states[i] then
          length[i] = length[i] - redis.call('ZREM', KEYS[i + 4], mine.text)
          if length[i] == 0 then
            states[i].line_us, states[i].sweep_us, states[i].changed = nil, nil, true
          end
        end
      end
    end
    if place and place ~= mine then
      place.text = text_of(place)
      for i = 1, 2 do
        if i == 1 or string.find(place.shares, ' t+', 1, true) then
          local state = states[i]
          redis.call('ZADD', KEYS[i + 4], 0, place.text)
          if not state.line_us or place.deadline > state.line_us then
            state.line_us = place.deadline + KEPT_US
            redis.call('PEXPIREAT', KEYS[i + 4], string.format('%d', math.ceil(state.line_us / 1000)))
          end
          state.sweep_us = math.min(state.sweep_us or place.deadline, place.deadline)
          state.changed = true
        end
      end
      length[1] = length[1] + 1
    end
    commit(result.changed, result.made)
    local answer = reply(result.status)
    local n = #answer
    answer[n + 1] = result.wait_us
    answer[n + 2] = result.estimate or 0
    answer[n + 3] = place and place.id ~= '-' and place.deadline or 0
    answer[n + 4] = place and place.id == ARGV[8] and 1 or 0
    answer[n + 5] = result.returned or 0
    answer[n + 6] = result.made or 0
    answer[n + 7] = lost[1]
    answer[n + 8] = result.made and length[1] or 0
    return answer
  end
  return in_line()
end
return decided_in_detail()
