"""Checks by the Redis protocol, in pipelines: the node needs --resp-port and a service token.

Settings: WEIR_SERVICE_TOKEN, the token of the node; WEIR_RESP_PORT, 6400 if it is absent; WEIR_CALLS, 200.
"""

import os
import sys
import time

import redis

CALLS = int(os.environ.get("WEIR_CALLS", "200"))


def main():
    node = redis.Redis(
        port=int(os.environ.get("WEIR_RESP_PORT", "6400")),
        password=os.environ["WEIR_SERVICE_TOKEN"],
        decode_responses=True,
    )
    began = time.monotonic()
    succeeded = 0
    waiting = [(began, "NEW")] * CALLS
    while waiting:
        now = time.monotonic()
        due = [ticket for until, ticket in waiting if until <= now]
        waiting = [one for one in waiting if one[0] > now]
        for ticket, answer in zip(due, check(node, due)):
            if answer["decision"] == "allowed":
                succeeded += 1
            elif answer["decision"] == "denied":
                waiting.append((time.monotonic() + answer["wait_us"] / 1e6, answer["ticket"] or ticket))
        if waiting:
            time.sleep(max(0.0, min(until for until, _ in waiting) - time.monotonic()))
    print(f"redis-py: {succeeded} of {CALLS} calls succeeded in {time.monotonic() - began:.1f} s")
    sys.exit(0 if succeeded == CALLS else 1)


def check(node, tickets):
    pipeline = node.pipeline(transaction=False)
    for ticket in tickets:
        pipeline.execute_command("WEIR.CHECK", "twenty", "Get", 1, "TICKET", ticket)
    return [named(answer) for answer in pipeline.execute()]


def named(answer):
    """RESP 2 has no maps."""
    return answer if isinstance(answer, dict) else dict(zip(answer[::2], answer[1::2]))


main()
