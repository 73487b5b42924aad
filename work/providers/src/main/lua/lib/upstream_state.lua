-- The hash of an upstream, in memory: changes are written at the end, all at once. `call` runs a
-- command.

local function upstream_state(call, key)
  local state, fields = { values = {}, changed = {} }, call('HGETALL', key)
  for i = 1, #fields, 2 do
    state.values[fields[i]] = tonumber(fields[i + 1])
  end
  return state
end

-- Nil if it is absent.
local function number_in(state, field)
  return state.values[field]
end

-- Removes the field if there is no value.
local function put_number(state, field, value)
  if state.values[field] ~= value then
    state.values[field], state.changed[field] = value, true
  end
end

local WORDS_AT_ONCE = 1000

-- Written in parts: a Lua call has room for a limited number of values.
local function write_words(call, verb, key, words)
  for i = 1, #words, WORDS_AT_ONCE do
    call(verb, key, unpack(words, i, math.min(#words, i + WORDS_AT_ONCE - 1)))
  end
end

local function write_upstream(call, key, state)
  local put, gone = {}, {}
  for field in pairs(state.changed) do
    local value = state.values[field]
    if value then
      put[#put + 1], put[#put + 2] = field, string.format('%d', value)
    else
      gone[#gone + 1] = field
    end
  end
  write_words(call, 'HSET', key, put)
  write_words(call, 'HDEL', key, gone)
end

return { number_in = number_in, put_number = put_number, upstream_state = upstream_state,
  write_upstream = write_upstream }
