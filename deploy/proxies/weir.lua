-- Asks Weir about a request of a caller: `http-request lua.weir` sets txn.weir_status to its answer, 0 if there is none.
local WEIR = 'http://127.0.0.1:8080/v1/authorize'
local NOT_OURS = { host = true, connection = true, ['content-length'] = true, ['transfer-encoding'] = true,
  expect = true, upgrade = true, cookie = true, forwarded = true }

local function headers_of(txn)
  local headers = {}
  for name, values in pairs(txn.http:req_get_headers()) do
    if not NOT_OURS[name] then
      local list = {}
      for i = 0, #values do
        list[#list + 1] = values[i]
      end
      headers[name] = list
    end
  end
  headers['x-original-method'] = { txn.f:method() }
  headers['x-original-uri'] = { txn.f:pathq() }
  headers['x-forwarded-for'] = { txn.f:src() }
  return headers
end

core.register_action('weir', { 'http-req' }, function(txn)
  local answer = core.httpclient():get({ url = WEIR, headers = headers_of(txn), timeout = 1000 })
  local function first(name)
    local values = answer.headers and answer.headers[name]
    return values and values[0] or ''
  end
  txn:set_var('txn.weir_status', answer.status or 0)
  txn:set_var('txn.weir_wait', first('retry-after'))
  txn:set_var('txn.weir_wait_ms', first('retry-after-ms'))
  txn:set_var('txn.weir_decision', first('weir-decision'))
  txn:set_var('txn.weir_limit', first('ratelimit'))
  txn:set_var('txn.weir_ticket', first('retry-ticket'))
  txn:set_var('txn.weir_challenge', first('www-authenticate'))
  txn:set_var('txn.weir_subject', first('x-weir-subject'))
  txn:set_var('txn.weir_tenant', first('x-weir-tenant'))
end)
