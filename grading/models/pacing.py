"""Number of requests at once, and pauses, for a server of unknown speed.

The limit rises by one for every round of answers and is halved when the server asks
for patience or falls silent, as the window of a TCP connection is. It does not rise
where answers take more than half of the time-out: a server that answers one request
at a time would let the next ones run into it.
"""

from __future__ import annotations

import math
import random
import time

PATIENCE = 4  # time-outs for a request that is alone: to ask again gains nothing then
LONGEST_PAUSE = 60.0  # seconds between requests, where the server names no time


class Pace:
    """The pace of one model's requests: at most ``most`` at once, ``start`` at first.

    ``timeout`` is in seconds, for silence. ``silences`` counts requests since the last
    answer that ran into it though they were alone. Times are those of
    ``time.monotonic``. Used from one thread.
    """

    def __init__(self, *, most: int, start: int, timeout: float, backoff: float):
        self.silences = 0
        self.paused_until = -math.inf
        self._timeout = timeout
        self._most = most
        self._limit = float(min(start, most))
        self._backoff = backoff
        self._refusals = 0  # in a row
        self._lowered_at = -math.inf

    @property
    def timeout(self) -> float:
        """Seconds of silence after which a request is given up."""
        return self._timeout * (PATIENCE if self._limit < 2 else 1)

    def room(self, under_way: int) -> int:
        """Number of requests that may begin now."""
        if time.monotonic() < self.paused_until:
            return 0
        return max(0, int(self._limit) - under_way)

    def answered(self, began: float, seconds: float) -> None:
        """Count an answer whose first words took ``seconds``."""
        self._refusals = self.silences = 0
        if began > self._lowered_at and seconds < self._timeout / 2:
            self._limit = min(self._most, self._limit + 1 / self._limit)

    def refused(self, began: float, wait: float) -> None:
        """Slow down; nothing begins for ``wait`` seconds and up to a quarter more.

        Where the server names no time, the pause doubles with every refusal.
        """
        if not wait:
            wait = min(self._backoff * 2.0**self._refusals, LONGEST_PAUSE)
        self._refusals += 1
        pause = time.monotonic() + wait * (1 + random.random() / 4)
        self.paused_until = max(self.paused_until, pause)
        self._lower(began)

    def timed_out(self, began: float) -> None:
        """Slow down after a request that was not answered in time."""
        if self._limit < 2 and began > self._lowered_at:
            self.silences += 1
        self._lower(began)

    def _lower(self, began: float) -> None:
        # Requests that began before the last halving say nothing of the new limit.
        if began > self._lowered_at:
            self._limit = max(1.0, self._limit / 2)
            self._lowered_at = time.monotonic()
