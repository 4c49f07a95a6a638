"""Prompts on their way to an answer: which is asked next, again, or given up.

One prompt's refusal concerns that prompt alone. It is held back until another prompt is
answered, and is then that prompt's result; where nothing is answered any more, it is
the model that cannot be asked, and nothing is kept of the refusals.
"""

from __future__ import annotations

import math
import random
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from grading.errors import EndpointError
from grading.models.pacing import Pace
from grading.models.protocol import Asked, Batch, Response
from grading.models.replies import Refusal

MOST_REFUSED = 8  # prompts in a row, then nothing more is asked
MOST_TIMEOUTS = 3  # of one prompt, while others are answered
MOST_SILENCES = 2  # requests that were alone, since the last answer
SHORTEST_CUT = 500  # characters; a passage as short is not what makes a prompt too long
LONGEST_PAUSE = 8.0  # seconds between two requests about one prompt


def pause_after(attempts: int, backoff: float) -> float:
    """Seconds to wait after so many failures: twice as long each time, up to a limit.

    Up to a quarter less by chance: requests that failed together do not come back
    together.
    """
    pause = min(backoff * 2.0 ** (attempts - 1), LONGEST_PAUSE)
    return pause * (1 - random.random() / 4)


@dataclass
class Pending:
    """A prompt without an answer; ``attempts`` are requests about it that failed.

    ``began`` is when the request under way began, ``first_began`` the first one, and
    ``due`` when the next may begin, all as ``time.monotonic`` has it. ``cut`` says that
    its passage was shortened.
    """

    position: int
    prompt: Asked
    attempts: int = 0
    timeouts: int = 0
    began: float = math.inf
    first_began: float = math.inf
    due: float = -math.inf
    cut: bool = False

    def shortened(self) -> bool:
        """Take a quarter off the end of the passage; False where it is too short."""
        passage = self.prompt.context
        if len(passage) < SHORTEST_CUT:
            return False
        self.prompt = replace(self.prompt, context=passage[: len(passage) * 3 // 4])
        self.cut = True
        return True


class Schedule:
    """The prompts of one ``ask``, from the first request to the last result.

    ``retries`` is how often one is asked again after what passes, ``backoff`` seconds
    after the first failure and twice as long after each further one. ``words`` says
    what a refusal is and ``error`` what it is after a number of attempts. ``answered``
    is when the model last answered, minus infinity where it never has. ``failure`` ends
    the asking.
    """

    def __init__(
        self,
        prompts: Sequence[Asked],
        pace: Pace,
        *,
        retries: int,
        backoff: float,
        words: Callable[[Refusal], str],
        error: Callable[[Refusal, int], EndpointError],
        answered: float,
    ) -> None:
        self.answered = answered
        self.failure: EndpointError | None = None
        self._fresh = deque(Pending(*numbered) for numbered in enumerate(prompts))
        self._again: list[Pending] = []
        self._held: list[tuple[Pending, Refusal]] = []
        self._pace, self._retries, self._backoff = pace, retries, backoff
        self._words, self._error = words, error

    @property
    def is_empty(self) -> bool:
        """True where no further request is to begin."""
        return self.failure is not None or not (self._fresh or self._again)

    def due(self, under_way: int) -> list[Pending]:
        """Prompts whose request begins now, with ``under_way`` others."""
        now = time.monotonic()
        begin: list[Pending] = []
        while not self.is_empty and self._pace.room(under_way + len(begin)):
            again = min(self._again, key=lambda pending: pending.due, default=None)
            if again is not None and again.due <= now:
                self._again.remove(again)
                begin.append(again)
            elif self._fresh:
                begin.append(self._fresh.popleft())
            else:
                break
        for pending in begin:
            pending.began = now
            pending.first_began = min(pending.first_began, now)
        return begin

    def seconds_left(self) -> float:
        """Seconds until a request may begin; infinite where one has to end first."""
        if self.is_empty:
            return math.inf
        now = time.monotonic()
        due = min((pending.due for pending in self._again), default=math.inf)
        if self._fresh:
            due = now
        due = max(due, self._pace.paused_until)
        return due - now if due > now else math.inf

    def take(
        self, pending: Pending, result: Response | Refusal, seconds: float
    ) -> Batch:
        """Results that follow from what a request brought.

        ``seconds`` is how long the first words of an answer took.
        """
        if isinstance(result, Response):
            self._pace.answered(pending.began, seconds)
            return self._answered(pending, replace(result, cut=pending.cut))
        if result.is_filter:
            return self._answered(pending, self._refused(pending, result))
        if result.is_rate_limit:
            self._pace.refused(pending.began, result.wait)
            self._ask_again(pending, self._pace.paused_until)
        elif result.is_too_long and pending.shortened():
            self._ask_again(pending, -math.inf)
        else:
            self._failed(pending, result)
        return []

    def end(self) -> Batch:
        """Results that were held back; for when nothing is under way any more."""
        if self.failure is None and self._held and math.isinf(self.answered):
            pending, refusal = self._held[-1]
            self.failure = self._error(refusal, pending.attempts)
        return self._released()

    def _answered(self, pending: Pending, response: Response) -> Batch:
        self.answered = time.monotonic()
        return [*self._released(), (pending.position, response)]

    def _released(self) -> Batch:
        if self.failure is not None:
            return []
        released = [
            (pending.position, self._refused(pending, refusal))
            for pending, refusal in self._held
        ]
        self._held = []
        return released

    def _refused(self, pending: Pending, refusal: Refusal) -> Response:
        fault = f"refused by the server: {self._words(refusal)}"
        # Nothing was generated, so no tokens are counted.
        return Response("", pending.cut, tokens_in=0, tokens_out=0, fault=fault)

    def _ask_again(self, pending: Pending, due: float) -> None:
        pending.due = due
        self._again.append(pending)

    def _failed(self, pending: Pending, refusal: Refusal) -> None:
        pending.attempts += 1
        if refusal.is_timeout:
            pending.timeouts += 1
            self._pace.timed_out(pending.began)
        is_silent = self._pace.silences >= MOST_SILENCES
        many = pending.attempts > self._retries or pending.timeouts >= MOST_TIMEOUTS
        if refusal.is_passing and not (many or is_silent):
            pause = pause_after(pending.attempts, self._backoff)
            self._ask_again(pending, time.monotonic() + pause)
            return
        # The server is gone where nothing was answered while this was asked; it never
        # worked where nothing ever was.
        since = pending.first_began if refusal.status is None else -math.inf
        is_gone = is_silent or (refusal.is_passing and self.answered <= since)
        self._held.append((pending, refusal))
        if refusal.is_fatal or is_gone or len(self._held) >= MOST_REFUSED:
            self.failure = self._error(refusal, pending.attempts)
