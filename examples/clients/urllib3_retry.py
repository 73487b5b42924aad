"""200 calls at once through urllib3's Retry, and what became of them."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import urllib3

NODE = os.environ.get("WEIR_NODE", "http://127.0.0.1:8081")
KEY = os.environ.get("WEIR_KEY", "twenty.demo-secret-of-twenty")
RETRY = urllib3.Retry(total=10)


def call(pool):
    try:
        return pool.request("GET", NODE + "/items", headers={"X-Api-Key": KEY}).status == 200
    except urllib3.exceptions.HTTPError as failure:
        print("  failed:", failure)
        return False


def main():
    pool = urllib3.PoolManager(maxsize=200, retries=RETRY)
    began = time.monotonic()
    with ThreadPoolExecutor(200) as threads:
        succeeded = sum(threads.map(call, [pool] * 200))
    print(f"urllib3.Retry: {succeeded} of 200 calls succeeded in {time.monotonic() - began:.1f} s")
    sys.exit(0 if succeeded == 200 else 1)


main()
