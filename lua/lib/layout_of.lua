-- What the numbers of a state mean. Its value is packed, most significant byte first:
--
--   count       2 bytes: how many fields
--   at_us       7 bytes: when it was written
--   revision    7 bytes: the newest policy that has decided on it
--   expires_ms  6 bytes: when Redis forgets it
--   numbers     7 bytes for each field
--   fields      text: their names, with a space between
--
-- A field is <bucket>@<mtps> for the units used; the other fields are there only where somebody waits.
-- Layouts are few and states many, so `known` keeps each that was seen, by its text.
local AT, REVISION, EXPIRES, BEFORE_FIELDS, BEFORE_NUMBERS = 2, 3, 4, 4, 22
local function layout_of(text, known)
  local layout = known[text]
  if layout then
    return layout
  end
  local fields, index, names, mtps, n, is_plain, is_broken = {}, {}, {}, {}, 0, true, false
  for name, mark, rate, rest in string.gmatch(text, '([^ @]+)(@?)(%d*)(%S*)') do
    n = n + 1
    local field = name .. mark .. rate .. rest
    fields[n], index[field] = field, n + BEFORE_FIELDS
    if rest == '' and rate ~= '' then
      mtps[n], names[name] = tonumber(rate), field
      is_broken = is_broken or mtps[n] == 0
    else
      is_plain = false
    end
  end
  layout = { text = text, count = is_broken and -1 or n, fields = fields, index = index, names = names, mtps = mtps,
    is_plain = is_plain, format = '>I2I7I7I6' .. string.rep('I7', n) }
  known[text] = layout
  return layout
end
