"""History of questions: authors, proposals, decisions and retirements.

A reason may be added later. It belongs to the event that retired or reworded the
question and creates no revision, version or event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from sqlite3 import Connection

from curator.bank.edits.kinds import question_from_json
from curator.bank.questions import Question
from curator.bank.wording import clean_reason, shortened
from curator.edit_words import RETIRE, REWORD
from curator.errors import EditError, RemovedQuestionError, UnknownNameError
from curator.store import bank as store_bank
from curator.store.connection import column


@dataclass(frozen=True, slots=True)
class ProposalDecision:
    """A proposal and the decision on it.

    ``proposed`` is its original text, ``text`` the current one. ``by`` is None while it
    is undecided; ``kind`` and ``at`` are then "". ``seconds`` is the judge's time for
    this decision, an equal share if ``together`` were decided at once; None if it was
    not measured. A redone decision keeps its time.
    """

    question_id: str
    query_id: str
    proposed: str
    text: str
    by: str | None = None
    kind: str = ""
    at: str = ""
    dropped: bool = False
    seconds: float | None = None
    together: int = 1


def read_decisions(connection: Connection) -> tuple[ProposalDecision, ...]:
    """Return every question that was proposed and not removed, with its decision.

    An undone decision does not count; the latest one does. A judge who restores a
    dropped proposal has kept it, one who adds it again has written it; later changes of
    a kept one are no decisions.
    """
    rows = connection.execute(
        "SELECT question_id, event.query_id, event.kind, by, at, seconds, "
        "json_extract(before, '$.state') AS was, json_extract(after, '$.state'), "
        "json_extract(before, '$.text'), json_extract(after, '$.text'), "
        "count(*) FILTER (WHERE json_extract(before, '$.state') = 'proposed') "
        "OVER (PARTITION BY batch_id) FROM event JOIN batch USING (batch_id) "
        "WHERE question_id IS NOT NULL AND ('proposed' IN "
        "(was, json_extract(after, '$.state')) OR event.kind IN "
        "('restore', 'undo restore', 'redo restore', 'add', 'undo add', 'redo add')) "
        "ORDER BY event_id"
    )
    decisions: dict[str, ProposalDecision] = {}
    dropped: dict[str, ProposalDecision] = {}  # restored questions, as they were before
    timed: dict[tuple[str, str], tuple[float | None, int]] = {}  # for redone decisions
    for question_id, query_id, kind, by, at, seconds, *sides, together in rows:
        was, state, old, new = sides
        before = decisions.get(question_id)
        # The first text stays, whatever was decided and undone.
        proposed_text = before.proposed if before else old or new or ""
        if state == "proposed":
            decisions[question_id] = ProposalDecision(
                question_id, query_id, proposed_text, new or ""
            )
        elif state is None:
            decisions.pop(question_id, None)
        elif was == "proposed":
            if kind.startswith("redo "):
                share, together = timed.get((question_id, kind[5:]), (None, 1))
            else:
                share = None if seconds is None else seconds / together
                timed[question_id, kind] = share, together
            outcome = (by, kind, at, state == "retired", share, together)
            decisions[question_id] = ProposalDecision(
                question_id, query_id, proposed_text, new or "", *outcome
            )
        elif kind.startswith("undo "):
            if question_id in dropped:
                decisions[question_id] = dropped.pop(question_id)
        elif before and before.dropped:
            dropped[question_id] = before
            decisions[question_id] = replace(
                before, by=by, kind=kind, at=at, dropped=False, seconds=None
            )
    return tuple(decisions.values())


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a question, and the judge who kept it.

    ``how`` is "written" by a person, "proposed" by a model or "imported"; ``by`` is the
    person or the model, ``words`` its original text. ``kept_by`` is the judge who kept
    a proposal, "" for any other question, ``batch`` the import it came with.
    """

    how: str
    by: str
    words: str
    kept_by: str = ""
    batch: int | None = None


def read_origins(connection: Connection, event: int | None = None) -> dict[str, Origin]:
    """Return the origin of every question up to this event, by id."""
    origins: dict[str, Origin] = {}
    for question_id, kind, batch, batch_id, by, *states, text in connection.execute(
        "SELECT question_id, event.kind, batch.kind, batch_id, by, "
        "json_extract(before, '$.state'), json_extract(after, '$.state'), "
        "json_extract(after, '$.text') FROM event JOIN batch USING (batch_id) "
        "WHERE question_id IS NOT NULL AND event_id <= coalesce(?, event_id) "
        "ORDER BY event_id",
        (event,),
    ):
        was, state = states
        origin = origins.get(question_id)
        if origin is None or kind == "add":  # a proposal's text that a judge typed
            how = "proposed" if kind == "propose" else "written"
            how = "imported" if batch == "import" else how
            origins[question_id] = Origin(
                how, by, text or "", batch=batch_id if batch == "import" else None
            )
        elif origin.how == "proposed" and state == "kept" and was != "kept":
            origins[question_id] = replace(origin, kept_by=by)
    return origins


def all_question_ids(connection: Connection, query_id: str) -> list[str]:
    """Return the ids of all questions the query ever had, in order of arrival."""
    return column(
        connection,
        # The first event of a question has nothing before it.
        "SELECT question_id FROM event WHERE query_id = ? AND question_id IS NOT NULL "
        "AND before IS NULL GROUP BY question_id ORDER BY min(event_id)",
        query_id,
    )


def proposed_texts(connection: Connection, query_id: str) -> list[str]:
    """Return the original texts of all proposals the query ever had.

    Except those that their model has withdrawn.
    """
    return column(
        connection,
        "SELECT json_extract(after, '$.text') FROM event JOIN batch USING (batch_id) "
        "WHERE query_id = ? AND event.kind = 'propose' AND NOT EXISTS (SELECT 1 "
        "FROM batch AS later WHERE later.inverse_of = batch.batch_id "
        "AND later.by = batch.by)",
        query_id,
    )


def last_texts_by_judge(
    connection: Connection, question_ids: Iterable[str]
) -> dict[tuple[str, str], str]:
    """Return each judge's last text of a question, by question id and judge."""
    selected = set(question_ids)
    return {
        (question_id, by): text
        for question_id, by, text in connection.execute(
            "SELECT question_id, by, json_extract(after, '$.text') FROM event "
            "JOIN batch USING (batch_id) WHERE after IS NOT NULL "
            "AND batch.kind <> 'import' ORDER BY event_id"
        )
        if question_id in selected and text is not None
    }


def read_written_questions(connection: Connection) -> dict[str, tuple[str, str]]:
    """Return (judge, query id) by id of the questions that people added.

    Only those not undone, and not imported or proposed ones. A proposal that a judge
    typed without having seen it is the judge's.
    """
    rows = connection.execute(
        "SELECT question_id, by, query_id, max(event_id) FROM event "
        "JOIN batch USING (batch_id) WHERE event.kind = 'add' AND 'undo add' <> "
        "(SELECT last.kind FROM event AS last "
        "WHERE last.question_id = event.question_id "
        "AND last.kind IN ('add', 'undo add', 'redo add') ORDER BY last.event_id DESC) "
        "GROUP BY question_id"
    )
    return {question_id: (by, query_id) for question_id, by, query_id, _ in rows}


def question_states(
    connection: Connection, question_id: str
) -> Iterator[tuple[Question, str]]:
    """Yield (question, author) for every state in the history, oldest first.

    Before and after each event, those of undos too.
    """
    for *sides, by in connection.execute(
        "SELECT before, after, by FROM event JOIN batch USING (batch_id) "
        "WHERE question_id = ? ORDER BY event_id",
        (question_id,),
    ):
        for question in map(question_from_json, sides):
            if question is not None:
                yield question, by


def undone_addition_error(
    connection: Connection, question_id: str | None
) -> RemovedQuestionError | None:
    """Return the error for editing a question whose addition was undone, or None."""
    row = connection.execute(
        "SELECT json_extract(before, '$.text'), by, at, after FROM event "
        "JOIN batch USING (batch_id) WHERE question_id = ? ORDER BY event_id DESC",
        (question_id,),
    ).fetchone()
    if row is None or row[-1] is not None:
        return None
    text, by, at, _ = row
    return RemovedQuestionError(
        f"Nothing was saved: {by} undid the addition of "
        f"'{shortened(text or str(question_id))}' ({at[:16].replace('T', ' ')} UTC). "
        "Add it as a new question if it is still needed."
    )


def read_authors(connection: Connection) -> dict[str, tuple[str, str]]:
    """Return (judge, time) by id of the questions whose text a person wrote here.

    The first author of the current text counts, however often it was replaced since.
    Imported and proposed texts have no author, unless a judge typed a proposal's text.
    """
    first_authors: dict[str, tuple[str, str] | None] = {}
    for question_id, by, at, is_foreign in connection.execute(
        "SELECT question_id, by, at, batch.kind = 'import' OR event.kind = 'propose' "
        "FROM question JOIN text USING (text_id) JOIN event USING (question_id) "
        "JOIN batch USING (batch_id) WHERE json_extract(after, '$.text') = body "
        # An added text counts from its latest addition.
        "ORDER BY event.kind = 'add' DESC, "
        "iif(event.kind = 'add', -event_id, event_id)"
    ):
        first_authors.setdefault(question_id, None if is_foreign else (by, at))
    return {
        question_id: author for question_id, author in first_authors.items() if author
    }


RETIRES_SQL = (
    "json_extract(after, '$.state') = 'retired' "
    "AND coalesce(json_extract(before, '$.state'), '') <> 'retired'"
)
"""SQL condition: an event retired its question, also by an undo or redo."""

REWORD_KINDS = ("reword", "redo reword")
"""Kinds of events that reworded a question."""


@dataclass(frozen=True, slots=True)
class LatestChange:
    """The retirement of a retired question, or the latest rewording of another."""

    by: str
    at: str  # ISO 8601, UTC
    reason: str | None


def read_retirements(connection: Connection, query_id: str) -> dict[str, LatestChange]:
    """Return the retirements of the query's retired questions, by question id."""
    rows = connection.execute(
        "SELECT question.question_id, by, at, reason FROM question "
        "JOIN event ON event_id = (SELECT event_id FROM event "
        f"WHERE event.question_id = question.question_id AND {RETIRES_SQL} "
        "ORDER BY event_id DESC LIMIT 1) "
        "JOIN batch USING (batch_id) WHERE question.query_id = ? "
        "AND state = 'retired' ORDER BY question.number",
        (query_id,),
    )
    return {question_id: LatestChange(*row) for question_id, *row in rows}


def read_rewordings(connection: Connection, query_id: str) -> dict[str, LatestChange]:
    """Return the rewordings of questions whose latest event is one, by question id."""
    rows = connection.execute(
        "SELECT question.question_id, by, at, reason, event.kind FROM question "
        "JOIN event ON event_id = (SELECT max(event_id) FROM event "
        "WHERE event.question_id = question.question_id) "
        "JOIN batch USING (batch_id) WHERE question.query_id = ?",
        (query_id,),
    )
    return {
        question_id: LatestChange(by, at, reason)
        for question_id, by, at, reason, kind in rows
        if kind in REWORD_KINDS
    }


def last_reason(connection: Connection, question_id: str) -> str | None:
    """Return the reason of the question's latest retirement, or None.

    A redo, or the undo of a restoration, retires the question again for this reason.
    """
    select = (
        f"SELECT reason FROM event WHERE question_id = ? AND {RETIRES_SQL} "
        "ORDER BY event_id DESC LIMIT 1"
    )
    return next(iter(column(connection, select, question_id)), None)


def write_reason(
    connection: Connection, question_id: str, reason: str, *, by: str
) -> None:
    """Set the reason of the judge's own retirement or rewording; "" clears it.

    Call within a write transaction. Raises EditError if the question's latest event is
    neither, or was another judge's.
    """
    question = store_bank.read_question(connection, question_id)
    if question is None:
        unknown = UnknownNameError(f"No question '{question_id}' in this workspace.")
        raise undone_addition_error(connection, question_id) or unknown
    event_id, author, kind, retires = connection.execute(
        f"SELECT event_id, by, event.kind, {RETIRES_SQL} FROM event "
        "JOIN batch USING (batch_id) WHERE question_id = ? "
        "ORDER BY event_id DESC LIMIT 1",
        (question_id,),
    ).fetchone()
    if not (retires or kind in REWORD_KINDS):
        raise EditError(
            f"'{question.title}' can have no reason: its last change has neither "
            f"{RETIRE.past} nor {REWORD.past} it."
        )
    if author != by:
        raise EditError(
            f"'{question.title}' was {RETIRE.past if retires else REWORD.past} by "
            f"{author}; only they can give the reason."
        )
    connection.execute(
        "UPDATE event SET reason = ? WHERE event_id = ?",
        (clean_reason(reason), event_id),
    )
