"""What the history tells of questions: who proposed, wrote, decided and retired them.

A reason may be given after the fact. It belongs to the event that retired or reworded
the question and changes nothing that anyone edits: no revision, no version, no event.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from sqlite3 import Connection

from curator.bank.edits.kinds import question_from_json
from curator.bank.questions import Question
from curator.bank.wording import clean_reason, shortened
from curator.errors import EditError, TakenBackError, UnknownNameError
from curator.store import bank as store_bank
from curator.store.connection import column
from curator.store.digests import changing


@dataclass(frozen=True, slots=True)
class Decision:
    """A proposal and what stands decided of it.

    ``proposed`` are the words it came in, ``text`` those it has now. ``by`` is None
    while nobody has decided; ``kind`` and ``at`` are then "". ``seconds`` is the
    judge's time for this decision, an equal share of that for the ``together`` decided
    at once; None where nobody measured. What is redone keeps its time.
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


def read_decisions(connection: Connection) -> tuple[Decision, ...]:
    """Every question that was ever proposed and has not been taken out again.

    A decision that was undone does not stand; the latest one counts. Whoever restores
    what was dropped has kept it, whoever writes it anew has written it; what becomes of
    a kept one is no decision any more.
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
    found: dict[str, Decision] = {}
    dropped: dict[str, Decision] = {}  # what somebody restored, as it was before
    timed: dict[tuple[str, str], tuple[float | None, int]] = {}  # for what is redone
    for question_id, query_id, kind, by, at, seconds, *sides, together in rows:
        was, state, old, new = sides
        before = found.get(question_id)
        # The first words stand, through whatever was decided and undone.
        words = before.proposed if before else old or new or ""
        if state == "proposed":
            found[question_id] = Decision(question_id, query_id, words, new or "")
        elif state is None:
            found.pop(question_id, None)
        elif was == "proposed":
            if kind.startswith("redo "):
                share, together = timed.get((question_id, kind[5:]), (None, 1))
            else:
                share = None if seconds is None else seconds / together
                timed[question_id, kind] = share, together
            decided = (by, kind, at, state == "retired", share, together)
            found[question_id] = Decision(
                question_id, query_id, words, new or "", *decided
            )
        elif kind.startswith("undo "):
            if question_id in dropped:
                found[question_id] = dropped.pop(question_id)
        elif before and before.dropped:
            dropped[question_id] = before
            found[question_id] = replace(
                before, by=by, kind=kind, at=at, dropped=False, seconds=None
            )
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class Origin:
    """How a question came into the bank, and who kept it.

    ``how`` is "written" by a person, "proposed" by a model or "imported"; ``by`` is the
    person or the model, ``words`` are those it came in. ``kept_by`` is whoever kept a
    proposal, "" for any other question, ``batch`` the import that brought it.
    """

    how: str
    by: str
    words: str
    kept_by: str = ""
    batch: int | None = None


def read_origins(connection: Connection, event: int | None = None) -> dict[str, Origin]:
    """Read how every question that ever was came in, by id, up to this event."""
    found: dict[str, Origin] = {}
    for question_id, kind, batch, batch_id, by, *states, text in connection.execute(
        "SELECT question_id, event.kind, batch.kind, batch_id, by, "
        "json_extract(before, '$.state'), json_extract(after, '$.state'), "
        "json_extract(after, '$.text') FROM event JOIN batch USING (batch_id) "
        "WHERE question_id IS NOT NULL AND event_id <= coalesce(?, event_id) "
        "ORDER BY event_id",
        (event,),
    ):
        was, state = states
        came = found.get(question_id)
        if came is None or kind == "add":  # a proposal's words that somebody typed
            how = "proposed" if kind == "propose" else "written"
            how = "imported" if batch == "import" else how
            found[question_id] = Origin(
                how, by, text or "", batch=batch_id if batch == "import" else None
            )
        elif came.how == "proposed" and state == "kept" and was != "kept":
            found[question_id] = replace(came, kept_by=by)
    return found


def in_order_of_arrival(connection: Connection, query_id: str) -> list[str]:
    """The ids of every question that the query ever had, in the order they came."""
    return column(
        connection,
        # The first event of a question is one that found none.
        "SELECT question_id FROM event WHERE query_id = ? AND question_id IS NOT NULL "
        "AND before IS NULL GROUP BY question_id ORDER BY min(event_id)",
        query_id,
    )


def proposed_words(connection: Connection, query_id: str) -> list[str]:
    """The words in which every question of the query was proposed that ever was.

    Not those that their model has taken back.
    """
    return column(
        connection,
        "SELECT json_extract(after, '$.text') FROM event JOIN batch USING (batch_id) "
        "WHERE query_id = ? AND event.kind = 'propose' AND NOT EXISTS (SELECT 1 "
        "FROM batch AS later WHERE later.inverse_of = batch.batch_id "
        "AND later.by = batch.by)",
        query_id,
    )


def words_by(
    connection: Connection, question_ids: Iterable[str]
) -> dict[tuple[str, str], str]:
    """The words that each judge last left a question in, by question id and judge."""
    wanted = set(question_ids)
    return {
        (question_id, by): text
        for question_id, by, text in connection.execute(
            "SELECT question_id, by, json_extract(after, '$.text') FROM event "
            "JOIN batch USING (batch_id) WHERE after IS NOT NULL "
            "AND batch.kind <> 'import' ORDER BY event_id"
        )
        if question_id in wanted and text is not None
    }


def written_by(connection: Connection) -> dict[str, tuple[str, str]]:
    """(judge, query id) by question id: who wrote what people added.

    Only what stands still, and not what was imported or proposed. A proposal that
    somebody typed without having seen it is theirs.
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


def forms(connection: Connection, question_id: str) -> Iterator[tuple[Question, str]]:
    """(the question, by whom) in every form that the history had it, the first first.

    Before and after each of its events, those of undos too.
    """
    for *sides, by in connection.execute(
        "SELECT before, after, by FROM event JOIN batch USING (batch_id) "
        "WHERE question_id = ? ORDER BY event_id",
        (question_id,),
    ):
        for question in map(question_from_json, sides):
            if question is not None:
                yield question, by


def taken_back(
    connection: Connection, question_id: str | None
) -> TakenBackError | None:
    """Who took out the question that somebody still saw; None where nobody did."""
    row = connection.execute(
        "SELECT json_extract(before, '$.text'), by, at, after FROM event "
        "JOIN batch USING (batch_id) WHERE question_id = ? ORDER BY event_id DESC",
        (question_id,),
    ).fetchone()
    if row is None or row[-1] is not None:
        return None
    text, by, at, _ = row
    return TakenBackError(
        f"'{shortened(text or str(question_id))}' is gone: {by} took it back "
        f"({at[:16].replace('T', ' ')} UTC). Nothing was saved; what is still wanted "
        "of it can be added as a new question."
    )


def read_authors(connection: Connection) -> dict[str, tuple[str, str]]:
    """(judge, when) by question id, for words that a person wrote here.

    Whoever first wrote the words a question has now, however often they came and went
    since. Words that came with a file or that a model proposed have no author here,
    unless somebody typed a proposal's words.
    """
    first: dict[str, tuple[str, str] | None] = {}
    for question_id, by, at, foreign in connection.execute(
        "SELECT question_id, by, at, batch.kind = 'import' OR event.kind = 'propose' "
        "FROM question JOIN text USING (text_id) JOIN event USING (question_id) "
        "JOIN batch USING (batch_id) WHERE json_extract(after, '$.text') = body "
        # What was typed anew counts from then on.
        "ORDER BY event.kind = 'add' DESC, "
        "iif(event.kind = 'add', -event_id, event_id)"
    ):
        first.setdefault(question_id, None if foreign else (by, at))
    return {question_id: author for question_id, author in first.items() if author}


RETIRES = (
    "json_extract(after, '$.state') = 'retired' "
    "AND coalesce(json_extract(before, '$.state'), '') <> 'retired'"
)
"""Whether an event retired its question, be it by undoing or redoing another."""

REWORDS = ("reword", "redo reword")
"""The kinds of events that gave a question other words which stand."""


@dataclass(frozen=True, slots=True)
class Retirement:
    """What retired a question that is retired now."""

    by: str
    at: str  # ISO 8601, UTC
    reason: str | None


def read_retirements(connection: Connection, query_id: str) -> dict[str, Retirement]:
    """Retirement by question id, for the query's questions that are retired now."""
    rows = connection.execute(
        "SELECT question.question_id, by, at, reason FROM question "
        "JOIN event ON event_id = (SELECT event_id FROM event "
        f"WHERE event.question_id = question.question_id AND {RETIRES} "
        "ORDER BY event_id DESC LIMIT 1) "
        "JOIN batch USING (batch_id) WHERE question.query_id = ? "
        "AND state = 'retired' ORDER BY question.number",
        (query_id,),
    )
    return {question_id: Retirement(*row) for question_id, *row in rows}


@dataclass(frozen=True, slots=True)
class Rewording:
    """What gave a question the words it has, where nothing happened to it since."""

    by: str
    at: str  # ISO 8601, UTC
    reason: str | None


def read_rewordings(connection: Connection, query_id: str) -> dict[str, Rewording]:
    """By question id, for the query's questions that were reworded last of all."""
    rows = connection.execute(
        "SELECT question.question_id, by, at, reason, event.kind FROM question "
        "JOIN event ON event_id = (SELECT max(event_id) FROM event "
        "WHERE event.question_id = question.question_id) "
        "JOIN batch USING (batch_id) WHERE question.query_id = ?",
        (query_id,),
    )
    return {
        question_id: Rewording(by, at, reason)
        for question_id, by, at, reason, kind in rows
        if kind in REWORDS
    }


def last_reason(connection: Connection, question_id: str) -> str | None:
    """The reason of the question's latest retirement, whether or not it still stands.

    What retires the question again without a judge's words, a redo or the undo of a
    restoration, retires it for that reason.
    """
    select = (
        f"SELECT reason FROM event WHERE question_id = ? AND {RETIRES} "
        "ORDER BY event_id DESC LIMIT 1"
    )
    return next(iter(column(connection, select, question_id)), None)


def explain(connection: Connection, question_id: str, reason: str, *, by: str) -> None:
    """Set the reason on my retirement or rewording; an empty one clears it.

    Call within a write transaction. Raises EditError where the latest that happened
    to the question is neither, or was not done by me.
    """
    question = store_bank.read_question(connection, question_id)
    if question is None:
        unknown = UnknownNameError(f"No question '{question_id}' in this workspace.")
        raise taken_back(connection, question_id) or unknown
    event_id, who, kind, retires = connection.execute(
        f"SELECT event_id, by, event.kind, {RETIRES} FROM event "
        "JOIN batch USING (batch_id) WHERE question_id = ? "
        "ORDER BY event_id DESC LIMIT 1",
        (question_id,),
    ).fetchone()
    if question.state != "retired" and kind not in REWORDS:
        raise EditError(
            f"'{question.title}' is not retired, nor was it reworded last, so there is "
            "nothing to explain."
        )
    if not retires and kind not in REWORDS:
        raise EditError(
            f"'{question.title}' was changed after it was retired; a reason belongs to "
            "a retirement that still stands as it was."
        )
    if who != by:
        raise EditError(
            f"'{question.title}' was {'retired' if retires else 'reworded'} by {who}; "
            "only they can say why."
        )
    with changing(connection, "event", "event_id = ?", event_id):
        connection.execute(
            "UPDATE event SET reason = ? WHERE event_id = ?",
            (clean_reason(reason), event_id),
        )
