-- A bucket with leases as a table, from the fields of its hash: its level, the leased units of each
-- holder, the units saved for it, and the fields to delete.

local drained = require('state/drained')

local function pool_of(fields)
  local pool = { used = 0, at_us = 0, shares = {}, earmarks = {}, gone = {} }
  for i = 1, #fields, 2 do
    local kind, of = string.match(fields[i], '^([he]):(.+)$')
    if kind == 'e' then
      local units, since_us, until_us = string.match(fields[i + 1], '^(%d+) (%d+) (%d+)$')
      pool.earmarks[of] = { units = tonumber(units), since_us = tonumber(since_us), until_us = tonumber(until_us) }
    elseif of then
      local out, until_us, number, total = string.match(fields[i + 1], '^(%d+) (%d+) (%d+) (%d+)$')
      pool.shares[of] = { out = tonumber(out), until_us = tonumber(until_us), sequence = tonumber(number),
        spent = tonumber(total) }
    else
      pool[fields[i]] = tonumber(fields[i + 1])
    end
  end
  return pool
end

local function end_earmarks(pool, now)
  for of, earmark in pairs(pool.earmarks) do
    if earmark.until_us <= now then
      pool.earmarks[of], pool.gone[#pool.gone + 1] = nil, 'e:' .. of
    end
  end
end

-- Advances a pool to `now`: an expired lease counts as spent at its end.
local function settle_pool(pool, now)
  local over = {}
  for of, share in pairs(pool.shares) do
    if share.until_us <= now then
      over[#over + 1] = share
      pool.shares[of], pool.gone[#pool.gone + 1] = nil, 'h:' .. of
    end
  end
  table.sort(over, function(a, b) return a.until_us < b.until_us end)
  for _, share in ipairs(over) do
    local ended = math.max(pool.at_us, share.until_us)
    pool.used = drained(pool.used, pool.rate, ended - pool.at_us) + share.out
    pool.at_us = ended
  end
  pool.used, pool.at_us = drained(pool.used, pool.rate, now - pool.at_us), now
  end_earmarks(pool, now)
end

return { pool_of = pool_of, settle_pool = settle_pool }
