-- Lets go the appointments whose time is over, in the order in which it was: each leaves a hole in the
-- buckets of `state`, whose letter is `letter`. Changes the state.
local function released(state, letter, places)
  for _, place in ipairs(places) do
    for of, mark, key, units in string.gmatch(place.shares, '(%l)([+-])(%S+)=(%d+)') do
      local bucket = state.buckets[string.match(key, '^(.+)@')]
      if of == letter and mark == '+' and bucket and bucket.key == key then
        moved_on(bucket, bucket.at_us or state.at_us, place.deadline)
        bucket.at_us = math.max(bucket.at_us or state.at_us, place.deadline)
        bucket.waiting = bucket.waiting - 1
        bucket.holes = math.min(bucket.holes + tonumber(units), 9007000000000000 - bucket.used)
        if bucket.waiting <= 0 then
          without_line(bucket)
        end
      end
    end
  end
end
