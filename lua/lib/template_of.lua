-- Reads what all charges of one operation by one plan have in common, as charge.lua has it in its arguments.
local function template_of(text)
  local revision, mode, lateness, max_queue, horizon, _, count = struct.unpack('>I7BI7I4I7BI2', text)
  local template = { revision = revision, mode = mode, lateness = lateness, max_queue = max_queue, horizon = horizon,
    demands = {}, scopes = {}, by_scope = {} }
  local at, fields = 30, string.gmatch(string.sub(text, 30 + 22 * count), '%S+')
  for i = 1, count do
    local scope, rate, capacity, units
    scope, rate, capacity, units, at = struct.unpack('>BI7I7I7', text, at)
    local field = fields()
    local demand = { scope = scope, rate = rate, capacity = capacity, units = units, field = field,
      name = string.match(field, '^[^@]+') }
    local of_scope = template.by_scope[scope]
    if not of_scope then
      template.scopes[#template.scopes + 1] = scope
      of_scope = { text = field, demands = {} }
      template.by_scope[scope] = of_scope
    else
      of_scope.text = of_scope.text .. ' ' .. field
    end
    template.demands[i], of_scope.demands[#of_scope.demands + 1] = demand, demand
  end
  return template
end
