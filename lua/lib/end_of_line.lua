-- The usual new appointment: behind all others in the buckets of a key, none of which has a hole or is so short
-- that places need more than their turn. The arithmetic is that of booking.lua; `arguments` are those of
-- charge.lua, `hash` is the state of the key. Nil where it is not so simple.
local function end_of_line(arguments, first, how_many, hash, at_us)
  local lateness, within = tonumber(arguments[4]), tonumber(arguments[7])
  local tolerance_us, elapsed = math.min(lateness, 20000), at_us - tonumber(hash.at_us)
  local place = { slot = at_us, until_us = math.huge, fields = 4, written = {}, shown = {} }

  local turns, frees = {}, {}
  for i = 1, how_many do
    local at = first + 4 * (i - 1)
    local field, capacity, cost = arguments[at + 1], tonumber(arguments[at + 2]), tonumber(arguments[at + 3])
    local mtps = tonumber(string.sub(field, string.find(field, '@', 1, true) + 1))
    local level = math.max(0, tonumber(hash[field] or 0) - elapsed * mtps)
    local rest = math.fmod(cost, mtps)
    local need_us = (cost - rest) / mtps + (rest > 0 and 1 or 0)
    local free_us = capacity / mtps - need_us
    local holes = hash[field .. '.holes']
    if arguments[at] ~= '1' or level > capacity or free_us < tolerance_us or holes and holes ~= '0' then
      return nil
    end
    rest = math.fmod(level - (capacity - cost), mtps)
    local turn = at_us + (level - (capacity - cost) - rest) / mtps + (rest > 0 and 1 or 0)
    local last_slot = hash[field .. '.slot']
    if last_slot then
      turn = math.max(turn, tonumber(last_slot) + need_us)
    end
    place.fields = place.fields + (hash[field] and 1 or 0) + (holes and 1 or 0) + (last_slot and 2 or 0)
    place.slot = math.max(place.slot, turn)
    place.shown[i] = level
    turns[i], frees[i] = turn, free_us
  end

  local wait_us = place.slot - at_us
  if wait_us == 0 or wait_us > tonumber(arguments[6]) then
    return nil
  end
  place.is_ticket = wait_us <= within
  local comes, slack = place.slot, lateness
  if not place.is_ticket then
    comes, slack = at_us + math.ceil(wait_us / 1000000) * 1000000, lateness + 1000000
  end
  local shares = {}
  for i = 1, how_many do
    local at, turn, free_us = first + 4 * (i - 1), turns[i], frees[i]
    local field, is_last = arguments[at + 1], turn == place.slot
    if is_last and comes + tolerance_us - free_us - turn > 50000 then
      return nil
    end
    local waiting = tonumber(hash[field .. '.waiting'] or 0)
    local is_held = is_last or turn + free_us >= comes + tolerance_us
    if is_held then
      local written, n = place.written, #place.written
      written[n + 1], written[n + 2] = field .. '.waiting', string.format('%d', waiting + 1)
      written[n + 3], written[n + 4] = field .. '.slot', string.format('%d', turn)
      place.until_us = math.min(place.until_us, turn + free_us)
    end
    if is_held or waiting > 0 then
      place.shown[i] = tonumber(arguments[at + 2])
    end
    shares[i] = (is_held and ' k+' or ' k-') .. field .. '=' .. arguments[at + 3]
  end
  place.deadline = math.min(place.slot + slack, place.until_us)
  place.text = string.format('%s%016d.%s %016d %016d%s', place.is_ticket and 't' or 'p', place.deadline,
    place.is_ticket and arguments[8] or '-', place.slot, place.until_us, table.concat(shares))
  return place
end
