-- The newest revision of the policy that is known here. weir:policy is written by publishers; a
-- partition's copy of it learns from every charge.

local POLICY = 'weir:policy'

local function newest_of(call, key)
  local text = call('HGET', key, 'revision')
  return text and tonumber(text) or 0
end

-- The newest revision that is known at a key, as a charge of the call may change it.
local function policy_at(key, newest)
  return { key = key, newest = newest, is_copy = key ~= POLICY }
end

local function policy_of(call, key)
  return policy_at(key, newest_of(call, key))
end

-- Whether a charge of a revision is neither stale nor news.
local function is_settled(newest, key, revision)
  return newest == revision or newest < revision and key == POLICY
end

local function learn(policy, revision)
  if policy.is_copy and revision > policy.newest then
    policy.newest, policy.has_learned = revision, true
  end
end

local function keep_learned(call, policy)
  if policy.has_learned then
    call('HSET', policy.key, 'revision', string.format('%d', policy.newest))
  end
end

return { is_settled = is_settled, keep_learned = keep_learned, learn = learn, newest_of = newest_of,
  policy_at = policy_at, policy_of = policy_of }
