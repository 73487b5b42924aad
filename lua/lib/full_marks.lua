-- Callers that were told that there is no room, and since when: the first of them is served first. A caller that has
-- not asked again for a while is forgotten. Uses upstream_state.
local ASKS_AGAIN_US, KEPT_US = 100000, 1000000

-- By group and caller, since when.
local function marks_in(state, now)
  local marks, old = {}, {}
  for field, since in pairs(state.values) do
    local name = string.match(field, '^full:(.+)$')
    local seen = name and number_in(state, 'seen:' .. name) or 0
    if name and seen < now - KEPT_US then
      old[#old + 1] = name
    elseif name and seen > now - ASKS_AGAIN_US then
      local caller, group = string.match(name, '^([^/]+)/(.+)$')
      marks[group] = marks[group] or {}
      marks[group][caller] = since
    end
  end
  for _, name in ipairs(old) do
    put_number(state, 'full:' .. name, nil)
    put_number(state, 'seen:' .. name, nil)
  end
  return marks
end

-- How many others of the group were told so before this one.
local function marked_before(marks, caller, group, now)
  local of_group, count = marks[group] or {}, 0
  local own = of_group[caller] or now
  for other, since in pairs(of_group) do
    if other ~= caller and since < own then
      count = count + 1
    end
  end
  return count
end

-- It was told so now; or, without an instant, it was not.
local function mark(state, marks, caller, group, now)
  local name = caller .. '/' .. group
  marks[group] = marks[group] or {}
  marks[group][caller] = now and (marks[group][caller] or now) or nil
  put_number(state, 'full:' .. name, marks[group][caller])
  put_number(state, 'seen:' .. name, now)
end
