"""Requests that wait as their answers say and are sent again, and checks, many in one request."""

import email.utils
import json
import math
import random
import time

import urllib3

_IDEMPOTENT = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"})
_MOST_TOGETHER = 500
_ONCE = urllib3.Retry(total=None, connect=0, read=0, other=0, redirect=3, respect_retry_after_header=False)


class Retrying:
    """A pool of urllib3 that sends requests again: `Retrying(urllib3.PoolManager()).request("GET", url)`.

    The last answer, or failure, is the caller's; so is one that names a wait above `max_wait` seconds.
    """

    def __init__(self, pool, attempts=5, max_wait=60.0, sleep=time.sleep):
        self._pool = pool
        self._attempts = attempts
        self._max_wait = max_wait
        self._sleep = sleep

    def request(self, method, url, headers=None, **options):
        """As `request` of the pool; a body has to be one that can be sent again, such as bytes."""
        sent = {**(headers or {}), "Prefer": "retry-ticket"}
        is_repeatable = method.upper() in _IDEMPOTENT or "idempotency-key" in map(str.lower, sent)
        for attempt in range(1, self._attempts):
            wait = _backoff(attempt)
            try:
                answer = self._pool.request(method, url, headers=sent, retries=_ONCE, **options)
            except urllib3.exceptions.MaxRetryError as failure:
                if not (is_repeatable or _is_unsent(failure.reason)):
                    raise
            else:
                wait = _named_wait(answer.headers) or wait
                if not _may_repeat(answer, is_repeatable) or wait > self._max_wait:
                    return answer
                if "Retry-Ticket" in answer.headers:
                    sent["Retry-Ticket"] = answer.headers["Retry-Ticket"]
                answer.drain_conn()
            self._sleep(wait)
        return self._pool.request(method, url, headers=sent, retries=_ONCE, **options)


class CheckError(Exception):
    """A request of checks that was refused, or not answered."""

    def __init__(self, status, problem):
        super().__init__(f"{status}: {problem.get('title', '')}")
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
    if answer.status == 429:
        return True
    is_undone = answer.status == 503 and answer.headers.get("Proxy-Status", "").startswith("weir;")
    is_passing = answer.status == 408 or answer.status >= 500 and answer.status not in (501, 505)
    return is_undone or is_repeatable and is_passing


def _is_unsent(failure):
    return isinstance(failure, (urllib3.exceptions.NewConnectionError, urllib3.exceptions.ConnectTimeoutError))


def _named_wait(headers):
    """The wait in seconds: the finer header counts if both name the same wait, else the standard one."""
    whole = _seconds(headers.get("Retry-After", ""))
    exact = _seconds(headers.get("Retry-After-Ms", "")) / 1000
    return exact if exact > 0 and whole in (0, math.ceil(exact)) else whole


def _seconds(text):
    if text.strip().isdecimal():
        return int(text)
    date = email.utils.parsedate_tz(text)
    return 0 if date is None else max(0, email.utils.mktime_tz(date) - time.time())


def _backoff(attempt):
    return min(30, 0.05 * 1.5 ** (attempt - 1)) * random.uniform(0.8, 1.2)
