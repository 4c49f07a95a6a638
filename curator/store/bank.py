"""The current bank: its questions and the judges' marks on them.

Marks of all kinds are in one table. Past changes are in the history. Also norming
rounds and the pairs that were drawn for a judge to check.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from sqlite3 import Connection
from typing import Any, Literal

from curator.bank.changes import sort_key
from curator.bank.edits import Mark
from curator.bank.edits.kinds import MARKS
from curator.bank.edits.title import Titled
from curator.bank.marks import RoundRules, Votes
from curator.bank.marks.norming import NormingTask, round_choices
from curator.bank.questions import Bank, Question
from curator.errors import EditError
from curator.evaluation.norming import NormingItem, Round, Stamp
from curator.store import versions
from curator.store.connection import column, grouped, insert, to_json
from curator.store.texts import (
    answers_from,
    item_ids,
    item_of,
    key_ids,
    key_of,
    text_ids,
)
from grading.items import AllOf

MIN_HIGHEST_GRADE = 3
"""Lowest maximum of the passage grades, as on TREC's scale 0 to 3."""

_SELECT = (
    "SELECT question_id, query_id, body, item.kind, state, subtopic_id, choices, "
    "answers, provenance, revision FROM question JOIN item USING (item_id) "
    "JOIN answer_key USING (key_id) LEFT JOIN text ON text.text_id = question.text_id"
)


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A pair for a judge to check; without ``question_id`` a passage as a whole.

    ``item`` is the question's text when it was drawn; ``probability`` and ``drawn`` are
    those of :class:`~curator.bank.marks.Check`. ``reason`` says why it was drawn.
    """

    query_id: str
    question_id: str | None
    item: str | None
    passage_id: str
    probability: float | None
    drawn: int
    reason: str


def read_bank(connection: Connection) -> Bank:
    """Return the bank with every question and mark."""
    marks = read_marks(connection)
    votes = {query_id: votes_in(of) for query_id, of in marks.items()}
    by_query: defaultdict[str, list[Question]] = defaultdict(list)
    for row in connection.execute(f"{_SELECT} ORDER BY question.number"):
        question = _question(row, votes.get(row[1], {}))
        by_query[question.query_id].append(question)
    questions_by_query = {
        query_id: tuple(questions) for query_id, questions in by_query.items()
    }
    by_kind = {
        kind: {query_id: of[kind] for query_id, of in marks.items() if kind in of}
        for kind in _KINDS_BY_QUERY
    }
    titles, rounds = read_titles(connection), _round_rules(connection)
    return Bank(questions_by_query, by_kind, titles, rounds)


def reread_queries(
    connection: Connection, bank: Bank, query_ids: Iterable[str]
) -> Bank:
    """Return the bank with these queries read again; the others are shared."""
    by_query, titles = dict(bank.by_query), dict(bank.titles)
    by_kind = {kind: {**bank.marks.get(kind, {})} for kind in _KINDS_BY_QUERY}
    for query_id in query_ids:
        marks = read_marks(connection, query_id)
        by_query[query_id] = read_questions(connection, query_id)
        titles |= read_titles(connection, query_id)
        for kind, marks_by_query in by_kind.items():
            changed = marks.get(query_id, {}).get(kind, ())
            if not changed:
                marks_by_query.pop(query_id, None)
            elif changed != marks_by_query.get(query_id):
                marks_by_query[query_id] = changed
    return Bank(by_query, by_kind, titles, _round_rules(connection))


def read_questions(connection: Connection, query_id: str) -> tuple[Question, ...]:
    """Return one query's questions, in the order they were added."""
    rows = connection.execute(
        f"{_SELECT} WHERE query_id = ? ORDER BY question.number", (query_id,)
    )
    votes = votes_in(read_marks(connection, query_id).get(query_id, {}))
    return tuple(_question(row, votes) for row in rows)


def read_question(connection: Connection, question_id: str) -> Question | None:
    """Return the question with this id, without its votes, or None."""
    rows = connection.execute(f"{_SELECT} WHERE question_id = ?", (question_id,))
    return next((_question(row, {}) for row in rows), None)


def write_questions(connection: Connection, questions: Iterable[Question]) -> None:
    """Insert or update these questions; their order stays.

    The event that first added a question must be recorded: its number is the
    question's, so a question that an undo removed comes back to its place.
    """
    questions = list(questions)
    items = item_ids(connection, [item_of(question) for question in questions])
    keys = key_ids(connection, [key_of(question) for question in questions])
    texts = text_ids(
        connection,
        {question.text for question in questions if question.text is not None},
    )
    connection.executemany(
        "INSERT INTO question (number, question_id, query_id, subtopic_id, "
        "text_id, item_id, key_id, state, provenance, revision) VALUES ("
        "(SELECT min(event_id) FROM event WHERE event.question_id = ?1), "
        "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (question_id) "
        "DO UPDATE SET subtopic_id = excluded.subtopic_id, "
        "text_id = excluded.text_id, item_id = excluded.item_id, "
        "key_id = excluded.key_id, state = excluded.state, "
        "provenance = excluded.provenance, revision = excluded.revision",
        [
            (
                question.question_id,
                question.query_id,
                question.subtopic_id,
                None if question.text is None else texts[question.text],
                items[item_of(question)],
                keys[key_of(question)],
                question.state,
                question.provenance,
                question.revision,
            )
            for question in questions
        ],
    )


def _question(row: tuple[Any, ...], votes: Mapping[str, Votes]) -> Question:
    fields = list(row)  # in the order of Question's fields
    fields[6] = () if row[6] == "[]" else tuple(map(tuple, json.loads(row[6])))
    key = () if row[7] == "[]" else answers_from(row[7])
    fields[7] = tuple(key)
    fields += [votes.get(row[0], ()), "AND" if isinstance(key, AllOf) else "OR"]
    return Question(*fields)


def read_marks(
    connection: Connection, query_id: str | None = None
) -> dict[str, dict[str, tuple[Any, ...]]]:
    """Return the current marks by query and kind, as banks hold them; of one query if
    given.
    """
    marks: defaultdict[str, defaultdict[str, list[Any]]]
    marks = defaultdict(lambda: defaultdict(list))
    for mark_query_id, kind, target, judge, value in connection.execute(
        "SELECT query_id, kind, target, judge, value FROM mark "
        + _query_condition(query_id),
        {"query": query_id},
    ):
        mark = MARKS[kind].from_row(json.loads(target), judge, json.loads(value))
        marks[mark_query_id][kind].append(mark)
    return {
        query: {kind: tuple(sorted(of[kind], key=sort_key)) for kind in of}
        for query, of in marks.items()
    }


def votes_in(marks: Mapping[str, tuple[Any, ...]]) -> dict[str, Votes]:
    """Return the votes among a query's marks, by question id."""
    return {
        question_id: tuple(votes)
        for question_id, votes in grouped(marks.get("vote", ())).items()
    }


def _query_condition(query_id: str | None) -> str:
    """Return the WHERE clause for one query, "" for all, as an OR would read all."""
    return "" if query_id is None else "WHERE query_id = :query"


def read_titles(
    connection: Connection, query_id: str | None = None
) -> dict[str, dict[str | None, str]]:
    """Return the titles of queries, under None, and of their subtopics, by query."""
    titles: defaultdict[str, dict[str | None, str]] = defaultdict(dict)
    condition = _query_condition(query_id)
    rows = connection.execute(
        f"SELECT query_id, NULL, coalesce(title, '') FROM query {condition} "
        "UNION ALL SELECT * FROM (SELECT query_id, subtopic_id, coalesce(text, '') "
        f"FROM subtopic {condition} ORDER BY query_id, position)",
        {"query": query_id},
    )
    for title_query_id, subtopic_id, title in rows:
        titles[title_query_id][subtopic_id] = title
    return dict(titles)


_KINDS_BY_QUERY = [kind for kind, mark in MARKS.items() if not mark.is_on_question]
"""Kinds that banks hold by query."""


def _round_rules(connection: Connection) -> dict[int, RoundRules]:
    """Return what may be answered in each norming round."""
    return {
        norming.round_id: RoundRules(
            round_choices(norming.of, norming.highest),
            tuple(item.query_id for item in norming.items),
            norming.revealed is not None,
            norming.closed.by if norming.closed else "",
        )
        for norming in reversed(read_rounds(connection))
    }


def read_rounds(
    connection: Connection, round_id: int | None = None
) -> tuple[Round, ...]:
    """Return all rounds, or this one, without answers, the latest first."""
    where = "WHERE :id IS NULL OR round_id = :id ORDER BY round_id DESC"
    items = grouped(
        connection.execute(
            "SELECT round_id, place, query_id, question_id, passage_id, query, "
            f"question, passage FROM norming_item {where}, place",
            {"id": round_id},
        )
    )
    rounds = connection.execute(
        "SELECT round_id, asks, highest, seed, opened_at, opened_by, revealed_at, "
        f"revealed_by, closed_at, closed_by FROM norming_round {where}",
        {"id": round_id},
    )
    return tuple(
        Round(
            number,
            asks,
            highest,
            seed,
            Stamp(*stamps[:2]),
            Stamp(*stamps[2:4]) if stamps[2] else None,
            Stamp(*stamps[4:]) if stamps[4] else None,
            tuple(NormingItem(*row) for row in items.get(number, ())),
        )
        for number, asks, highest, seed, *stamps in rounds
    )


def round_of_nonce(connection: Connection, nonce: str | None) -> int | None:
    """Return the round that was opened under this nonce, or None."""
    row = connection.execute(
        "SELECT round_id FROM norming_round WHERE nonce = ?", (nonce,)
    ).fetchone()
    return row and int(row[0])


def write_round(
    connection: Connection,
    items: Iterable[NormingItem],
    *,
    task: NormingTask,
    highest: int,
    seed: int | None,
    by: str,
    at: str,
    nonce: str | None = None,
) -> int:
    """Open a round of these items; return its number. Call within a transaction."""
    number = insert(
        connection,
        "norming_round",
        asks=task,
        highest=highest,
        seed=seed,
        opened_at=at,
        opened_by=by,
        nonce=nonce,
    )
    connection.executemany(
        "INSERT INTO norming_item VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, *astuple(item)) for item in items],
    )
    _bump_banks(connection, number)
    return number


def mark_round(
    connection: Connection,
    round_id: int,
    what: Literal["revealed", "closed"],
    *,
    by: str,
    at: str,
) -> None:
    """Mark the round as revealed or closed; an earlier mark stays."""
    connection.execute(
        f"UPDATE norming_round SET {what}_at = ?, {what}_by = ? "
        f"WHERE round_id = ? AND {what}_at IS NULL",
        (at, by, round_id),
    )
    _bump_banks(connection, round_id)


def _bump_banks(connection: Connection, round_id: int) -> None:
    """Have the rules of the round read again with the banks of its queries."""
    select = "SELECT DISTINCT query_id FROM norming_item WHERE round_id = ?"
    query_ids = column(connection, select, round_id)
    versions.bump(connection, map(versions.bank_scope, query_ids))


def read_drawn_pairs(
    connection: Connection, judge: str, kind: str
) -> tuple[str, tuple[DrawnPair, ...]]:
    """Return the time of a judge's last draw, "" for none, and its pairs in order."""
    rows = connection.execute(
        "SELECT at, query_id, question_id, item, passage_id, probability, drawn, "
        "reason FROM to_check JOIN passage ON passage.number = to_check.passage "
        "WHERE judge = ? AND of = ? ORDER BY place",
        (judge, kind),
    ).fetchall()
    return (rows[0][0] if rows else ""), tuple(DrawnPair(*row[1:]) for row in rows)


def write_drawn_pairs(
    connection: Connection, judge: str, kind: str, at: str, pairs: Iterable[DrawnPair]
) -> None:
    """Replace the pairs that were drawn for the judge."""
    connection.execute("DELETE FROM to_check WHERE judge = ? AND of = ?", (judge, kind))
    connection.executemany(
        "INSERT INTO to_check VALUES (?, ?, ?, ?, ?, ?, ?, "
        "(SELECT number FROM passage WHERE passage_id = ?), ?, ?, ?)",
        [(judge, kind, place, at, *astuple(pair)) for place, pair in enumerate(pairs)],
    )


def highest_grade(connection: Connection) -> int:
    """Return the highest passage grade: 3, or the highest grade of the judgments."""
    (highest,) = connection.execute("SELECT max(grade) FROM judgment").fetchone()
    return max(MIN_HIGHEST_GRADE, highest or 0)


def write_mark(
    connection: Connection, query_id: str, mark: Mark, *, by: str, at: str
) -> None:
    """Replace the current mark of the judge ``by``, or delete it.

    Raises EditError for a passage that is not in the query's pool, and for removing a
    subtopic that is not empty.
    """
    if isinstance(mark, Titled):
        write_title(connection, query_id, mark)
        return
    target = mark.target()
    if "passage_id" in target:
        _require_span(connection, query_id, **target)
    if (grade := mark.passage_grade) is not None:
        _require_grade_on_scale(connection, target["passage_id"], grade)
    row = mark_row(query_id, mark, by=by, at=at)
    where = "query_id = ? AND kind = ? AND target = ?"
    if not mark.is_shared:
        where += " AND judge = ?"
    connection.execute(f"DELETE FROM mark WHERE {where}", row[: where.count("?")])
    if mark.after:
        connection.execute("INSERT INTO mark VALUES (?, ?, ?, ?, ?, ?)", row)


def mark_row(query_id: str, mark: Mark, *, by: str, at: str) -> tuple[str | None, ...]:
    """Return the row of a mark: query, kind, target, judge, value, time.

    The value is None for a mark that is withdrawn.
    """
    value = to_json(mark.value_of(mark.after)) if mark.after else None
    target = to_json(mark.target())
    return query_id, mark.kind, target, mark.owner(by), value, mark.saved_at or at


def write_title(connection: Connection, query_id: str, mark: Titled) -> None:
    """Write a title where imports write it, or add or remove a subtopic."""
    subtopic_id, title = mark.subtopic_id, mark.after or None
    condition = "query_id = ? AND subtopic_id = ?", query_id, subtopic_id
    if subtopic_id is None:
        update = "UPDATE query SET title = ? WHERE query_id = ?"
        connection.execute(update, (title, query_id))
    elif mark.after is None:
        for table in ("question", "subtopic_ranking", "subtopic_judgment"):
            select = f"SELECT count(*) FROM {table} WHERE {condition[0]}"
            if column(connection, select, *condition[1:])[0]:
                raise EditError(
                    f"Subtopic '{subtopic_id}' of query '{query_id}' "
                    "cannot be removed: it has questions, ranks or judgments. Move its "
                    "questions first."
                )
        connection.execute(f"DELETE FROM subtopic WHERE {condition[0]}", condition[1:])
    else:
        connection.execute(
            "INSERT INTO subtopic VALUES (?1, ?2, (SELECT coalesce(max(position), "
            "-1) + 1 FROM subtopic WHERE query_id = ?1), ?3) ON CONFLICT "
            "(query_id, subtopic_id) DO UPDATE SET text = excluded.text",
            (query_id, subtopic_id, title),
        )
    versions.bump(connection, [versions.COLLECTION])


def _require_span(
    connection: Connection,
    query_id: str,
    passage_id: str,
    start: int | None = None,
    end: int | None = None,
    **_: Any,
) -> None:
    """Raise EditError if the passage is not in the pool or the span not in its text."""
    lengths = column(
        connection,
        "SELECT length(body) FROM pool JOIN passage ON "
        "passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? AND passage_id = ?",
        query_id,
        passage_id,
    )
    if not lengths:
        raise EditError(f"No passage '{passage_id}' in the pool of query '{query_id}'.")
    (length,) = lengths
    end = length if end is None else end
    if start is not None and not 0 <= start < end <= length:
        raise EditError(
            f"Characters {start} to {end} are not in passage '{passage_id}', which has "
            f"{length} characters."
        )


def _require_grade_on_scale(
    connection: Connection, passage_id: str, grade: int
) -> None:
    highest = highest_grade(connection)
    if grade > highest:
        raise EditError(
            f"{grade} is no grade for passage '{passage_id}': this workspace grades "
            f"passages from 0 to {highest}."
        )
