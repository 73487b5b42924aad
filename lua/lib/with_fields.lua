-- A layout and the numbers of a state that holds just these fields: first those of the draws, in their order, then
-- the others in the order of their names.
local function with_fields(held, draws, at_us, revision, expires_ms, known)
  local fields, seen, others = {}, {}, {}
  for _, draw in ipairs(draws) do
    if held[draw.field] and not seen[draw.field] then
      fields[#fields + 1], seen[draw.field] = draw.field, true
    end
  end
  for field in pairs(held) do
    if not seen[field] then
      others[#others + 1] = field
    end
  end
  table.sort(others)
  for _, field in ipairs(others) do
    fields[#fields + 1] = field
  end
  local numbers = { #fields, at_us, revision, expires_ms }
  for i, field in ipairs(fields) do
    numbers[i + BEFORE_FIELDS] = held[field]
  end
  return layout_of(table.concat(fields, ' '), known), numbers
end
