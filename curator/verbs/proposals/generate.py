"""``generate``: ask an LLM for questions; what it proposes waits for people.

What is to be asked is found first, each with its exact words. Then it is claimed by a
row of its own, asked, and kept: the response as it came, and every new text in it as a
proposal. What has a whole response is not asked again; what breaks off keeps what had
arrived.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from curator.bank.edits import Propose
from curator.bank.wording import clean_text, comparable
from curator.engine.opened import OpenWorkspace
from curator.engine.settings import default_settings
from curator.engine.state import State
from curator.errors import EditError, UndoError
from curator.evaluation.settings import Settings
from curator.generation.responses import (
    MAX_LISTED,
    listed_texts,
    nothing_to_add,
    whole_texts,
)
from curator.results import Rows
from curator.store import bank as store_bank
from curator.store import edits as store_edits
from curator.store import generations as store
from curator.store.claims import new_holder
from curator.store.connection import exclusive
from curator.store.generations import FilledPrompt, Generation
from curator.store.question_history import proposed_words
from curator.verbs.grading import jobs
from curator.verbs.grading.jobs import Job
from curator.verbs.grading.summary import Announce, Progress, Tally
from curator.verbs.proposals.plan import planned
from curator.verbs.proposals.request import (
    COUNT,
    LONGEST_ANSWER,
    MOST_TIMES,
    GenerateSummary,
    GenerationRequest,
)
from curator.verbs.setup.settings import saved_endpoint, setup
from curator.visibility.viewer import Gate, gates
from grading.costs import Prices, cost, estimate
from grading.errors import (
    BrokenStreamError,
    EndpointError,
    GradingError,
    MissingModelError,
)
from grading.models.endpoint import shown_host
from grading.models.protocol import Asked, Response

if TYPE_CHECKING:
    from grading.models.chat import ChatModel

STREAMED = 10  # prompts that are asked one after another, to be read as they arrive
ANSWER_TOKENS = 300  # of some ten questions, for estimates
AT_ONCE = 2  # windows of requests that are claimed together
KEPT_EVERY = 0.25  # seconds between two looks at a response that is arriving
CUT = "The answer breaks off in the middle of its list."
LEFT_OUT = "not proposed, being more than twice the number asked for"

_BEFORE_MARK = re.compile(r" (?=[?.!,;:])")


def generate(
    workspace: OpenWorkspace,
    request: GenerationRequest,
    *,
    settings: Settings | None = None,
    dry_run: bool = False,
    prices: Prices | None = None,
    tally: Tally | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> GenerateSummary:
    """Ask an LLM for questions; what it proposes counts for nothing until kept.

    What has an answer already is not asked again. A request without an endpoint is
    asked at that of the workspace's settings, else at the environment's; ``announce``
    is told its host before anything is sent. ``settings`` say which passages no
    question covers, where the request is ``grounded``: by default those of the first
    grader. Up to STREAMED prompts are asked one after another and read while they
    arrive, so that their questions can be decided on meanwhile; more are asked side by
    side. What ``progress`` or the model raises ends the run with everything kept that
    had arrived. Raises PromptError for a request that makes no sense, EndpointError
    where the model cannot be asked.
    """
    settings = settings or _covering(workspace.state(), request)
    request = with_endpoint(workspace.state(), request)
    if not dry_run:
        recover(workspace)
    summary = planned(workspace.state(), request, settings)
    if summary.texts:
        summary = replace(summary, host=shown_host(request.endpoint))
        if announce is not None and summary.host and not dry_run:
            announce(summary.host)
    if dry_run:
        expected = estimate(
            (one.text for one in summary.texts),
            answer_tokens=ANSWER_TOKENS,
            prices=prices,
        )
        return replace(
            summary,
            tokens_in=expected.tokens_in,
            tokens_out=expected.tokens_out,
            dollars=expected.dollars,
        )
    tally = Tally() if tally is None else tally
    before = replace(tally)
    run = _Run(workspace, request, tally, progress or (lambda done, total: None))
    if summary.texts:
        try:
            run.ask(summary.texts)
        except (EndpointError, MissingModelError) as error:
            left = planned(workspace.state(), request, settings)
            if not left.had:
                raise
            raise type(error)(
                f"{error}. Still without an answer: {left.asked:,} of "
                f"{left.asked + left.had + left.elsewhere:,} prompts; those of "
                f"{left.had:,} are kept here"
            ) from None
    asked, spent = tally.since(before), None
    if prices is not None and not asked.uncounted:
        spent = cost(asked.tokens_in, asked.tokens_out, prices)
    return replace(
        summary,
        dry_run=False,
        texts=(),
        asked=asked.prompts,
        elsewhere=summary.elsewhere + run.elsewhere,
        proposed=run.proposed,
        repeated=run.found - run.proposed,
        cut=run.cut,
        left_out=run.left_out,
        stopped=run.stopped,
        unreadable=asked.unreadable,
        faults=tuple(run.faults),
        tokens_in=asked.reported["tokens_in"],
        tokens_out=asked.reported["tokens_out"],
        dollars=spent,
    )


class _Run:
    """Asks one model, window by window, keeps what it says, and counts that."""

    def __init__(
        self,
        workspace: OpenWorkspace,
        request: GenerationRequest,
        tally: Tally,
        progress: Progress,
    ) -> None:
        self.found = self.proposed = self.cut = self.left_out = self.elsewhere = 0
        self.stopped = False
        self.faults: dict[str, None] = {}  # of answers without a list, in order
        self._connection = workspace.connection
        self._by = workspace.judge
        self._request, self._tally, self._progress = request, tally, progress
        self._holder = new_holder()

    def ask(self, prompts: Sequence[FilledPrompt]) -> None:
        """Ask all of these that nobody else asks meanwhile."""
        model = _opened_model(self._request)
        self._progress(0, len(prompts))
        try:
            if len(prompts) <= STREAMED:
                self._stream_all(model, prompts)
                return
            done = 0
            size = AT_ONCE * model.concurrency
            for start in range(0, len(prompts), size):
                window = prompts[start : start + size]
                claimed = self._claim(window)
                done += len(window) - len(claimed)
                asked = [Asked(one.text, "", "") for _, one in claimed]
                with closing(model.ask(asked)) as batches:
                    for at, response in chain.from_iterable(batches):
                        self._keep(*claimed[at], response)
                        done += 1
                        self._progress(done, len(prompts))
        finally:
            with exclusive(self._connection):
                store.release(self._connection, self._holder)

    def _claim(self, window: Sequence[FilledPrompt]) -> list[tuple[int, FilledPrompt]]:
        """Those that nobody else asks, by the numbers of their rows."""
        with exclusive(self._connection):
            claimed = store.claim(
                self._connection,
                window,
                holder=self._holder,
                by=self._by,
                again=self._request.again,
                since=self._request.since,
            )
        self.elsewhere += len(window) - len(claimed)
        return list(claimed.items())

    def _stream_all(self, model: ChatModel, prompts: Sequence[FilledPrompt]) -> None:
        """Ask one after another. Raises BrokenStreamError where all broke off."""
        claimed, is_answered = self._claim(prompts), False
        broken: BrokenStreamError | None = None
        for done, (number, prompt) in enumerate(claimed, len(prompts) - len(claimed)):
            if done:
                self._progress(done, len(prompts))
            try:
                self._stream(model, number, prompt)
            except BrokenStreamError as error:
                broken = error  # it is kept with what had arrived
                continue
            if self.stopped:
                return
            is_answered = True
        if broken is not None and not is_answered:
            raise broken
        self._progress(len(prompts), len(prompts))

    def _stream(self, model: ChatModel, number: int, one: FilledPrompt) -> None:
        """Ask one, keeping what arrives while it does."""
        arrived = Response("")
        kept_at = 0.0
        try:
            with closing(model.stream(one.text)) as responses:
                for arrived in responses:
                    # What arrives meanwhile is the next step, so none is passed over.
                    time.sleep(max(0.0, kept_at + KEPT_EVERY - time.monotonic()))
                    kept_at = time.monotonic()
                    texts = _clean(whole_texts(arrived.raw, one.kind))
                    texts = texts[: most_proposed(one)]
                    with exclusive(self._connection):
                        if not self._keep_arriving(number, one, arrived.raw, texts):
                            self.stopped = True  # or another was told to ask it
                            return
        except BaseException as error:
            # Whatever ends it, somebody's Ctrl-C too: what had arrived is kept.
            if arrived.raw:
                expected = isinstance(error, GradingError)
                why = str(error) if expected else "The asking was ended."
                self._keep(number, one, arrived, error=why)
                if expected:
                    became = arrived_words(self.proposed)
                    raise type(error)(f"{error}; {became}") from None
            raise
        self._keep(number, one, arrived)

    def _keep_arriving(
        self, number: int, one: FilledPrompt, raw: str, texts: Sequence[str]
    ) -> bool:
        """Propose the texts that have arrived, each by itself: they may be taken back.

        False, and nothing kept, where this run does not ask it any more.
        """
        connection, holder, found = self._connection, self._holder, len(texts)
        kept = store.keep_arrived(connection, number, raw, holder=holder, found=found)
        for text in _new_texts(connection, one, texts) if kept else ():
            _propose(connection, number, one, [text])
        return kept

    def _keep(
        self,
        number: int,
        one: FilledPrompt,
        response: Response,
        *,
        error: str | None = None,
    ) -> None:
        if response.fault and not response.unfinished:
            error = error or f"{response.fault[:1].upper()}{response.fault[1:]}."
        with exclusive(self._connection):
            kept = keep_response(
                self._connection, number, one, response, self._holder, error=error
            )
        # Another may have been told to ask it while this process slept.
        if kept is None:
            return
        self.found += kept.read
        self.proposed += kept.proposed
        self.cut += kept.cut
        self.left_out += kept.left_out
        unreadable = not kept.read and not nothing_to_add(response.raw)
        if unreadable and response.fault:
            self.faults[response.fault] = None
        self._tally.count(response, unreadable=unreadable)


def arrived_words(proposed: int) -> str:
    """What became of what had arrived before an answer broke off."""
    if not proposed:
        return "nothing new had arrived"
    questions = "question" if proposed == 1 else "questions"
    return f"{proposed:,} {questions} had arrived and can be decided"


def start_generation(
    workspace: OpenWorkspace,
    request: GenerationRequest,
    *,
    settings: Settings | None = None,
    announce: Announce | None = None,
) -> Job:
    """Do the same in a process of its own, which outlives this one.

    The job follows the workspace's endpoint, unless the request names another.
    Raises what ``generate`` raises before it begins, and JobError where this model is
    being asked already.
    """
    settings = settings or _covering(workspace.state(), request)
    saved = saved_endpoint(workspace.connection)
    if request.endpoint == saved:
        request = replace(request, endpoint="")
    resolved = with_endpoint(workspace.state(), request)
    total = planned(workspace.state(), resolved, settings).asked
    if total:
        _opened_model(resolved)  # cheap, and a missing key is better known now
        if announce is not None:
            announce(shown_host(resolved.endpoint))
    return jobs.start(workspace, "generate", request.spec(settings), total=total)


def _covering(state: State, request: GenerationRequest) -> Settings | None:
    """The settings that say which passages are covered, where that matters."""
    return default_settings(state, {}) if request.grounded else None


def with_endpoint(state: State, request: GenerationRequest) -> GenerationRequest:
    """Return the request with the workspace's endpoint where it names none."""
    endpoint = request.endpoint or saved_endpoint(state.connection)
    return replace(request, endpoint=endpoint)


def _opened_model(request: GenerationRequest) -> ChatModel:
    """A line to the request's model. Raises EndpointError, MissingModelError."""
    from grading.graders.chat import open_chat_model

    return open_chat_model(
        request.model,
        request.endpoint,
        temperature=request.temperature,
        max_answer_tokens=LONGEST_ANSWER,
    )


# What a model said, and what is kept of it


@dataclass(frozen=True)
class KeptResponse:
    """Counts of the texts of a response: read, new, and left out as too many."""

    read: int
    proposed: int
    left_out: int
    cut: bool


def most_proposed(prompt: FilledPrompt) -> int:
    """Most texts that are proposed of one answer."""
    count = prompt.parameters.get(COUNT)
    return MAX_LISTED if count is None else MOST_TIMES * int(count)


def keep_response(
    connection: sqlite3.Connection,
    number: int,
    asked: FilledPrompt,
    response: Response,
    holder: str | None = None,
    *,
    error: str | None = None,
) -> KeptResponse | None:
    """Keep a response, propose its new texts, and count them.

    All of it is kept; call within a write transaction. Texts beyond ``most_proposed``
    are not proposed, nor is one that the query has already, in any state, or had. What
    was proposed while it arrived and is not in it after all is taken back, unless
    a judge has decided on it. A list that broke off at the model's limit is kept as a
    whole response with a word about it: asked again it would break off again. None, and
    nothing kept, where it is not the ``holder`` who asks any more.
    """
    listed = listed_texts(response.raw, asked.kind, complete=error is None)
    every = _clean(listed.texts)
    texts = every[: most_proposed(asked)]
    left_out = len(every) - len(texts)
    cut = error is None and (response.unfinished or listed.cut)
    note = CUT if cut else error
    if left_out and note is None:
        note = f"Texts of it that are {LEFT_OUT}: {left_out:,}."
    arrived = {
        _folded(text): event
        for event, text in store.proposed_by(connection, asked.query_id, number)
    }
    new = _new_texts(connection, asked, texts)
    said = {_folded(text) for text in texts}
    proposed = len(new) + len(said & arrived.keys())
    finished = store.finish(
        connection,
        number,
        response,
        holder=holder,
        error=note,
        broken=error is not None,
        found=len(texts),
        proposed=proposed,
    )
    if not finished:
        return None
    for text, event in arrived.items():
        if text not in said:
            with suppress(UndoError):
                store_edits.undo(connection, by=_signed(asked), event=event)
    _propose(connection, number, asked, new)
    return KeptResponse(len(texts), proposed, left_out, cut)


def keep_recorded(
    workspace: OpenWorkspace, request: GenerationRequest, *, when: str, response: str
) -> None:
    """Propose what a model answered to the request's one prompt, without asking it.

    ``when`` it was recorded is kept with the parameters.
    """
    connection = workspace.connection
    (prompt,) = planned(workspace.state(), request, None).texts
    prompt = replace(prompt, parameters={**prompt.parameters, "recorded": when})
    with exclusive(connection):
        (number,) = store.claim(
            connection, [prompt], holder=new_holder(), by=workspace.judge
        )
        keep_response(connection, number, prompt, Response(response))


def stop_asking(workspace: OpenWorkspace, query_id: str) -> None:
    """End what any process asks about a query; the questions that arrived stay.

    The process ends its request when the next part of the answer comes.
    """
    connection = workspace.connection
    error = f"Stopped by {workspace.judge}."
    with exclusive(connection):
        for prompt in store.read_generations(
            connection, query_id=query_id, asking=True
        ):
            number = prompt.generation_id
            if prompt.raw:
                keep_response(
                    connection, number, prompt, Response(prompt.raw), error=error
                )
            else:
                store.delete(connection, number)


def _clean(texts: Sequence[str]) -> list[str]:
    cleaned = []
    for text in texts:
        with suppress(EditError):  # too long, or nothing in it can be seen
            cleaned.append(clean_text(text))
    return cleaned


def _new_texts(
    connection: sqlite3.Connection, asked: FilledPrompt, texts: Sequence[str]
) -> list[str]:
    """Those that the query does not have, and that were not proposed there before."""
    if not texts:
        return []
    bank = store_bank.read_questions(connection, asked.query_id)
    # What was kept in other words is not proposed in its own again.
    known = {_folded(text) for text in proposed_words(connection, asked.query_id)}
    known |= {_folded(question.text or "") for question in bank}
    new: list[str] = []
    for text in texts:
        if _folded(text) not in known:
            known.add(_folded(text))
            new.append(text)
    return new


def _propose(
    connection: sqlite3.Connection,
    number: int,
    asked: FilledPrompt,
    texts: Sequence[str],
) -> None:
    """Propose these, in one batch."""
    provenance: dict[str, object] = {"generation": number}
    if asked.passage_id is not None:
        provenance["passage"] = asked.passage_id
    about = json.dumps(provenance), asked.kind, asked.subtopic_id
    proposals = [Propose(asked.query_id, text, *about) for text in texts]
    if proposals:
        store_edits.apply(connection, proposals, by=_signed(asked))


def _signed(asked: FilledPrompt) -> str:
    return f"chat:{asked.model}"


def _folded(text: str) -> str:
    """The text as it is compared: without case and spare white space."""
    return _BEFORE_MARK.sub("", comparable(text)).casefold()


def recover(workspace: OpenWorkspace) -> bool:
    """Keep what had arrived for processes that have died; whether there was any."""
    connection = workspace.connection
    if not store.abandoned(connection):
        return False
    with exclusive(connection):
        # Looked for again: somebody else may have kept them meanwhile.
        for one in store.abandoned(connection):
            if one.raw:
                keep_response(
                    connection,
                    one.generation_id,
                    one,
                    Response(one.raw),
                    error="The process that asked has ended.",
                )
            else:
                store.delete(connection, one.generation_id)
    return True


# What was asked, as a page shows it


def generations(
    state: State,
    *,
    query_id: str | None = None,
    asking: bool = False,
    unread: bool = False,
) -> Rows[Generation]:
    """What models were asked to propose and what they said, the latest first.

    ``asking``: only what is being asked now. ``unread``: of what was asked about a
    query, a subtopic or a passage the latest, where that brought nothing and did not
    say either that there is nothing to add, or where it brought more than was proposed.
    What a judge is not to see yet is left out.
    """
    found = store.read_generations(
        state.connection, query_id=query_id, asking=asking, unread=unread
    )
    # Nobody asks any more for a process that has died.
    dead = store.abandoned(state.connection) if asking and found else ()
    gone = {one.generation_id for one in dead}
    return Rows(
        one
        for one in found
        if one.query_id not in state.viewer.closed
        and one.generation_id not in gone
        and (not unread or _is_unread(one))
    )


def _is_unread(generation: Generation) -> bool:
    """Return True where a response holds something that was not read or proposed."""
    if generation.found:
        return LEFT_OUT in (generation.error or "")
    return bool(generation.error) or not nothing_to_add(generation.raw)


def abandoned(state: State) -> bool:
    """Whether anything had been asked by a process that has died since."""
    return bool(store.abandoned(state.connection))


def gate(state: State, query_id: str) -> Gate:
    """How many questions I have to write here before I am shown proposals."""
    found = state.viewer.gates
    if not state.viewer.is_judge:
        found = gates(state.connection, state.collection, state.viewer.judge)
    return found.get(query_id, Gate(0, 0))


def default_request(state: State) -> GenerationRequest:
    """How models are asked unless somebody says otherwise; no model, by default."""
    return setup(state.connection).generation or GenerationRequest(model="")
