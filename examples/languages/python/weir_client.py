"""Requests that wait as their answers say and are sent again, and checks, many in one request."""

import contextlib
import json
import math
import random
import time

import urllib3

_MOST_TOGETHER = 500
_UNSENT = (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError)
_ONCE = urllib3.Retry(total=None, connect=0, read=0, other=0, redirect=3, respect_retry_after_header=False)


class Retrying:
    """A pool of urllib3 that sends requests again: `Retrying(urllib3.PoolManager()).request("GET", url)`.

    The last answer, or failure, is the caller's; so is one that names a wait above `max_wait` seconds.
    """

    def __init__(self, pool, attempts=5, max_wait=60.0):
        self._pool = pool
        self._attempts = attempts
        self._max_wait = max_wait

    def request(self, method, url, headers=None, **options):
        """As `request` of the pool; a body has to be one that can be sent again, such as bytes."""
        sent = {**(headers or {}), "Prefer": "retry-ticket"}
        is_repeatable = method.upper() not in ("POST", "PATCH") or "idempotency-key" in map(str.lower, sent)
        for attempt in range(1, self._attempts):
            wait = min(30, 0.05 * 1.5 ** (attempt - 1)) * random.uniform(0.8, 1.2)
            try:
                answer = self._pool.request(method, url, headers=sent, retries=_ONCE, **options)
            except urllib3.exceptions.MaxRetryError as failure:
                if not (is_repeatable or isinstance(failure.reason, _UNSENT)):
                    raise
            else:
                wait = _named_wait(answer.headers) or wait
                if not _may_repeat(answer, is_repeatable) or wait > self._max_wait:
                    return answer
                if "Retry-Ticket" in answer.headers:
                    sent["Retry-Ticket"] = answer.headers["Retry-Ticket"]
                answer.drain_conn()
            time.sleep(wait)
        return self._pool.request(method, url, headers=sent, retries=_ONCE, **options)


class CheckError(Exception):
    """A request of checks that was refused, or not answered."""

    def __init__(self, status, problem):
        self.errors = problem.get("errors", [])
        super().__init__("; ".join([f"{status}: {problem.get('title', '')}", *self.errors]))
        self.status = status
        self.problem = problem


def check_all(pool, node, checks, token=None):
    """The decisions on checks, such as `{"key": …, "operation": "Get", "cost": 2}`, in their order.

    A check that could not be decided has a `problem`. `token`, the service token, vouches for a `subject`.
    """
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    decisions = []
    for begin in range(0, len(checks), _MOST_TOGETHER):
        body = json.dumps({"checks": checks[begin : begin + _MOST_TOGETHER]})
        answer = pool.request("POST", f"{node}/v1/check", headers=headers, body=body)
        content = json.loads(answer.data)
        if answer.status != 200:
            raise CheckError(answer.status, content)
        decisions += content["decisions"]
    return decisions


def _may_repeat(answer, is_repeatable):
    is_undone = answer.status == 503 and answer.headers.get("Proxy-Status", "").startswith("weir;")
    is_passing = answer.status == 408 or answer.status >= 500 and answer.status not in (501, 505)
    return answer.status == 429 or is_undone or is_repeatable and is_passing


def _named_wait(headers):
    """The wait in seconds, 0 without one: the finer header counts if both name the same wait, else the standard one."""
    whole = exact = 0
    with contextlib.suppress(urllib3.exceptions.InvalidHeader):
        whole = _ONCE.parse_retry_after(headers.get("Retry-After", "0"))  # reads dates, too
    with contextlib.suppress(ValueError):
        exact = float(headers.get("Retry-After-Ms", 0)) / 1000
    return exact if exact > 0 and whole in (0, math.ceil(exact)) else whole
