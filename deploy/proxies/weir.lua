-- `http-request lua.weir` asks Weir about a request. It gives the caller Weir's answer if that is a refusal, and sets
-- txn.weir otherwise: `allowed`, or `unasked` if there was no answer. It stays unset if this script fails.
-- `http-response lua.weir_limits` adds Weir's headers to the answer of the service.
local WEIR = 'http://127.0.0.1:8079/v1/authorize' -- the section `weir` of haproxy.cfg
local DROPPED = { host = true, connection = true, ['content-length'] = true, ['transfer-encoding'] = true,
  expect = true, upgrade = true, cookie = true, forwarded = true }

local function passed_on(headers)
  local lists = {}
  for name, values in pairs(headers) do
    if not DROPPED[name] then
      lists[name] = {}
      for i = 0, #values do
        lists[name][i + 1] = values[i]
      end
    end
  end
  return lists
end

local function refuse(txn, status, headers, body)
  txn:done(txn:reply({ status = status, headers = headers, body = body }))
end

-- Takes away the names that the service could take for those of Weir.
local function cleaned(http)
  for name in pairs(http:req_get_headers()) do
    if name:find('_', 1, true) or name:find('^x%-weir%-') then
      http:req_del_header(name)
    end
  end
  return http:req_get_headers()
end

core.register_action('weir', { 'http-req' }, function(txn)
  -- HAProxy 2.6 ends with a segmentation fault if a script sends as many headers as it accepts from a caller (101).
  if txn.f:req_fhdr_cnt() > 80 then
    return refuse(txn, 431)
  end
  local received = cleaned(txn.http)
  if received.upgrade then -- Weir cannot check requests inside a tunnel.
    return refuse(txn, 501)
  end
  local headers = passed_on(received)
  headers['x-original-method'] = { txn.f:method() }
  headers['x-original-uri'] = { txn.f:pathq() }
  headers['x-forwarded-for'] = { txn.f:src() }
  -- The section's timeouts end first: this client repeats a request after its own, and the check may have been charged.
  local answer = core.httpclient():get({ url = WEIR, headers = headers, timeout = 60000 })
  if answer.status == 200 then
    txn.http:req_del_header('Connection')
    txn.http:req_set_header('X-Weir-Subject', answer.headers['x-weir-subject'][0])
    txn.http:req_set_header('X-Weir-Tenant', answer.headers['x-weir-tenant'][0])
    txn:set_priv(answer.headers)
    txn:set_var('txn.weir', 'allowed')
  elseif answer.headers['proxy-status'] or answer.status >= 400 and answer.status < 500 then
    refuse(txn, answer.status, passed_on(answer.headers), answer.body)
  else
    txn:set_var('txn.weir', 'unasked')
  end
end)

core.register_action('weir_limits', { 'http-res' }, function(txn)
  for name, values in pairs(txn:get_priv() or {}) do
    if name:find('^ratelimit') or name:find('^weir%-') then
      txn.http:res_set_header(name, values[0])
    end
  end
end)
