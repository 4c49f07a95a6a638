"""Limit the number of concurrent requests to a server of unknown speed.

Like the window of a TCP connection, the limit rises by one for every round of answers,
and is halved when the server asks to wait or falls silent. It does not rise while
answers take more than half of the time-out: with a server that answers one request at a
time the next ones would time out.
"""

from __future__ import annotations

import math
import random
import time

ALONE_TIMEOUTS = 4  # time-outs for a request that is alone: a retry gains nothing then
LONGEST_PAUSE = 60.0  # seconds, if the server names no time


class Pace:
    """Pace of one model's requests: at most ``most`` at once, ``start`` at first.

    ``timeout`` is the maximum silence in seconds, ``backoff`` the first pause after a
    failure, ``answered`` the time of the last answer. Times are those of
    ``time.monotonic``. Not safe for threads.
    """

    def __init__(self, *, most: int, start: int, timeout: float, backoff: float):
        self.answered = self.paused_until = -math.inf
        self.backoff = backoff
        self._timeout = timeout
        self._most = most
        self._limit = float(min(start, most))
        self._refusals = 0  # in a row
        self._lowered_at = -math.inf

    @property
    def timeout(self) -> float:
        """Seconds of silence after which a request times out."""
        return self._timeout * (ALONE_TIMEOUTS if self._limit < 2 else 1)

    def free_slots(self, under_way: int) -> int:
        """Number of requests that may begin now."""
        if time.monotonic() < self.paused_until:
            return 0
        return max(0, int(self._limit) - under_way)

    def record_answer(self, began: float, seconds: float) -> None:
        """Count an answer whose first part took ``seconds``."""
        self.answered, self._refusals = time.monotonic(), 0
        if began > self._lowered_at and seconds < self._timeout / 2:
            self._limit = min(self._most, self._limit + 1 / self._limit)

    def record_refusal(self, began: float, wait: float) -> None:
        """Slow down and pause for ``wait`` seconds and up to a quarter more.

        If the server names no time, the pause doubles with every refusal.
        """
        if not wait:
            wait = min(self.backoff * 2.0**self._refusals, LONGEST_PAUSE)
        self._refusals += 1
        pause = time.monotonic() + wait * (1 + random.random() / 4)
        self.paused_until = max(self.paused_until, pause)
        self.slow_down(began)

    def slow_down(self, began: float) -> None:
        """Halve the limit after a refusal or a time-out of a request."""
        # Requests from before the last halving do not tell about the new limit.
        if began > self._lowered_at:
            self._limit = max(1.0, self._limit / 2)
            self._lowered_at = time.monotonic()
