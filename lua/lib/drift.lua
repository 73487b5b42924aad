-- Compares numbers and sorted sets that are kept beside items with what follows from the items. `call` runs a command.

local DIFFERENCES_AT_MOST = 500 -- in one answer: the next call finds the others; DriftAudit.java has the same
local DRIFT = {}

-- A comparison; `repairs` is whether it repairs what differs. Its answer has `size`, and then for each difference
--
--   place     a word for the key, and the field or the member
--   counted   the number that is stored; of a member 1 if it is there, else 0
--   found     the number that follows from the items
function DRIFT.comparison(call, size, repairs)
  return { call = call, repairs = repairs, left = DIFFERENCES_AT_MOST, answer = { size } }
end

-- Adds a difference to the answer; returns whether it is to be repaired.
local function is_repaired(comparison, place, counted, found)
  if counted == found or comparison.left == 0 then
    return false
  end
  local answer = comparison.answer
  local n = #answer
  answer[n + 1], answer[n + 2], answer[n + 3] = place, counted, found
  comparison.left = comparison.left - 1
  return comparison.repairs
end

local function put_field(comparison, key, field, number)
  if number == 0 then
    comparison.call('HDEL', key, field)
  else
    comparison.call('HSET', key, field, string.format('%d', number))
  end
end

-- Compares the numbers of a hash, by field; an absent one is 0.
function DRIFT.fields(comparison, place, key, counted, found)
  for field, number in pairs(counted) do
    if is_repaired(comparison, place .. ' ' .. field, number, found[field] or 0) then
      put_field(comparison, key, field, found[field] or 0)
    end
  end
  for field, number in pairs(found) do
    if not counted[field] and is_repaired(comparison, place .. ' ' .. field, 0, number) then
      put_field(comparison, key, field, number)
    end
  end
end

-- Compares a sorted set; `scores` has its members, each with the score that it gets if it is missing.
function DRIFT.members(comparison, place, key, scores)
  local is_there = {}
  for _, member in ipairs(comparison.call('ZRANGE', key, 0, -1)) do
    is_there[member] = true
    if not scores[member] and is_repaired(comparison, place .. ' ' .. member, 1, 0) then
      comparison.call('ZREM', key, member)
    end
  end
  for member, score in pairs(scores) do
    if not is_there[member] and is_repaired(comparison, place .. ' ' .. member, 0, 1) then
      comparison.call('ZADD', key, string.format('%d', score), member)
    end
  end
end

return DRIFT
