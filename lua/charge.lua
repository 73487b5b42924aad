-- Decides on charges in the order in which they stand: each takes its cost from all of its buckets, or from
-- none; a denial makes an appointment. Charges that are equal in everything stand as one with a count.
--
-- KEYS
--   1      weir:policy, for the revision that was published last
--   then   the states of keys, tenants and the cluster, each once; the line of a state is <state>:line
-- ARGV
--   1      the charges, packed, 19 bytes for each, most significant byte first
--            terms      2 bytes: which argument holds them
--            count      2 bytes, above 0: how many equal charges it stands for
--            cost       7 bytes, above 0, in operations
--            key        2 bytes: which of KEYS is the state of the key
--            tenant     2 bytes: the same of the tenant
--            cluster    2 bytes: the same of the cluster
--            ticket     2 bytes: which argument holds what the caller shows and wants, 0 for nothing
--   then   terms, packed
--            revision   7 bytes, above 0: the policy that the caller decides by
--            slots      1 byte: 0 reserve, 1 estimate, 2 off
--            lateness   7 bytes, microseconds: how long after its slot a place is kept
--            max_line   4 bytes: how many appointments wait in a line at most
--            horizon    7 bytes, microseconds: how far ahead an appointment is made at most
--            own        1 byte: 1 where all buckets are the key's own, else 0
--            draws      2 bytes, 1 to 500, each of another bucket; for each
--              scope    1 byte: 1 key, 2 tenant, 3 cluster: whose bucket it is
--              mtps     7 bytes: units drained a microsecond, 1 to 9.007e12
--              capacity 7 bytes: units, 1 to 9.007e15
--              units    7 bytes: of one operation, 1 to capacity
--            fields     text, for each draw <bucket>@<mtps>, with a space between
--          or what a caller shows and wants, text: <within> <new_id> <ticket>
--            within     microseconds: up to which wait a ticket is wanted, -1 for never
--            new_id     22 characters that nobody can guess, or empty: what a new ticket is made of
--            ticket     <deadline>.<id>, or empty
-- RETURNS
--   { clock_us, answer... }; for each charge, in order, one or more of
--     value...           all of the count are ALLOWED: the states afterwards, those of its terms by scope;
--                        without the fields where they are just those of the terms, in their order
--     admitted, value... so many are ALLOWED. With slots off the others are DENIED and take nothing;
--                        otherwise an answer for each of them follows
--     { status, ... }    one of them, or all that are left where it is NEVER_ALLOWED, STALE or FAILED
--   { ALLOWED, lag_us, used... }         per draw the units used, the cost among them
--   { DENIED, lag_us, used... }          per draw the units used; nothing was taken
--   { NEVER_ALLOWED, lag_us, used... }   a cost is above its capacity; nothing was taken
--   { STALE, revision }                  a newer revision was published or has decided; nothing was taken
--   { FAILED, text }                     what is in Redis cannot be understood; nothing was taken
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
--   a written state expires when its last bucket is empty and nobody waits, or up to as long again and a
--   second later, so that its time seldom has to be set; a line with its last appointment

--@include now

local byte, sub, pack, unpack_numbers = string.byte, string.sub, struct.pack, struct.unpack

local charges = { unpack_numbers('>' .. string.rep('I2I2I7I2I2I2I2', #ARGV[1] / 19), ARGV[1]) }
local newest = tonumber(redis.call('HGET', KEYS[1], 'revision') or 0) or 0
local values = redis.call('MGET', unpack(KEYS, 2))
local absent = {}
for i = 1, #values do
  if not values[i] then
    absent[#absent + 1] = KEYS[i + 1]
  end
end
-- What is of another type is there all the same, and no state.
if #absent > 0 and redis.call('EXISTS', unpack(absent)) > 0 then
  for i = 1, #values do
    values[i] = values[i] or redis.call('EXISTS', KEYS[i + 1]) > 0 and ''
  end
end
local answers, answered = { now_us(1) }, 1
-- What becomes of the states: the packed numbers, the fields where they are others, the time where it is another.
local heads, texts, times = {}, {}, {}

-- The numbers of terms by which a key takes from its own buckets alone, false for others: the revision first,
-- from OWN on four numbers for each draw, and how a state looks that holds just these buckets.
local OWN, SLOTS_OFF = 8, 2
local function own_of(text)
  if byte(text, 27) == 0 then
    return false
  end
  local count = 256 * byte(text, 28) + byte(text, 29)
  local own = { unpack_numbers('>I7BI7I4I7BI2' .. string.rep('BI7I7I7', count), text) }
  own.last, own.from, own.fields = 4 + count, 23 + 7 * count, sub(text, 30 + 22 * count)
  own.format = '>I2I7I7I6' .. string.rep('I7', count)
  return own
end

-- The most usual case, in the fewest steps: all buckets are the key's own, the state holds just them, everything
-- fits, and the time to live is long enough. Gives the packed numbers; or nil, and the state as it stays where one
-- charge is denied and slots are off. Nil alone where it is not so.
local function taken_usually(k, own, count, cost, now)
  local value = values[k - 1]
  if not value or heads[k] or sub(value, own.from) ~= own.fields then
    return nil
  end
  local numbers = { unpack_numbers(own.format, value) }
  local elapsed, lives_us, revision = now - numbers[2], numbers[4] * 1000 - now, own[1]
  if elapsed < 0 or numbers[3] ~= revision or newest > revision then
    return nil
  end
  local d, times_cost, is_denied = OWN, count * cost, false
  for j = 5, own.last do
    local rate, capacity, units = own[d + 1], own[d + 2], own[d + 3] * times_cost
    local level = numbers[j] - elapsed * rate
    level = level > 0 and level or 0
    if level + units > capacity then
      if level > capacity or units > capacity or count > 1 or own[2] ~= SLOTS_OFF then
        return nil
      end
      is_denied = true
    elseif level + units > lives_us * rate then
      return nil
    end
    numbers[j] = level + units
    d = d + 4
  end
  if is_denied then
    return nil, value
  end
  numbers[2] = now
  return pack(own.format, unpack(numbers))
end

-- All other cases. What follows is not even defined where it is not needed.
local function defined_otherwise()
--@include status
--@include layout_of
--@include unpacked
--@include terms_of

  local CLUSTER, RESERVE, OFF = 3, 0, 2
  local LOOKED_AT = 256
  local SIMPLY_AT_MOST = 64 -- a state with more fields is looked through for those that are empty
  local TERMS, COUNT, COST, SCOPES, TICKET = 1, 2, 3, 3, 7

  local layouts, terms_at = {}, {}

  -- The value of a state as it is now, false where there is none.
  local function value_of(k)
    local head = heads[k]
    return head and head .. (texts[k] or sub(values[k - 1], #head + 1)) or values[k - 1]
  end

  -- Remembers what became of a state of this format, and until when it is worth keeping.
  local function write(k, layout, numbers, until_us)
    if until_us > numbers[EXPIRES] * 1000 then
      local until_ms, now_ms = math.ceil(until_us / 1000), math.floor(numbers[AT] / 1000)
      numbers[EXPIRES] = 2 * until_ms - math.min(now_ms, until_ms) + 1000
      times[k] = numbers[EXPIRES]
    end
    heads[k] = pack(layout.format, unpack(numbers))
  end

  -- How a state of a layout takes charges by some draws of a scope: what each of its numbers drains, takes and holds.
  -- Not simple where a bucket has another rate, or somebody waits.
  local function way_of(ways, layout)
    local way, text = { is_simple = layout.is_plain }, layout.text
    ways[layout] = way
    for _, draw in ipairs(ways.draws) do
      if not layout.index[draw.field] then
        way.is_simple = way.is_simple and not layout.names[string.match(draw.field, '^[^@]+')]
        text = text == '' and draw.field or text .. ' ' .. draw.field
      end
    end
    local grown = layout_of(text, layouts)
    way.is_simple = way.is_simple and (grown == layout or grown.count <= SIMPLY_AT_MOST)
    way.mtps, way.count, way.format, way.is_own = grown.mtps, grown.count, grown.format, text == ways.text
    way.text, way.units, way.capacity = grown ~= layout and text or nil, {}, {}
    for j = 1, grown.count do
      way.units[j], way.capacity[j] = 0, math.huge
    end
    for _, draw in ipairs(ways.draws) do
      local j = grown.index[draw.field] - BEFORE_FIELDS
      way.units[j], way.capacity[j] = draw.units, draw.capacity
    end
    return way
  end

  -- The usual case: nobody waits, and the buckets are those of the policy. Drains the numbers of the state number k
  -- to `now` and adds what so many charges of this cost take. Gives the layout, the numbers and when they are empty,
  -- nil where it is not so simple; and how many of the charges fit.
  local function taken(k, ways, revision, cost, count, now)
    local value = heads[k] and value_of(k) or values[k - 1]
    local layout, numbers
    if value then
      local high, low = byte(value, 1, 2)
      local held = 256 * (high or 0) + (low or 0)
      layout = layout_of(sub(value, BEFORE_NUMBERS + 1 + 7 * held), layouts)
      if held ~= layout.count or #value < BEFORE_NUMBERS then
        return nil
      end
      numbers = { unpack_numbers(layout.format, value) }
    else
      layout, numbers = layout_of('', layouts), { 0, now, 0, 0 }
    end
    local way = ways[layout] or way_of(ways, layout)
    numbers[layout.count + 5] = nil -- where the value ended
    local elapsed = now - numbers[2]
    if not way.is_simple or elapsed < 0 or numbers[3] > revision then
      return nil
    end
    local mtps, units, capacity, fit, longest_us = way.mtps, way.units, way.capacity, count, 0
    local times_cost = cost * count
    for j = 1, way.count do
      local rate, at = mtps[j], j + 4
      local level = (numbers[at] or 0) - elapsed * rate
      level = level > 0 and level or 0
      local used = level + units[j] * times_cost
      if used > capacity[j] then
        local each, free = units[j] * cost, capacity[j] - level
        if free < 0 or each > capacity[j] then
          return nil
        end
        if fit * each > free then
          fit = (free - math.fmod(free, each)) / each
        end
      end
      numbers[at] = used
      if used > longest_us * rate then
        longest_us = used / rate
      end
    end
    numbers[1], numbers[2], numbers[3] = way.count, now, revision
    return way, numbers, now + longest_us, fit
  end

  -- Writes what was taken from a state, and answers it.
  local function commit_simply(k, way, numbers, until_us)
    if way.text then
      texts[k] = way.text
    end
    write(k, way, numbers, until_us)
    answered = answered + 1
    answers[answered] = way.is_own and heads[k] or value_of(k)
  end

  -- Admits as many charges as fit; gives how many, or nil where it is not so simple.
  local function admitted_simply(i, base, terms)
    local now, scopes, cost, revision = now_us(i), terms.scopes, charges[base + COST], terms.revision
    local count = charges[base + COUNT]
    local fits, ways, numbers, untils = count, {}, {}, {}
    if #scopes == 1 then
      local k = charges[base + SCOPES + scopes[1]]
      local way, taken_from, until_us, fit = taken(k, terms.ways[scopes[1]], revision, cost, count, now)
      if way and fit == count then
        commit_simply(k, way, taken_from, until_us)
        return count
      end
    end
    for s = 1, #scopes do
      local fit
      ways[s], numbers[s], untils[s], fit =
        taken(charges[base + SCOPES + scopes[s]], terms.ways[scopes[s]], revision, cost, count, now)
      if not ways[s] then
        return nil
      end
      fits = fit < fits and fit or fits
    end
    if fits < count then
      if fits == 0 and terms.mode ~= OFF then
        return 0
      end
      answered = answered + 1
      answers[answered] = fits
      for s = 1, fits > 0 and #scopes or 0 do
        ways[s], numbers[s], untils[s] =
          taken(charges[base + SCOPES + scopes[s]], terms.ways[scopes[s]], revision, cost, fits, now)
      end
    end
    for s = 1, #scopes do
      local k = charges[base + SCOPES + scopes[s]]
      if fits > 0 then
        commit_simply(k, ways[s], numbers[s], untils[s])
      else
        answered = answered + 1
        answers[answered] = value_of(k) or ''
      end
    end
    return fits
  end

  -- Reads a state; an error where there is something else.
  local function state_of(k)
    local state = unpacked(value_of(k), layouts)
    if not state then
      error(KEYS[k] .. ' holds no state', 0)
    end
    return state
  end

  -- Writes a state that has other fields than it had.
  local function write_fields(k, layout, numbers, until_us)
    texts[k] = layout.text
    write(k, layout, numbers, until_us)
  end

  -- Where somebody waits, or the policy has changed. Again defined only where it is needed.
  local function defined_in_detail()
--@include moved_on
--@include without_line
--@include carried_over
--@include end_other_lines
--@include buckets_of
--@include draws_of
--@include bucket_of
--@include outcome
--@include shown
--@include moved_to
--@include with_fields
--@include end_of_line

    -- A place at the end of a line in which nothing has to be kept or let go. Nil where it is not so simple.
    local function booked_simply(charge, terms)
      local k = charge.keys[1]
      local state, line, now = state_of(k), KEYS[k] .. ':line', charge.clock
      local index, numbers = state.layout.index, state.numbers
      local sweep_us = numbers[index.sweep_us or 0]
      if not sweep_us or terms.mode ~= RESERVE or now > sweep_us or numbers[REVISION] ~= terms.revision
        or now < numbers[AT] then
        return nil
      end
      local place = end_of_line(terms, charge.cost, charge.within, charge.new_id, state, now)
      if not place or place.fields ~= numbers[1] or place.deadline > numbers[index.line_us]
        or place.deadline < sweep_us then
        return nil
      end
      local length = redis.call('ZCARD', line)
      if length == 0 or length >= terms.max_line then
        return nil
      end
      if charge.within < 1e15 then
        local first = redis.call('ZRANGEBYLEX', line, string.format('[p%016d', now), '(q', 'LIMIT', 0, 1)[1]
        if first and tonumber(string.sub(first, 21, 36)) <= now then
          return nil
        end
      end
      redis.call('ZADD', line, 0, place.text)
      for i, field in ipairs(state.layout.fields) do
        place.written[field] = place.written[field] or numbers[i + BEFORE_FIELDS]
      end
      local layout, booked = with_fields(place.written, terms.draws, numbers[AT],
        numbers[REVISION], numbers[EXPIRES], layouts)
      write_fields(k, layout, booked, 0)
      local answer = { DENIED, 0, unpack(place.shown) }
      local n = #answer
      answer[n + 1], answer[n + 2], answer[n + 3] = place.slot - now, 0, place.is_ticket and place.deadline or 0
      answer[n + 4], answer[n + 5], answer[n + 6] = place.is_ticket and 1 or 0, 0, 1
      answer[n + 7], answer[n + 8] = 0, length + 1
      return answer
    end

    local function decided(charge, terms)
      local clock, keys, revision = charge.clock, charge.keys, terms.revision
      local now, has_line, newest_seen, read = clock, false, 0, {}
      for _, scope in ipairs(terms.scopes) do
        local state = buckets_of(state_of(keys[scope]))
        read[scope], has_line = state, has_line or state.has_line
        now, newest_seen = math.max(now, state.at_us), math.max(newest_seen, state.revision)
      end
      if newest_seen > revision then
        return { STALE, newest_seen }
      end
      local draws = draws_of(terms, charge.cost)
      local drawn, carried, lines_changed, loaded_at = {}, {}, false, 0

      local function load_buckets()
        loaded_at = now
        for _, draw in ipairs(draws) do
          local bucket, was_carried = bucket_of(draw, read[draw.state], now)
          draw.bucket = bucket
          drawn[draw.state] = drawn[draw.state] or {}
          drawn[draw.state][draw.name] = draw
          carried[draw.state] = carried[draw.state] or was_carried
        end
      end

      -- A denial writes only what a change of policy made of the buckets, and what became of the line: a
      -- burst that shrank caps what was used at this instant, and the wait counts from here.
      local function commit(was_decided)
        for scope, state in pairs(read) do
          if drawn[scope] and (was_decided or lines_changed) or carried[scope] or state.changed then
            local fields, longest_us = moved_to(state, drawn[scope] or {}, now)
            local layout, numbers = with_fields(fields, terms.draws, now, drawn[scope] and revision or state.revision,
              state.expires_ms, layouts)
            write_fields(keys[scope], layout, numbers, now + longest_us)
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
        for _, scope in ipairs(end_other_lines(draws, read)) do
          lines_changed = true
          read[scope].line_us, read[scope].sweep_us = nil, nil
          if scope < CLUSTER then
            redis.call('DEL', KEYS[keys[scope]] .. ':line')
          end
        end
        has_line = false
        for _, state in pairs(read) do
          has_line = has_line or state.has_line
        end
      end
      load_buckets()
      local status = outcome(draws)
      if status == NEVER_ALLOWED
        or (not has_line and charge.ticket == '' and (status == ALLOWED or terms.mode == OFF)) then
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

        if not read[1] then
          read[1] = buckets_of(state_of(keys[1]))
          now = math.max(now, read[1].at_us)
        end
        local lines = {}
        for i = 1, 2 do
          lines[i] = keys[i] > 0 and KEYS[keys[i]] .. ':line'
        end
        local function sweeps_from(state, line)
          local first_us = math.huge
          for _, range in ipairs({ { '[t', '(u' }, { '[p', '(q' }, { '[g', '(h' } }) do
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

        -- Lets go the appointments of a line whose time is over: the first of them, or all where nobody else
        -- waits. Changes the state, whose letter is `letter`. Gives how many they were, and how many wait still.
        local function swept(state, letter, line)
          local length = redis.call('ZCARD', line)
          if length == 0 then
            is_empty(state)
          end
          if length == 0 or state.sweep_us and now <= state.sweep_us then
            return 0, length
          end
          local over, overdue, gaps = 0, {}, nil
          for _, kind in ipairs({ 't', 'p', 'g' }) do -- gaps last, as they count for no appointment
            local before = string.format('(%s%016d', kind, now)
            local first = redis.call('ZRANGEBYLEX', line, '[' .. kind, before, 'LIMIT', 0, SWEPT_AT_MOST)
            for _, text in ipairs(first) do
              overdue[#overdue + 1] = text
            end
            gaps = #first < SWEPT_AT_MOST and #first or redis.call('ZLEXCOUNT', line, '[' .. kind, before)
            over = over + gaps
          end
          if over == length then
            redis.call('DEL', line)
            is_empty(state)
            return over - gaps, 0
          end
          table.sort(overdue, function(a, b) return string.sub(a, 2) < string.sub(b, 2) end)
          local places, gone, lost = {}, {}, 0
          for i = 1, math.min(#overdue, SWEPT_AT_MOST) do
            places[i], gone[i] = place_of(overdue[i]), overdue[i]
            lost = lost + (places[i].id == '~' and 0 or 1)
          end
          if #gone > 0 then
            redis.call('ZREM', line, unpack(gone))
            released(state, letter, places)
          end
          sweeps_from(state, line)
          return lost, length - #gone
        end

        local lost, length = {}, {}
        for i = 1, 2 do
          if read[i] then
            lost[i], length[i] = swept(read[i], letters[i], lines[i])
            lines_changed = lines_changed or read[i].changed
          end
        end
        if lines_changed or now > loaded_at then
          load_buckets()
        end

        local rules = { mode = terms.mode, lateness = terms.lateness, horizon = terms.horizon,
          within = charge.within, new_id = charge.new_id }
        local max_line = terms.max_line
        if drawn[2] and length[1] > 0 then
          -- Who waits already leaves the other half of the tenant's line to its other keys.
          rules.horizon, max_line = math.floor(rules.horizon / 2), math.floor(max_line / 2)
        end
        local line_has_room = length[1] < max_line and (not drawn[2] or length[2] < max_line)

        local asked_for
        local function is_mine(text)
          asked_for = asked_for or kind_of(draws)
          return is_open_to(text, now, asked_for)
            and (not string.find(text, ' t+', 1, true) or redis.call('ZSCORE', lines[2], text))
        end

        -- Those whose slot has come stand before the others, give or take what their buckets cannot hold long:
        -- where the first is not due, nobody is.
        local function mine_of_anybodys()
          local from, how_many = string.format('[p%016d', now), 1
          for offset = 0, 1 do
            local found = redis.call('ZRANGEBYLEX', lines[1], from, '(q', 'LIMIT', offset, how_many)
            for _, text in ipairs(found) do
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
        if charge.ticket ~= '' then
          local from, to = '[t' .. charge.ticket .. ' ', '(t' .. charge.ticket .. '!'
          text = redis.call('ZRANGEBYLEX', lines[1], from, to, 'LIMIT', 0, 1)[1]
          if not text or not is_mine(text) then
            text, returned = nil, tonumber(string.sub(charge.ticket, 1, 16)) < now and LATE or UNKNOWN
          end
        elseif has_line and (charge.new_id == '' or charge.within < 1e15) then
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
            if read[i] then
              length[i] = length[i] - redis.call('ZREM', lines[i], mine.text)
              if length[i] == 0 then
                read[i].line_us, read[i].sweep_us, read[i].changed = nil, nil, true
              end
            end
          end
        end
        for _, made in ipairs(place and place ~= mine and { place, result.gap } or {}) do
          for i = 1, 2 do
            if i == 1 or string.find(made.shares, ' t+', 1, true) then
              local state = read[i]
              redis.call('ZADD', lines[i], 0, text_of(made))
              if not state.line_us or made.deadline > state.line_us then
                state.line_us = made.deadline + KEPT_US
                redis.call('PEXPIREAT', lines[i], string.format('%d', math.ceil(state.line_us / 1000)))
              end
              state.sweep_us = math.min(state.sweep_us or made.deadline, made.deadline)
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
        answer[n + 4] = place and place.id == charge.new_id and 1 or 0
        answer[n + 5] = result.returned or 0
        answer[n + 6] = result.made or 0
        answer[n + 7] = lost[1]
        answer[n + 8] = result.made and length[1] or 0
        return answer
      end
      return in_line()
    end

    return function(i, base, terms)
      local charge = { clock = now_us(i), cost = charges[base + COST], within = -1, new_id = '', ticket = '',
        keys = { charges[base + SCOPES + 1], charges[base + SCOPES + 2], charges[base + SCOPES + 3] } }
      local ticket = charges[base + TICKET]
      if ticket > 0 then
        local within, new_id, shown_ticket = string.match(ARGV[ticket], '^(%S+) (%S*) (%S*)$')
        charge.within, charge.new_id, charge.ticket = tonumber(within), new_id, shown_ticket
      end
      return charge.ticket == '' and booked_simply(charge, terms) or decided(charge, terms)
    end
  end

  local detail

  -- Answers one charge of those that are equal and left; says whether it is the answer of all of them.
  local function answer_in_detail(i, base, terms)
    detail = detail or defined_in_detail()
    local is_done, answer = pcall(detail, i, base, terms)
    if not is_done then
      answer = { FAILED, type(answer) == 'table' and answer.err or tostring(answer) }
    end
    answered = answered + 1
    answers[answered] = answer
    return answer[1] >= NEVER_ALLOWED
  end

  local function shows_ticket(at)
    return at > 0 and string.sub(ARGV[at], -1) ~= ' '
  end

  return function(i, base)
    local at, left, ticket = charges[base + TERMS], charges[base + COUNT], charges[base + TICKET]
    local terms = terms_at[at] or terms_of(ARGV[at])
    terms_at[at] = terms
    if newest > terms.revision then
      answered, left = answered + 1, 0
      answers[answered] = { STALE, newest }
    else
      local admitted = not shows_ticket(ticket) and admitted_simply(i, base, terms)
      if admitted then
        left = terms.mode == OFF and 0 or left - admitted
      end
    end
    while left > 0 do
      left = answer_in_detail(i, base, terms) and 0 or left - 1
    end
  end
end

local WIDTH = 7
local owns, otherwise = {}, nil
for i = 1, #charges / WIDTH do
  local base = WIDTH * (i - 1)
  local at, k = charges[base + 1], charges[base + 4]
  local own = owns[at]
  if own == nil then
    own = own_of(ARGV[at])
    owns[at] = own
  end
  local head, denied
  if own and charges[base + 7] == 0 then
    head, denied = taken_usually(k, own, charges[base + 2], charges[base + 3], now_us(i))
  end
  if head then
    answered = answered + 1
    heads[k], answers[answered] = head, head
  elseif denied then
    answers[answered + 1], answers[answered + 2] = 0, denied
    answered = answered + 2
  else
    otherwise = otherwise or defined_otherwise()
    otherwise(i, base)
  end
end

for k = 2, #KEYS do
  local head, fields = heads[k], texts[k]
  if head and not fields and not times[k] then
    redis.call('SETRANGE', KEYS[k], 0, head)
  elseif head then
    local value = head .. (fields or sub(values[k - 1], #head + 1))
    if times[k] then
      redis.call('SET', KEYS[k], value, 'PXAT', string.format('%d', times[k]))
    else
      redis.call('SET', KEYS[k], value, 'KEEPTTL')
    end
  end
end
return answers
