"""Asks Weir whether an operation may be done now. A denied one waits for its slot."""

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

NODE = os.environ.get("WEIR_URL", "http://127.0.0.1:8081")
KEY = os.environ.get("WEIR_KEY", "twenty.demo-secret-of-twenty")
TIMEOUT = float(os.environ.get("WEIR_TIMEOUT", "1"))  # in seconds
# The decision while no node answers.
ALLOWED_WITHOUT_WEIR = os.environ.get("WEIR_AWAY", "deny") == "allow"


class Mistake(Exception):
    """The request was refused, with the status and the reason."""


def is_allowed(operation, cost=1, patience=30.0):
    """Whether the operation may be done now, if need be after a wait of `patience` seconds in all."""
    end = time.monotonic() + patience
    ticket = True  # asks for one
    while True:
        try:
            answer = ask({"key": KEY, "operation": operation, "cost": cost, "ticket": ticket})
        except urllib.error.HTTPError as refusal:
            if refusal.code < 500:  # a mistake in the request
                raise Mistake(f"{refusal.code}: {json.load(refusal)['title']}") from None
            return ALLOWED_WITHOUT_WEIR
        except (OSError, http.client.HTTPException):
            return ALLOWED_WITHOUT_WEIR
        if answer["decision"] != "denied":
            return answer["decision"] == "allowed"
        wait = answer["retryAfterMs"] / 1000
        if time.monotonic() + wait > end:
            return False
        time.sleep(wait)
        ticket = answer.get("ticket", True)  # keeps the slot


def ask(check):
    request = urllib.request.Request(
        NODE + "/v1/check", json.dumps(check).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return json.load(answer)


if __name__ == "__main__":
    try:
        print("allowed" if is_allowed(sys.argv[1], int(sys.argv[2])) else "denied")
    except Mistake as mistake:
        sys.exit(str(mistake))
