"""Schedule requests of chat prompts: order, retries and failures.

Messages of refusals vary too much to tell whether one concerns its prompt alone. So a
refusal is held until the model answers something else: another prompt, or a probe
without any text of the collection. Then the refusal becomes the result of its prompt.
If the probe is refused, too, the model cannot be asked, and no refusal is stored.
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
from grading.models.protocol import Batch, PromptParts, Response
from grading.models.replies import Refusal

PROBE = PromptParts("", "Reply with the number 1.", "")
MAX_REFUSED = 8  # consecutive prompts before the probe is sent
MAX_TIMEOUTS = 2  # of one prompt, while others are answered
MIN_CUT_LENGTH = 500  # characters; shorter passages are not cut
LONGEST_PAUSE = 8.0  # seconds between two requests about one prompt


def pause_after(attempts: int, backoff: float) -> float:
    """Return the seconds to wait after a number of failures, doubled with each.

    At most ``LONGEST_PAUSE``, and up to a quarter less at random, so that requests that
    failed together are not repeated together.
    """
    pause = min(backoff * 2.0 ** (attempts - 1), LONGEST_PAUSE)
    return pause * (1 - random.random() / 4)


@dataclass
class Pending:
    """A prompt without an answer; ``attempts`` counts its failed requests.

    ``began`` and ``first_began`` are the start times of its last and first request,
    ``due`` is the earliest time of the next, all of ``time.monotonic``. ``cut``: its
    passage was shortened.
    """

    position: int
    prompt: PromptParts
    attempts: int = 0
    timeouts: int = 0
    began: float = math.inf
    first_began: float = math.inf
    due: float = -math.inf
    cut: bool = False

    def shorten(self) -> bool:
        """Cut a quarter off the end of the passage; return False if it is too short."""
        passage = self.prompt.context
        if len(passage) < MIN_CUT_LENGTH:
            return False
        self.prompt = replace(self.prompt, context=passage[: len(passage) * 3 // 4])
        self.cut = True
        return True


class Schedule:
    """The prompts of one ``ask``, from the first request to the last result.

    ``retries`` is the number of retries after temporary failures. ``describe`` returns
    a refusal in words, ``error`` the error for a refusal after a number of attempts.
    ``failure`` ends the schedule.
    """

    def __init__(
        self,
        prompts: Sequence[PromptParts],
        pace: Pace,
        *,
        retries: int,
        describe: Callable[[Refusal], str],
        error: Callable[[Refusal, int], EndpointError],
    ) -> None:
        self.failure: EndpointError | None = None
        self._fresh = deque(Pending(*numbered) for numbered in enumerate(prompts))
        self._again: list[Pending] = []
        self._held: list[tuple[Pending, Refusal]] = []
        self._probe: Pending | None = None  # while it has no answer
        self._pace, self._retries = pace, retries
        self._describe, self._error = describe, error

    @property
    def is_empty(self) -> bool:
        """Return True if no further request is to begin."""
        return self.failure is not None or not (
            self._fresh or self._again or self._held
        )

    def start_due(self, under_way: int) -> list[Pending]:
        """Return the prompts to request now, while ``under_way`` others are running."""
        now = time.monotonic()
        begin: list[Pending] = []
        if self._needs_probe(under_way):
            # The probe does not repeat the retries of the held prompt.
            attempts = self._held[-1][0].attempts - 1
            self._probe = Pending(-1, PROBE, attempts, MAX_TIMEOUTS - 1)
            self._again.append(self._probe)
        while not self.is_empty and self._pace.free_slots(under_way + len(begin)):
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

    def seconds_until_due(self) -> float:
        """Return the seconds until a request can begin; infinity while one must end."""
        if self.is_empty:
            return math.inf
        now = time.monotonic()
        due = min((pending.due for pending in self._waiting), default=math.inf)
        if self._fresh and self._probe is None:
            due = now
        due = max(due, self._pace.paused_until)
        return due - now if due > now else math.inf

    def record(
        self, pending: Pending, result: Response | Refusal, seconds: float
    ) -> Batch:
        """Record the outcome of a request; return the results that follow from it.

        ``seconds`` is the time until the first part of the answer.
        """
        if isinstance(result, Response):
            self._pace.record_answer(pending.began, seconds)
            return self._answered(pending, replace(result, cut=pending.cut))
        if result.is_rate_limit:
            self._pace.record_refusal(pending.began, result.wait)
            self._ask_again(pending, self._pace.paused_until)
        elif result.is_too_long and pending.shorten():
            self._ask_again(pending, -math.inf)
        else:
            self._failed(pending, result)
        return []

    @property
    def _waiting(self) -> list[Pending]:
        """Prompts to retry; only the probe as long as it has no answer."""
        if self._probe is None:
            return self._again
        return [pending for pending in self._again if pending is self._probe]

    def _needs_probe(self, under_way: int) -> bool:
        """Return True if the probe has to find out whether the model can be asked.

        That is the case while a refusal is held and the model has answered nothing, or
        nothing since the first request of a prompt without any reply; when many
        refusals are held; and when no other request is left.
        """
        if not self._held or self._probe is not None:
            return False
        pending, refusal = self._held[-1]
        since = pending.first_began if refusal.status is None else -math.inf
        is_end = not (under_way or self._fresh or self._again)
        return is_end or self._pace.answered <= since or len(self._held) >= MAX_REFUSED

    def _answered(self, pending: Pending, response: Response) -> Batch:
        batch: Batch = []
        if self.failure is None:
            for refused, refusal in self._held:
                fault = f"refused by the server: {self._describe(refusal)}"
                # Nothing was generated, so no tokens are counted.
                empty = Response("", refused.cut, 0, 0, fault=fault)
                batch.append((refused.position, empty))
            self._held = []
        if pending is not self._probe:
            return [*batch, (pending.position, response)]
        self._probe = None
        return batch

    def _ask_again(self, pending: Pending, due: float) -> None:
        pending.due = due
        self._again.append(pending)

    def _failed(self, pending: Pending, refusal: Refusal) -> None:
        pending.attempts += 1
        if refusal.is_timeout:
            pending.timeouts += 1
            self._pace.slow_down(pending.began)
        is_exhausted = (
            pending.attempts > self._retries or pending.timeouts >= MAX_TIMEOUTS
        )
        if refusal.is_temporary and not is_exhausted:
            pause = pause_after(pending.attempts, self._pace.backoff)
            self._ask_again(pending, time.monotonic() + pause)
            return
        if pending is not self._probe:
            self._held.append((pending, refusal))
            is_end = refusal.is_fatal
        else:
            self._probe, is_end = None, bool(self._held)
        if is_end:
            # Report the held refusal, as the probe may have failed for another reason.
            pending, refusal = self._held[-1]
            self.failure = self._error(refusal, pending.attempts)
