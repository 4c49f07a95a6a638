"""Prompts on their way to an answer: which is asked next, again, or given up.

Servers word their refusals in many ways, so no words decide whether one concerns its
prompt alone. It is held back until the model answers something else: another prompt, or
the probe, which has nothing of anybody's texts. Then it is that prompt's result. Where
the probe is refused as well, the model cannot be asked, and no refusal is kept.
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

PROBE = Asked("", "Reply with the number 1.", "")
MOST_REFUSED = 8  # prompts in a row, then the probe is asked
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
        self._probe: Pending | None = None  # from its first request to its answer
        self._pace, self._retries, self._backoff = pace, retries, backoff
        self._words, self._error = words, error

    @property
    def is_empty(self) -> bool:
        """True where no further request is to begin."""
        return self.failure is not None or not (
            self._fresh or self._again or self._held
        )

    def due(self, under_way: int) -> list[Pending]:
        """Prompts whose request begins now, with ``under_way`` others."""
        now = time.monotonic()
        begin: list[Pending] = []
        if self._is_doubtful(under_way):
            # Retries that its prompt has had are not spent again on the probe.
            attempts = self._held[-1][0].attempts - 1
            self._probe = Pending(-1, PROBE, attempts)
            self._again.append(self._probe)
        while not self.is_empty and self._pace.room(under_way + len(begin)):
            again = min(self._waiting, key=lambda pending: pending.due, default=None)
            if again is not None and again.due <= now:
                self._again.remove(again)
                begin.append(again)
            elif self._fresh and self._probe is None:
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
        due = min((pending.due for pending in self._waiting), default=math.inf)
        if self._fresh and self._probe is None:
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
        if result.is_rate_limit:
            self._pace.refused(pending.began, result.wait)
            self._ask_again(pending, self._pace.paused_until)
        elif result.is_too_long and pending.shortened():
            self._ask_again(pending, -math.inf)
        else:
            self._failed(pending, result)
        return []

    @property
    def _waiting(self) -> list[Pending]:
        """Prompts to be asked again; only the probe as long as it has no answer."""
        if self._probe is None:
            return self._again
        return [pending for pending in self._again if pending is self._probe]

    def _is_doubtful(self, under_way: int) -> bool:
        """Return True where the probe has to show that the model can be asked.

        So it is where nothing was ever answered, or nothing while a prompt without any
        reply was asked; after many refusals; and at the end.
        """
        if not self._held or self._probe is not None:
            return False
        pending, refusal = self._held[-1]
        since = pending.first_began if refusal.status is None else -math.inf
        is_end = not (under_way or self._fresh or self._again)
        return is_end or self.answered <= since or len(self._held) >= MOST_REFUSED

    def _answered(self, pending: Pending, response: Response) -> Batch:
        self.answered = time.monotonic()
        batch: Batch = []
        if self.failure is None:
            batch = [
                (refused.position, self._refused(refused, refusal))
                for refused, refusal in self._held
            ]
            self._held = []
        if pending is not self._probe:
            return [*batch, (pending.position, response)]
        self._probe = None
        return batch

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
        if pending is not self._probe:
            self._held.append((pending, refusal))
            is_end = refusal.is_fatal or is_silent
        else:
            self._probe, is_end = None, bool(self._held)
        if is_end:
            # What the probe met may be something else.
            pending, refusal = self._held[-1]
            self.failure = self._error(refusal, pending.attempts)
