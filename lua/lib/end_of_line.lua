-- The usual new appointment: behind all others in the buckets of a key, none of which has a hole or is so short
-- that places need more than their turn. The arithmetic is that of booking.lua; `state` is the state of the
-- key, `new_id` what a ticket is made of. Nil where it is not so simple.
local function end_of_line(terms, cost, within, new_id, state, at_us)
  local index, numbers = state.layout.index, state.numbers
  local tolerance_us, elapsed = math.min(terms.lateness, 20000), at_us - numbers[AT]
  local place = { slot = at_us, until_us = math.huge, fields = 2, written = {}, shown = {} }

  local turns, frees = {}, {}
  for i, draw in ipairs(terms.draws) do
    local field, mtps, units = draw.field, draw.mtps, draw.units * cost
    local used = numbers[index[field] or 0]
    local level = math.max(0, (used or 0) - elapsed * mtps)
    local rest = math.fmod(units, mtps)
    local need_us = (units - rest) / mtps + (rest > 0 and 1 or 0)
    local free_us = draw.capacity / mtps - need_us
    local holes = numbers[index[field .. '.holes'] or 0]
    if draw.scope ~= 1 or level > draw.capacity or free_us < tolerance_us or holes and holes ~= 0 then
      return nil
    end
    rest = math.fmod(level - (draw.capacity - units), mtps)
    local turn = at_us + (level - (draw.capacity - units) - rest) / mtps + (rest > 0 and 1 or 0)
    local last_slot = numbers[index[field .. '.slot'] or 0]
    if last_slot then
      turn = math.max(turn, last_slot + need_us)
    end
    place.fields = place.fields + (used and 1 or 0) + (holes and 1 or 0) + (last_slot and 2 or 0)
    place.slot = math.max(place.slot, turn)
    place.shown[i] = level
    turns[i], frees[i] = turn, free_us
  end

  local wait_us = place.slot - at_us
  if wait_us == 0 or wait_us > terms.horizon then
    return nil
  end
  place.is_ticket = wait_us <= within
  local comes, slack = place.slot, terms.lateness
  if not place.is_ticket then
    comes, slack = at_us + math.ceil(wait_us / 1000000) * 1000000 + 30000, terms.lateness + 1000000
  end
  local shares = {}
  for i, draw in ipairs(terms.draws) do
    local field, turn, free_us = draw.field, turns[i], frees[i]
    local is_last = turn == place.slot
    if is_last and comes + tolerance_us - free_us > turn then
      return nil
    end
    local waiting = numbers[index[field .. '.waiting'] or 0] or 0
    local is_held = is_last or turn + free_us >= comes + tolerance_us
    if is_held then
      place.written[field .. '.waiting'], place.written[field .. '.slot'] = waiting + 1, turn
      place.until_us = math.min(place.until_us, turn + free_us)
    end
    if is_held or waiting > 0 then
      place.shown[i] = draw.capacity
    end
    shares[i] = string.format(' k%s%s=%d', is_held and '+' or '-', field, draw.units * cost)
  end
  place.deadline = math.min(place.slot + slack, place.until_us)
  place.text = string.format('%s%016d.%s %016d %016d%s', place.is_ticket and 't' or 'p', place.deadline,
    place.is_ticket and new_id or '-', place.slot, place.until_us, table.concat(shares))
  return place
end
