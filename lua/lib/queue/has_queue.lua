-- Whether requests wait in a bucket of a state.

local function has_queue(state)
  for _, bucket in pairs(state.buckets) do
    if bucket.waiting > 0 then
      return true
    end
  end
  return false
end

return has_queue
