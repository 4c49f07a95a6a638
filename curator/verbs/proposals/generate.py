"""``generate``: ask an LLM for questions; what it proposes waits for people.

What is to be asked is found first, each with its exact words. Then it is claimed by a
row of its own, asked, and kept: the response as it came, and every new text in it as a
proposal. What has a whole response is not asked again; what breaks off keeps what had
arrived.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from curator.engine.opened import OpenWorkspace
from curator.engine.settings import settings_from
from curator.engine.state import State
from curator.evaluation.settings import Settings
from curator.store import generations as store
from curator.store.claims import new_holder
from curator.store.connection import exclusive
from curator.store.generations import ToAsk
from curator.verbs.grading import jobs
from curator.verbs.grading.jobs import Job
from curator.verbs.grading.run_grader import Tally
from curator.verbs.proposals.listing import nothing_to_add
from curator.verbs.proposals.plan import planned
from curator.verbs.proposals.propose import keep_response, salvage
from curator.verbs.proposals.request import LONGEST_ANSWER, Order, spec_of
from grading.costs import Prices, cost, estimate
from grading.errors import GradingError
from grading.models.protocol import Asked, Response

if TYPE_CHECKING:
    from grading.models.chat import ChatModel

Current = Callable[[], State]
Progress = Callable[[int, int], None]
"""Called with (asked, asked and still to ask), first with 0 asked."""

ANSWER_TOKENS = 300  # of some ten questions, for estimates
AT_ONCE = 2  # windows of requests that are claimed together
GROWS_EVERY = 0.25  # seconds between two looks at a response that is arriving


@dataclass(frozen=True)
class GenerateSummary:
    """What was asked, or would be on a dry run, and what came of it.

    ``asked`` counts prompts, ``had`` those passed over because they have an answer,
    ``elsewhere`` those that another process is asking. ``proposed`` are new questions,
    ``repeated`` texts that stood in the bank already, ``cut`` answers that broke off in
    the middle of their list, ``unreadable`` those from which nothing could be read.
    ``without_title`` counts queries of which only the id is known. Tokens are the
    model's own count, on a dry run an estimate; ``texts`` are the prompts, on a dry run
    only. ``covered_by`` is the grader that said which passages are covered, where that
    mattered.
    """

    model: str
    asked: int
    had: int
    elsewhere: int
    without_title: int
    dry_run: bool
    proposed: int = 0
    repeated: int = 0
    cut: int = 0
    covered_by: str = ""
    unreadable: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = None
    texts: tuple[ToAsk, ...] = ()


def generate(
    workspace: OpenWorkspace,
    order: Order,
    *,
    settings: Settings | None = None,
    dry_run: bool = False,
    prices: Prices | None = None,
    tally: Tally | None = None,
    progress: Progress | None = None,
) -> GenerateSummary:
    """Ask an LLM for questions; what it proposes counts for nothing until kept.

    What has an answer already is not asked again. ``settings`` say which passages no
    question covers, where the order is ``grounded``: by default those of the first
    grader. One prompt alone is read while it arrives, so that it can be looked at
    meanwhile; several are asked side by side. What ``progress`` or the model raises
    ends the run with everything kept that had arrived. Raises PromptError for an order
    that makes no sense, EndpointError where the model cannot be asked.
    """
    tally = Tally() if tally is None else tally
    report = progress or (lambda done, total: None)
    settings = settings or covering(workspace.state(), order)
    if not dry_run:
        salvage(workspace)
    plan = planned(workspace.state(), order, settings)
    summary = GenerateSummary(
        model=order.model,
        asked=len(plan.to_ask),
        had=plan.had,
        elsewhere=plan.elsewhere,
        without_title=plan.without_title,
        dry_run=dry_run,
        covered_by=settings.grader if settings and order.grounded else "",
    )
    if dry_run:
        expected = estimate(
            (one.text for one in plan.to_ask),
            answer_tokens=ANSWER_TOKENS,
            prices=prices,
        )
        return replace(
            summary,
            tokens_in=expected.tokens_in,
            tokens_out=expected.tokens_out,
            dollars=expected.dollars,
            texts=plan.to_ask,
        )
    before = replace(tally)
    asker = Asker(workspace, order, tally=tally)
    if plan.to_ask:
        asker.run(plan.to_ask, report)
    asked = tally.since(before)
    return replace(
        summary,
        asked=asked.prompts,
        elsewhere=summary.elsewhere + asker.elsewhere,
        proposed=asker.proposed,
        repeated=asker.found - asker.proposed,
        cut=asker.cut,
        unreadable=asked.unreadable,
        tokens_in=asked.tokens_in,
        tokens_out=asked.tokens_out,
        dollars=None
        if prices is None
        else cost(asked.tokens_in, asked.tokens_out, prices),
    )


class Asker:
    """Asks one model, window by window, and keeps what it says."""

    def __init__(self, workspace: OpenWorkspace, order: Order, *, tally: Tally) -> None:
        self.found = self.proposed = self.cut = self.elsewhere = 0
        self._connection = workspace.connection
        self._order = order
        self._by = workspace.judge
        self._tally = tally
        self._holder = new_holder()

    def run(self, to_ask: Sequence[ToAsk], progress: Progress) -> None:
        """Ask all of this that nobody else asks meanwhile."""
        model = opened_model(self._order)
        progress(0, len(to_ask))
        try:
            if len(to_ask) == 1:
                for number, one in self._begin(to_ask).items():
                    self._stream(model, number, one)
                progress(1, 1)
                return
            done = 0
            size = AT_ONCE * model.concurrency
            for start in range(0, len(to_ask), size):
                window = to_ask[start : start + size]
                begun = self._begin(window)
                done += len(window) - len(begun)
                for number, response in self._answers(model, begun):
                    self._keep(number, begun[number], response)
                    done += 1
                    progress(done, len(to_ask))
        finally:
            with exclusive(self._connection):
                store.give_up(self._connection, self._holder)

    def _begin(self, window: Sequence[ToAsk]) -> dict[int, ToAsk]:
        with exclusive(self._connection):
            begun = store.begin(
                self._connection,
                window,
                holder=self._holder,
                by=self._by,
                again=self._order.again,
                since=self._order.since,
            )
        self.elsewhere += len(window) - len(begun)
        return begun

    def _answers(
        self, model: ChatModel, begun: dict[int, ToAsk]
    ) -> Iterator[tuple[int, Response]]:
        numbers = list(begun)
        prompts = [Asked(one.text, "", "") for one in begun.values()]
        with closing(model.ask(prompts)) as batches:
            for batch in batches:
                for at, response in batch:
                    yield numbers[at], response

    def _stream(self, model: ChatModel, number: int, one: ToAsk) -> None:
        """Ask one, keeping what arrives while it does."""
        arrived = Response("")
        kept_at = 0.0
        try:
            with closing(model.stream(one.text)) as responses:
                for arrived in responses:
                    if time.monotonic() - kept_at < GROWS_EVERY:
                        continue
                    kept_at = time.monotonic()
                    with exclusive(self._connection):
                        store.grow(self._connection, number, arrived.raw)
        except BaseException as error:
            # Whatever ends it, somebody's Ctrl-C too: what had arrived is kept.
            if arrived.raw:
                told = isinstance(error, GradingError)
                why = str(error) if told else "The asking was ended."
                self._keep(number, one, arrived, error=why)
                if told:
                    said = arrived_words(self.proposed)
                    raise type(error)(f"{error}; {said}") from None
            raise
        self._keep(number, one, arrived)

    def _keep(
        self, number: int, one: ToAsk, response: Response, *, error: str | None = None
    ) -> None:
        with exclusive(self._connection):
            # Another may have been told to ask it while this process slept.
            if not store.is_held(self._connection, number, self._holder):
                return
            kept = keep_response(self._connection, number, one, response, error=error)
        self.found += kept.found
        self.proposed += kept.proposed
        self.cut += kept.cut
        unreadable = not kept.found and not nothing_to_add(response.raw)
        self._tally.count(response, unreadable=unreadable)


def arrived_words(proposed: int) -> str:
    """What became of what had arrived before an answer broke off."""
    if not proposed:
        return "nothing new had arrived"
    questions = "question" if proposed == 1 else "questions"
    return f"{proposed:,} {questions} had arrived and can be decided"


def start_generation(
    workspace: OpenWorkspace,
    order: Order,
    *,
    settings: Settings | None = None,
) -> Job:
    """Do the same in a process of its own, which outlives this one.

    Raises what ``generate`` raises before it begins, and JobError where this model is
    being asked already.
    """
    settings = settings or covering(workspace.state(), order)
    opened_model(order)  # cheap, and a missing key is better known now
    total = len(planned(workspace.state(), order, settings).to_ask)
    spec = spec_of(order, settings)
    return jobs.start(workspace, "generate", spec, total=total)


def covering(state: State, order: Order) -> Settings | None:
    """The settings that say which passages are covered, where that matters."""
    if not order.grounded or not state.gradebook.records:
        return None
    return settings_from(state, {})


def opened_model(order: Order) -> ChatModel:
    """A line to the order's model. Raises EndpointError, MissingModelError."""
    from grading.models.chat import ChatModel

    return ChatModel(
        order.model,
        temperature=order.temperature,
        max_answer_tokens=LONGEST_ANSWER,
    )
