-- The story of a job: its steps.

local STEPS_KEPT = 20

-- The story with one more step; the oldest steps of a long story are dropped, except the first.
local function longer_story(story, state, now)
  local step = string.format('%s@%d', state, now)
  if story == '' then
    return step
  end
  local _, commas = string.gsub(story, ',', '')
  if commas >= STEPS_KEPT - 1 then
    story = string.gsub(story, '^([^,]+),[^,]+,', '%1,', 1)
  end
  return story .. ',' .. step
end

return longer_story
