-- Tickets: <slot>.<number>.<flags>.<signature>. The slot has 16 digits. The number says which bit of
-- the key's tickets is set while it is unused; 0 if it holds no place and shows only that its holder
-- waits. The flags are 1 if the place is held in buckets of the tenant and of the cluster, too, and
-- from 2 on which overflows pay; of a ticket without a place, which buckets had no room for its holder, none of these
-- bits for all. The signature is the begin of the SHA-1 of the key's secret and of
-- everything that the ticket is good for. Ticket.java has the same.

local grow = require('memo').grow
local TIMES = require('times')

local BYTES_OF_KIND, ERA_FACTOR, MARKS = 64, 31, 4294967296
local MOST_NAMED = 32 -- the buckets that a ticket without a place tells apart
local TICKET = {}

local function bit_of(number)
  return number % TIMES.TICKETS
end

-- Whether a number is unused, in the bitmap of its key. `call` runs a command.
function TICKET.is_unused(call, bits, number)
  return call('GETBIT', bits, bit_of(number)) == 1
end

function TICKET.use(call, bits, number)
  call('SETBIT', bits, bit_of(number), 0)
end

-- Marks a number as unused; the bitmap is needed until `expires_ms`.
function TICKET.open(call, bits, number, expires_ms)
  call('SETBIT', bits, bit_of(number), 1)
  call('PEXPIREAT', bits, string.format('%d', expires_ms))
end

function TICKET.parse(text)
  local slot, number, flags, signature = string.match(text, '^(%d+)%.(%d+)%.(%d+)%.(%x+)$')
  flags = tonumber(flags)
  local shared = flags % 2
  return { text = text, slot = tonumber(slot), number = tonumber(number), shared = shared, paid = (flags - shared) / 2,
    signature = signature }
end

local function signature_of(ticket, secret, cost, mark, sha1)
  local flags = 2 * ticket.paid + ticket.shared
  return string.sub(sha1(string.format('%s %d %d %d %d %d', secret, ticket.slot, ticket.number, flags, cost, mark)),
    1, 20)
end

-- Which of these buckets had no room, as bits; 0 for all.
function TICKET.named(views)
  local bits, is_all = 0, true
  for i = 1, #views do
    if not views[i].refused then
      is_all = false
    elseif i <= MOST_NAMED then
      bits = bits + 2 ^ (i - 1)
    end
  end
  return is_all and 0 or bits
end

-- Whether its holder waits for the i-th bucket.
function TICKET.is_for(ticket, i)
  local bit = 2 ^ (i - 1)
  return ticket.number > 0 or ticket.paid == 0 or i > MOST_NAMED or math.fmod(ticket.paid, 2 * bit) >= bit
end

-- The text of a ticket.
function TICKET.signed(ticket, secret, cost, mark, sha1)
  return string.format('%016d.%d.%d.%s', ticket.slot, ticket.number, 2 * ticket.paid + ticket.shared,
    signature_of(ticket, secret, cost, mark, sha1))
end

-- Whether it was made with this secret, for a request of this cost and kind. Lua compares texts by
-- identity, so the time says nothing about the signature.
function TICKET.is_signed(ticket, secret, cost, mark, sha1)
  return secret ~= '' and ticket.signature == signature_of(ticket, secret, cost, mark, sha1)
end

-- A number that stands for these demands.
local function kind(demands, sha1)
  local words = {}
  for i, demand in ipairs(demands) do
    words[i] = string.format('%d:%s:%d%s', demand.scope, demand.field, demand.units, demand.requests and 'r' or '')
  end
  return tonumber(string.sub(sha1(table.concat(words, ' ')), 1, 8), 16)
end

-- A number that stands for the demands if these overflows pay; the same for all charges of a template. A caller chooses
-- the payers with the ticket that it shows, so what is kept for them counts for the bound of all that is kept.
function TICKET.kind_of(template, paid, demands, sha1)
  local known = template.kinds[paid]
  if not known then
    known = kind(demands, sha1)
    grow(BYTES_OF_KIND)
    template.kinds[paid] = known
  end
  return known
end

local function joined(mark, number)
  return (mark * ERA_FACTOR + number) % MARKS
end

-- A mark with a calendar that holds the place, too.
function TICKET.marked(mark, calendar)
  return joined(mark, calendar and calendar.era or 0)
end

-- A mark with the cost, too.
function TICKET.marked_by_cost(mark, cost)
  return joined(mark, cost % MARKS)
end

return TICKET
