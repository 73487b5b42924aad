-- The newest revision of the policy that is known here. weir:policy is written by publishers; a
-- partition's copy of it learns from every charge.

local function policy_of(call, key)
  return { key = key, newest = tonumber(call('HGET', key, 'revision') or 0) or 0, is_copy = key ~= 'weir:policy' }
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

return { keep_learned = keep_learned, learn = learn, policy_of = policy_of }
