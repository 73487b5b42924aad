-- Callers that were answered FULL, and since when: the earliest is served first. A caller that
-- stops asking is ignored after 100 ms and forgotten after 1 s.

local number_in = require('upstream_state').number_in
local put_number = require('upstream_state').put_number

local ASKS_AGAIN_US, KEPT_US = 100000, 1000000

-- The start of each mark, by group and caller.
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

-- How many other marks are older than this caller's, by group.
local function marked_before(marks, caller, group, now)
  local own = marks[group] and marks[group][caller] or now
  local ahead = {}
  for other, callers in pairs(marks) do
    for one, since in pairs(callers) do
      if since < own and (one ~= caller or other ~= group) then
        ahead[other] = (ahead[other] or 0) + 1
      end
    end
  end
  return ahead
end

-- Marks a caller as answered FULL at `now`; without `now`, removes its mark.
local function mark(state, marks, caller, group, now)
  local name = caller .. '/' .. group
  marks[group] = marks[group] or {}
  marks[group][caller] = now and (marks[group][caller] or now) or nil
  put_number(state, 'full:' .. name, marks[group][caller])
  put_number(state, 'seen:' .. name, now)
end

-- Removes the marks of this caller in all groups but those in `asks`. A caller asks for each group
-- in which it has a waiting request, so no place is kept for it in the others.
local function unmark_others(state, marks, caller, asks)
  for group, callers in pairs(marks) do
    if callers[caller] and not asks[group] then
      mark(state, marks, caller, group, nil)
    end
  end
end

return { mark = mark, marked_before = marked_before, marks_in = marks_in, unmark_others = unmark_others }
