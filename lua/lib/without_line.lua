-- Nobody waits in this bucket any more.
local function without_line(bucket)
  bucket.waiting, bucket.holes, bucket.slot = 0, 0, 0
end
