"""Checks and calls through the client and, if `api` is an argument, one check through the generated API."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import urllib3
import weir_client

NODE = os.environ["WEIR_URL"]
KEY = os.environ["WEIR_KEY"]

pool = weir_client.Retrying(urllib3.PoolManager(maxsize=30))

decisions = weir_client.check_all(pool, NODE, [{"key": KEY, "operation": "Slow"}] * 7)
words = [decision["decision"] for decision in decisions]
print(f"checks: {words.count('allowed')} allowed, {words.count('denied')} denied")

some = {"key": KEY, "operation": "Some", "cost": 4, "atLeast": 1, "ticket": True}
grants = []
last = None
for _ in range(4):
    decision = weir_client.check_all(pool, NODE, [some])[0]
    ticket = decision.get("ticket")
    is_kept = ticket is not None and ticket == last
    grants.append(f"{decision.get('granted', 0)} {decision.get('degraded', False)} {is_kept}".lower())
    last = ticket
    some["ticket"] = ticket or True
print("granted:", *grants)


def call(_):
    return pool.request("GET", NODE + "/get", headers={"X-Api-Key": KEY}).status


with ThreadPoolExecutor(30) as threads:
    print(f"calls: {list(threads.map(call, range(30))).count(200)} of 30")

if "api" in sys.argv:
    import weir_api

    client = weir_api.ApiClient(weir_api.Configuration(host=NODE))
    client.rest_client.pool_manager = weir_client.Retrying(client.rest_client.pool_manager)
    check = weir_api.Check(key=KEY, operation="Slow")
    answer = weir_api.ChecksApi(client).check(weir_api.CheckRequest(check))
    print(f"api: {answer.actual_instance.decision}")
