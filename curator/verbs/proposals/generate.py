"""``generate``: ask an LLM for questions, as proposals for people to decide on.

Prompts are rendered first. Each is then claimed by a database row and sent; the raw
response and every new text in it, as a proposal, are saved. Prompts with a complete
response are not sent again; an interrupted response is saved as far as it arrived.
"""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from curator.bank.edits import Propose
from curator.bank.wording import clean_text, comparable
from curator.errors import EditError, UndoError
from curator.evaluation.settings import Settings
from curator.formats.text.notices import counted
from curator.generation.responses import (
    MAX_LISTED,
    is_empty_answer,
    listed_texts,
    settled_texts,
)
from curator.results import Rows
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.settings import default_settings
from curator.snapshot.snapshot import Snapshot
from curator.snapshot.viewer import Gate, gates
from curator.store import bank as store_bank
from curator.store import edits as store_edits
from curator.store import generations as store
from curator.store.connection import write_transaction
from curator.store.generations import FilledPrompt, Generation
from curator.store.jobs import new_holder
from curator.store.question_history import proposed_texts
from curator.verbs.grading import jobs
from curator.verbs.grading.jobs import Job
from curator.verbs.grading.summary import Announce, Progress, RunCounts
from curator.verbs.proposals.plan import plan_prompts
from curator.verbs.proposals.request import (
    COUNT,
    MAX_ANSWER_TOKENS,
    MAX_MULTIPLE,
    GenerateSummary,
    GenerationRequest,
)
from curator.verbs.setup import saved_endpoint, setup
from grading.costs import Prices, estimate
from grading.errors import BrokenStreamError, GradingError
from grading.models.endpoint import shown_host
from grading.models.protocol import PromptParts, Response

if TYPE_CHECKING:
    from grading.models.chat import ChatModel

MAX_STREAMED = 10  # up to this number, prompts are streamed one after another
ANSWER_TOKENS = 300  # tokens of about ten questions, for estimates
CLAIMED_WINDOWS = 2  # windows of concurrent requests that are claimed together
SAVE_INTERVAL = 0.25  # seconds between two saves of a streamed response
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
    tally: RunCounts | None = None,
    progress: Progress | None = None,
    announce: Announce | None = None,
) -> GenerateSummary:
    """Ask an LLM for questions; its proposals count only once a person keeps them.

    Prompts that have an answer are not sent again. The endpoint is that of the request,
    else of the workspace's settings, else of the environment; ``announce`` gets its
    host before anything is sent. ``settings``, by default those of the first grader,
    determine the uncovered passages of a ``grounded`` request. Up to MAX_STREAMED
    prompts are sent one after another and streamed, so that people can decide while
    questions arrive; more are sent concurrently. An exception from ``progress`` or the
    model ends the run; what had arrived is saved. Raises PromptError for an invalid
    request, EndpointError if the model cannot be reached.
    """
    snapshot = workspace.current_snapshot()
    settings = settings or _cover_settings(snapshot, request)
    request = with_endpoint(snapshot, request)
    if not dry_run:
        recover(workspace)
    summary = plan_prompts(workspace.current_snapshot(), request, settings)
    if summary.texts:
        summary = replace(summary, host=shown_host(request.endpoint))
        if announce is not None and summary.host and not dry_run:
            announce(summary.host)
    if dry_run:
        texts = (prompt.text for prompt in summary.texts)
        expected = estimate(texts, answer_tokens=ANSWER_TOKENS, prices=prices)
        costs = ("tokens_in", "tokens_out", "dollars")
        return replace(summary, **{name: getattr(expected, name) for name in costs})
    tally = RunCounts() if tally is None else tally
    before, report = replace(tally), progress or (lambda done, total: None)
    run = _ProposalRun(workspace, request, tally, report)
    if summary.texts:
        run.ask(summary.texts)
    sent = tally.since(before)
    counts: dict[str, Any] = dict(run.counts)
    counts["elsewhere"] = summary.elsewhere + run.counts["elsewhere"]
    return replace(
        summary,
        dry_run=False,
        texts=(),
        asked=sent.prompts,
        **counts,
        stopped=run.stopped,
        unreadable=sent.unreadable,
        faults=tuple(run.faults),
        tokens_in=sent.reported["tokens_in"],
        tokens_out=sent.reported["tokens_out"],
        dollars=sent.cost(prices),
    )


class _ProposalRun:
    """Sends prompts to a model in windows, saves responses, and counts them."""

    def __init__(
        self,
        workspace: OpenWorkspace,
        request: GenerationRequest,
        tally: RunCounts,
        progress: Progress,
    ) -> None:
        self.counts = Counter[str]()
        self.stopped = False
        self.faults: dict[str, None] = {}  # of answers without a list, in order
        self._connection = workspace.connection
        self._by = workspace.judge
        self._request, self._tally, self._progress = request, tally, progress
        self._holder = new_holder()

    def ask(self, prompts: Sequence[FilledPrompt]) -> None:
        """Send all prompts that no other process is sending."""
        model = _open_model(self._request)
        self._progress(0, len(prompts))
        try:
            if len(prompts) <= MAX_STREAMED:
                self._stream_all(model, prompts)
                return
            done = 0
            size = CLAIMED_WINDOWS * model.concurrency
            for start in range(0, len(prompts), size):
                window = prompts[start : start + size]
                claimed = self._claim(window)
                done += len(window) - len(claimed)
                questions = [PromptParts(prompt.text, "", "") for _, prompt in claimed]
                with closing(model.ask(questions)) as batches:
                    for index, response in chain.from_iterable(batches):
                        self._save(*claimed[index], response)
                        done += 1
                        self._progress(done, len(prompts))
        finally:
            with write_transaction(self._connection):
                store.delete_unanswered(self._connection, self._holder)

    def _claim(self, window: Sequence[FilledPrompt]) -> list[tuple[int, FilledPrompt]]:
        with write_transaction(self._connection):
            claimed = store.claim(
                self._connection,
                window,
                holder=self._holder,
                by=self._by,
                again=self._request.again,
                since=self._request.since,
            )
        self.counts["elsewhere"] += len(window) - len(claimed)
        return list(claimed.items())

    def _stream_all(self, model: ChatModel, prompts: Sequence[FilledPrompt]) -> None:
        """Stream the prompts one by one. Raises BrokenStreamError if all broke off."""
        claimed, is_answered = self._claim(prompts), False
        broken: BrokenStreamError | None = None
        for done, (number, prompt) in enumerate(claimed, len(prompts) - len(claimed)):
            if done:
                self._progress(done, len(prompts))
            try:
                self._stream(model, number, prompt)
            except BrokenStreamError as error:
                broken = error  # what had arrived is saved
                continue
            if self.stopped:
                return
            is_answered = True
        if broken is not None and not is_answered:
            raise broken
        self._progress(len(prompts), len(prompts))

    def _stream(self, model: ChatModel, number: int, prompt: FilledPrompt) -> None:
        latest = Response("")
        saved_at = 0.0
        try:
            with closing(model.stream(prompt.text)) as responses:
                for latest in responses:
                    # Parts that arrive during the pause come with the next response.
                    time.sleep(max(0.0, saved_at + SAVE_INTERVAL - time.monotonic()))
                    saved_at = time.monotonic()
                    with write_transaction(self._connection):
                        if not self._save_arrived(number, prompt, latest.raw):
                            self.stopped = True  # or another process took it over
                            return
        except BaseException as error:
            # Save what had arrived after any exception, including Ctrl-C.
            if latest.raw:
                expected = isinstance(error, GradingError)
                why = str(error) if expected else "The request was interrupted."
                self._save(number, prompt, latest, error=why)
                if expected:
                    arrived = counted(self.counts["proposed"], "question")
                    raise type(error)(f"{error}; {arrived} had arrived") from None
            raise
        self._save(number, prompt, latest)

    def _save_arrived(self, number: int, prompt: FilledPrompt, raw: str) -> bool:
        """Propose the texts that have arrived, each in its own batch for undo.

        Returns False, and saves nothing, if this run no longer holds the claim.
        """
        connection = self._connection
        texts = _clean(settled_texts(raw, prompt.kind))[: max_proposed(prompt)]
        kept = store.store_partial_response(
            connection, number, raw, holder=self._holder, texts_read=len(texts)
        )
        for text in _new_texts(connection, prompt, texts) if kept else ():
            _propose(connection, number, prompt, [text])
        return kept

    def _save(
        self,
        number: int,
        prompt: FilledPrompt,
        response: Response,
        *,
        error: str | None = None,
    ) -> None:
        if response.fault and not response.unfinished:
            error = error or f"{response.fault[:1].upper()}{response.fault[1:]}."
        with write_transaction(self._connection):
            kept = save_response(
                self._connection, number, prompt, response, self._holder, error=error
            )
        # Another process may have taken over the claim while this one slept.
        if kept is None:
            return
        self.counts.update(kept)
        unreadable = not (kept["proposed"] or kept["repeated"])
        unreadable = unreadable and not is_empty_answer(response.raw)
        if unreadable and response.fault:
            self.faults[response.fault] = None
        self._tally.count(response, unreadable=unreadable)


def start_generation(
    workspace: OpenWorkspace,
    request: GenerationRequest,
    *,
    settings: Settings | None = None,
    announce: Announce | None = None,
) -> Job:
    """Start ``generate`` in a background process that outlives this one.

    The job uses the workspace's endpoint, unless the request names another. Raises the
    errors of ``generate`` before it begins, and JobError if this model is being asked
    already.
    """
    settings = settings or _cover_settings(workspace.current_snapshot(), request)
    saved = saved_endpoint(workspace.connection)
    if request.endpoint == saved:
        request = replace(request, endpoint="")
    resolved = with_endpoint(workspace.current_snapshot(), request)
    total = plan_prompts(workspace.current_snapshot(), resolved, settings).asked
    if total:
        _open_model(resolved)  # reports a missing key before the job starts
        if announce is not None:
            announce(shown_host(resolved.endpoint))
    return jobs.start(workspace, "generate", request.spec(settings), total=total)


def _cover_settings(snapshot: Snapshot, request: GenerationRequest) -> Settings | None:
    return default_settings(snapshot, {}) if request.grounded else None


def with_endpoint(snapshot: Snapshot, request: GenerationRequest) -> GenerationRequest:
    """Return the request with the workspace's endpoint if it names none."""
    endpoint = request.endpoint or saved_endpoint(snapshot.connection)
    return replace(request, endpoint=endpoint)


def _open_model(request: GenerationRequest) -> ChatModel:
    from grading.graders.chat import open_chat_model

    return open_chat_model(
        request.model,
        request.endpoint,
        temperature=request.temperature,
        max_answer_tokens=MAX_ANSWER_TOKENS,
    )


def max_proposed(prompt: FilledPrompt) -> int:
    """Return the maximum number of texts proposed from one answer."""
    count = prompt.parameters.get(COUNT)
    return MAX_LISTED if count is None else MAX_MULTIPLE * int(count)


def save_response(
    connection: sqlite3.Connection,
    number: int,
    prompt: FilledPrompt,
    response: Response,
    holder: str | None = None,
    *,
    error: str | None = None,
) -> dict[str, int] | None:
    """Save a response, propose its new texts, and count them.

    Must run within a write transaction. Texts beyond ``max_proposed`` are not
    proposed, nor is one that the query has or had in any state. Proposals made during
    streaming that the final response lacks are undone, unless a judge has decided on
    them. A list cut off at the model's limit is saved as complete with a note: it would
    be cut off again. Returns None, and saves nothing, if ``holder`` no longer holds the
    claim.
    """
    listed = listed_texts(response.raw, prompt.kind, complete=error is None)
    all_texts, most = _clean(listed.texts), max_proposed(prompt)
    texts, left_out = all_texts[:most], len(all_texts[most:])
    cut = error is None and (response.unfinished or listed.cut)
    note = CUT if cut else error
    if left_out and note is None:
        note = f"{counted(left_out, 'text')} {LEFT_OUT}."
    arrived = {
        _folded(text): event
        for event, text in store.proposals_of(connection, prompt.query_id, number)
    }
    new = _new_texts(connection, prompt, texts)
    folded_texts = {_folded(text) for text in texts}
    proposed = len(new) + len(folded_texts & arrived.keys())
    if not store.finish(
        connection,
        number,
        response,
        holder=holder,
        error=note,
        broken=error is not None,
        texts_read=len(texts),
        proposed=proposed,
    ):
        return None
    for text, event in arrived.items():
        if text not in folded_texts:
            with suppress(UndoError):
                store_edits.undo(connection, by=_author(prompt), event=event)
    _propose(connection, number, prompt, new)
    return {
        "proposed": proposed,
        "repeated": len(texts) - proposed,
        "left_out": left_out,
        "cut": cut,
    }


def save_recorded(
    workspace: OpenWorkspace, request: GenerationRequest, *, when: str, response: str
) -> None:
    """Propose the recorded answer to the request's single prompt, without a model.

    ``when`` it was recorded is saved with the parameters.
    """
    connection, by = workspace.connection, workspace.judge
    (prompt,) = plan_prompts(workspace.current_snapshot(), request, None).texts
    prompt = replace(prompt, parameters={**prompt.parameters, "recorded": when})
    with write_transaction(connection):
        (number,) = store.claim(connection, [prompt], holder=new_holder(), by=by)
        save_response(connection, number, prompt, Response(response))


def stop_asking(workspace: OpenWorkspace, query_id: str) -> None:
    """Stop all processes that ask about a query; questions that arrived stay.

    The process ends its request when the next part of the answer arrives.
    """
    connection = workspace.connection
    with write_transaction(connection):
        asking = store.read_generations(connection, query_id=query_id, asking=True)
        _end(connection, asking, f"Stopped by {workspace.judge}.")


def _end(
    connection: sqlite3.Connection, asking: Iterable[Generation], error: str
) -> None:
    """Save what has arrived of unfinished responses."""
    for prompt in asking:
        number = prompt.generation_id
        if prompt.raw:
            response = Response(prompt.raw)
            save_response(connection, number, prompt, response, error=error)
        else:
            store.delete(connection, number)


def _clean(texts: Sequence[str]) -> list[str]:
    cleaned = []
    for text in texts:
        with suppress(EditError):  # too long, or only invisible characters
            cleaned.append(clean_text(text))
    return cleaned


def _new_texts(
    connection: sqlite3.Connection, prompt: FilledPrompt, texts: Sequence[str]
) -> list[str]:
    if not texts:
        return []
    bank = store_bank.read_questions(connection, prompt.query_id)
    # A proposal that was kept after rewording is not proposed again.
    known_texts = {*map(_folded, proposed_texts(connection, prompt.query_id))}
    known_texts |= {_folded(question.text or "") for question in bank}
    new: list[str] = []
    for text in texts:
        if _folded(text) not in known_texts:
            known_texts.add(_folded(text))
            new.append(text)
    return new


def _propose(
    connection: sqlite3.Connection,
    number: int,
    prompt: FilledPrompt,
    texts: Sequence[str],
) -> None:
    provenance: dict[str, object] = {"generation": number}
    if prompt.passage_id is not None:
        provenance["passage"] = prompt.passage_id
    fields = json.dumps(provenance), prompt.kind, prompt.subtopic_id
    proposals = [Propose(prompt.query_id, text, *fields) for text in texts]
    if proposals:
        store_edits.apply(connection, proposals, by=_author(prompt))


def _author(prompt: FilledPrompt) -> str:
    return f"chat:{prompt.model}"


def _folded(text: str) -> str:
    return _BEFORE_MARK.sub("", comparable(text)).casefold()


def recover(workspace: OpenWorkspace) -> bool:
    """Save responses of processes that have died; return True if there were any."""
    connection = workspace.connection
    if not store.read_abandoned(connection):
        return False
    with write_transaction(connection):
        # Read again under the lock: another process may have saved them.
        dead = store.read_abandoned(connection)
        _end(connection, dead, "The process that sent the request has ended.")
    return True


# Prompts and responses for pages


def generations(
    snapshot: Snapshot,
    *,
    query_id: str | None = None,
    asking: bool = False,
    unread: bool = False,
) -> Rows[Generation]:
    """Return prompts and responses of models, the latest first.

    ``asking`` returns only those in progress. ``unread`` returns, for each query,
    subtopic or passage, the latest if it brought nothing and did not say that there is
    nothing to add, or if it brought more than was proposed. Leaves out what a judge may
    not see yet.
    """
    rows = store.read_generations(
        snapshot.connection, query_id=query_id, asking=asking, unread=unread
    )
    # Prompts of a process that has died are no longer in progress.
    dead = store.read_abandoned(snapshot.connection) if asking and rows else ()
    dead_ids = {row.generation_id for row in dead}
    return Rows(
        row
        for row in rows
        if row.query_id not in snapshot.viewer.closed
        and row.generation_id not in dead_ids
        and (not unread or _is_unread(row))
    )


def _is_unread(generation: Generation) -> bool:
    """Return True if a response holds text that was not read or proposed."""
    if generation.texts_read:
        return LEFT_OUT in (generation.error or "")
    return bool(generation.error) or not is_empty_answer(generation.raw)


def abandoned(snapshot: Snapshot) -> bool:
    return bool(store.read_abandoned(snapshot.connection))


def gate(snapshot: Snapshot, query_id: str) -> Gate:
    """Return the query's gate: questions I must write before I see proposals."""
    viewer = snapshot.viewer
    gates_by_query = viewer.gates
    if not viewer.is_judge:
        gates_by_query = gates(snapshot.connection, snapshot.collection, viewer.judge)
    return gates_by_query.get(query_id, Gate(0, 0))


def default_request(snapshot: Snapshot) -> GenerationRequest:
    return setup(snapshot.connection).generation or GenerationRequest(model="")
