"""Many calls at once through urllib3's Retry, and what became of them."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import urllib3

NODE = os.environ.get("WEIR_URL", "http://127.0.0.1:8081")
KEY = os.environ.get("WEIR_KEY", "twenty.demo-secret-of-twenty")
CALLS = int(os.environ.get("WEIR_CALLS", "200"))
RETRY = urllib3.Retry(total=10)


def call(pool):
    try:
        return pool.request("GET", NODE + "/items", headers={"X-Api-Key": KEY}).status == 200
    except urllib3.exceptions.HTTPError as failure:
        print("  failed:", failure)
        return False


def main():
    pool = urllib3.PoolManager(maxsize=CALLS, retries=RETRY)
    began = time.monotonic()
    with ThreadPoolExecutor(CALLS) as threads:
        succeeded = sum(threads.map(call, [pool] * CALLS))
    print(f"urllib3.Retry: {succeeded} of {CALLS} calls succeeded in {time.monotonic() - began:.1f} s")
    sys.exit(0 if succeeded == CALLS else 1)


main()
