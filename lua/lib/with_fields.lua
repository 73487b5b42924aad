-- A layout and the numbers of a state that holds just these fields, in the order of their names.
local function with_fields(held, at_us, revision, expires_ms, known)
  local fields = {}
  for field in pairs(held) do
    fields[#fields + 1] = field
  end
  table.sort(fields)
  local numbers = { #fields, at_us, revision, expires_ms }
  for i, field in ipairs(fields) do
    numbers[i + BEFORE_FIELDS] = held[field]
  end
  return layout_of(table.concat(fields, ' '), known), numbers
end
