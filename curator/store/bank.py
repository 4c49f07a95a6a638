"""The current bank: its questions and the judges' marks on them.

Each kind of mark has a table. Past changes are in the history. Also the pairs that were
drawn for a judge to check.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, dataclass
from sqlite3 import Connection
from typing import Any

from curator.bank.edits import Mark
from curator.bank.edits.adjudicate import Decided
from curator.bank.edits.check import UNSURE, Checked
from curator.bank.edits.dismiss import Dismissed
from curator.bank.edits.done import Finished
from curator.bank.edits.ideal import Marked
from curator.bank.edits.note import Noted
from curator.bank.edits.title import Titled
from curator.bank.edits.verdict import Judged
from curator.bank.edits.vote import Voted
from curator.bank.marks import Check, Decision, Dismissal, Ideal, Note, Verdict, Votes
from curator.bank.questions import Bank, Question
from curator.errors import EditError
from curator.store import versions
from curator.store.connection import column, grouped
from curator.store.digests import update_digests
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
    by_query: defaultdict[str, list[Question]] = defaultdict(list)
    votes = read_votes(connection)
    for row in connection.execute(f"{_SELECT} ORDER BY question.number"):
        question = _question(row, votes)
        by_query[question.query_id].append(question)
    questions_by_query = {
        query_id: tuple(questions) for query_id, questions in by_query.items()
    }
    marks = {name: read(connection) for name, read in _MARK_READERS.items()}
    return Bank(questions_by_query, read_done(connection), **marks)


def reread_queries(
    connection: Connection, bank: Bank, query_ids: Iterable[str]
) -> Bank:
    """Return the bank with these queries read again; the others are shared."""
    by_query = dict(bank.by_query)
    marks: dict[str, dict[str, Any]] = {
        name: {**getattr(bank, name)} for name in _MARK_READERS
    }
    for query_id in query_ids:
        by_query[query_id] = read_questions(connection, query_id)
        for name, read in _MARK_READERS.items():
            changed = read(connection, query_id).get(query_id, ())
            if changed != marks[name].get(query_id, ()):
                marks[name][query_id] = changed
    return Bank(by_query, read_done(connection), **marks)


def read_questions(connection: Connection, query_id: str) -> tuple[Question, ...]:
    """Return one query's questions, in the order they were added."""
    rows = connection.execute(
        f"{_SELECT} WHERE query_id = ? ORDER BY question.number", (query_id,)
    )
    votes = read_votes(connection, query_id)
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
    with update_digests(
        connection,
        "question",
        "question_id IN (SELECT value FROM json_each(?))",
        json.dumps([question.question_id for question in questions]),
    ):
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


def read_done(connection: Connection) -> frozenset[tuple[str, str]]:
    """Return the (query id, judge) of every done mark."""
    return frozenset(connection.execute("SELECT query_id, judge FROM done"))


def read_votes(connection: Connection, query_id: str | None = None) -> dict[str, Votes]:
    """Return the current votes, by question id; of one query if given."""
    questions = (
        "question_id IN (SELECT question_id FROM question WHERE query_id = :query)"
    )
    rows = connection.execute(
        "SELECT question_id, judge, value FROM vote "
        f"{_query_condition(query_id, questions)} ORDER BY question_id, judge",
        {"query": query_id},
    )
    return {question_id: tuple(votes) for question_id, votes in grouped(rows).items()}


def _query_condition(query_id: str | None, condition: str = "query_id = :query") -> str:
    """Return the WHERE clause for one query, "" for all.

    An OR in SQL would scan the whole table.
    """
    return "" if query_id is None else f"WHERE {condition}"


def read_ideals(
    connection: Connection, query_id: str | None = None
) -> dict[str, tuple[Ideal, ...]]:
    """Return the passages and spans marked as ideal answers, by query."""
    rows = connection.execute(
        "SELECT query_id, passage_id, start, nullif(end, -1), judge, grade FROM ideal "
        "JOIN passage ON passage.number = ideal.passage " + _query_condition(query_id),
        {"query": query_id},
    )
    return {
        query_id: tuple(sorted((Ideal(*row) for row in rows), key=Ideal.sort_key))
        for query_id, rows in grouped(rows).items()
    }


def read_verdicts(
    connection: Connection, query_id: str | None = None
) -> dict[str, tuple[Verdict, ...]]:
    """Return the current verdicts, by query; of one query if given."""
    rows = connection.execute(
        "SELECT query_id, question_id, asked.body, answered.body, judge, value "
        "FROM verdict JOIN text AS asked ON asked.text_id = verdict.question "
        "JOIN text AS answered ON answered.text_id = verdict.answer "
        + _query_condition(query_id),
        {"query": query_id},
    )
    return {
        query: tuple(sorted((Verdict(*row) for row in rows), key=Verdict.sort_key))
        for query, rows in grouped(rows).items()
    }


def read_checks(
    connection: Connection, query_id: str | None = None
) -> dict[str, tuple[Check, ...]]:
    """Return the current checks, by query; of one query if given."""
    rows = connection.execute(
        "SELECT query_id, nullif(item, ''), passage_id, judge, answer, probability, "
        "drawn, seconds, at FROM checked "
        "JOIN passage ON passage.number = checked.passage "
        + _query_condition(query_id),
        {"query": query_id},
    )
    return {
        query: tuple(sorted((Check(*row) for row in rows), key=Check.sort_key))
        for query, rows in grouped(rows).items()
    }


def read_dismissals(
    connection: Connection, query_id: str | None = None
) -> dict[str, tuple[Dismissal, ...]]:
    """Return the current dismissals, by query, in the order of keys."""
    rows = connection.execute(
        "SELECT query_id, key, state, reason, judge FROM dismissal "
        f"{_query_condition(query_id)} ORDER BY query_id, key",
        {"query": query_id},
    )
    return {
        query: tuple(Dismissal(*row) for row in rows)
        for query, rows in grouped(rows).items()
    }


def read_adjudications(
    connection: Connection, query_id: str | None = None
) -> dict[str, tuple[Decision, ...]]:
    """Return the current decisions, by query, in the order of keys."""
    rows = connection.execute(
        "SELECT query_id, key, value, state, reason, judge FROM decision "
        f"{_query_condition(query_id)} ORDER BY query_id, key",
        {"query": query_id},
    )
    return {
        query: tuple(Decision(*row) for row in rows)
        for query, rows in grouped(rows).items()
    }


def read_notes(
    connection: Connection, query_id: str | None = None
) -> dict[str, tuple[Note, ...]]:
    """Return the current notes, by query; of one query if given."""
    rows = connection.execute(
        "SELECT query_id, question_id, judge, text, flagged FROM note "
        f"{_query_condition(query_id)} ORDER BY question_id, judge",
        {"query": query_id},
    )
    return {
        query: tuple(
            Note(question_id, judge, text, bool(flagged))
            for question_id, judge, text, flagged in rows
        )
        for query, rows in grouped(rows).items()
    }


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


_MARK_READERS: dict[str, Callable[..., Mapping[str, Any]]] = {
    "ideals": read_ideals,
    "verdicts": read_verdicts,
    "checks": read_checks,
    "dismissals": read_dismissals,
    "notes": read_notes,
    "decisions": read_adjudications,
    "titles": read_titles,
}
"""Function that reads each field of the bank, for all queries or one, by query."""


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


MARK_TABLES: dict[type[Mark], str] = {
    Finished: "done",
    Voted: "vote",
    Judged: "verdict",
    Checked: "checked",
    Marked: "ideal",
    Dismissed: "dismissal",
    Decided: "decision",
    Noted: "note",
}
"""The table of each kind of mark."""


def write_mark(
    connection: Connection, query_id: str, mark: Mark, *, by: str, at: str
) -> None:
    """Replace the judge's current mark, or delete it.

    Raises EditError for a passage that is not in the query's pool, and for removing a
    subtopic that is not empty.
    """
    if isinstance(mark, Titled):
        write_title(connection, query_id, mark)
        return
    key: dict[str, str | int]
    values: dict[str, str | float | None] = {}
    table = MARK_TABLES[type(mark)]
    match mark:
        case Finished():
            key = {"query_id": query_id, "judge": by}
        case Voted():
            key = {"question_id": mark.question_id, "judge": by}
            values = {"value": mark.after}
        case Judged():
            ids = text_ids(connection, {mark.question, mark.answer})
            text_ids_by_column = {
                "question": ids[mark.question],
                "answer": ids[mark.answer],
            }
            key = {"query_id": query_id, **text_ids_by_column, "judge": by}
            values = {"question_id": mark.question_id, "value": mark.after}
        case Checked():
            number, _ = _pooled_passage(connection, query_id, mark.passage_id)
            key = {"query_id": query_id, "item": mark.item or ""}
            key |= {"passage": number, "judge": by}
            if mark.after:
                _require_grade_on_scale(connection, mark)
                values, at = asdict(mark.after), mark.after.at
        case Marked():
            key = {"query_id": query_id}
            key |= _ideal_key(connection, query_id, mark.ideal)
            key["judge"] = mark.ideal.judge
            values = {"by": by, "grade": mark.ideal.grade}
        case Dismissed():
            key = {"query_id": query_id, "key": mark.key}
            values = asdict(mark.after) if mark.after else {}
        case Decided():
            key = {"query_id": query_id, "key": mark.key}
            values = asdict(mark.after) if mark.after else {}
        case Noted():
            key = {"query_id": query_id}
            key |= {"question_id": mark.question_id, "judge": by}
            if mark.after:
                values = asdict(mark.after)
        case _:
            raise TypeError(f"no table has marks of {type(mark).__name__}")
    where = " AND ".join(f'"{column}" = ?' for column in key)
    with update_digests(connection, table, where, *key.values()):
        connection.execute(f"DELETE FROM {table} WHERE {where}", (*key.values(),))
        if mark.after:
            row = key | values | {"at": at}
            columns = ", ".join(f'"{column}"' for column in row)
            placeholders = ", ".join("?" * len(row))
            connection.execute(
                f"INSERT INTO {table} ({columns}) VALUES ({placeholders})",
                (*row.values(),),
            )


def write_title(connection: Connection, query_id: str, mark: Titled) -> None:
    """Write a title where imports write it, or add or remove a subtopic."""
    subtopic_id, title = mark.subtopic_id, mark.after or None
    condition = "query_id = ? AND subtopic_id = ?", query_id, subtopic_id
    if subtopic_id is None:
        with update_digests(connection, "query", "query_id = ?", query_id):
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
        with update_digests(connection, "subtopic", *condition):
            connection.execute(
                f"DELETE FROM subtopic WHERE {condition[0]}", condition[1:]
            )
    else:
        with update_digests(connection, "subtopic", *condition):
            connection.execute(
                "INSERT INTO subtopic VALUES (?1, ?2, (SELECT coalesce(max(position), "
                "-1) + 1 FROM subtopic WHERE query_id = ?1), ?3) ON CONFLICT "
                "(query_id, subtopic_id) DO UPDATE SET text = excluded.text",
                (query_id, subtopic_id, title),
            )
    versions.bump(connection, [versions.COLLECTION])


def _ideal_key(connection: Connection, query_id: str, ideal: Ideal) -> dict[str, int]:
    """Return the key columns of the mark.

    Raises EditError if the passage is not in the pool or the span not within its text.
    """
    number, length = _pooled_passage(connection, query_id, ideal.passage_id)
    end = length if ideal.end is None else ideal.end
    if not 0 <= ideal.start < end <= length:
        raise EditError(
            f"Characters {ideal.start} to {end} are not in passage "
            f"'{ideal.passage_id}', which has {length} characters."
        )
    end = -1 if ideal.end is None else end
    return {"passage": number, "start": ideal.start, "end": end}


def _pooled_passage(
    connection: Connection, query_id: str, passage_id: str
) -> tuple[int, int]:
    """Return the number of a passage of the pool and the length of its text."""
    row = connection.execute(
        "SELECT passage, length(body) FROM pool JOIN passage ON "
        "passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? AND passage_id = ?",
        (query_id, passage_id),
    ).fetchone()
    if row is None:
        raise EditError(f"No passage '{passage_id}' in the pool of query '{query_id}'.")
    number, length = row
    return int(number), int(length)


def _require_grade_on_scale(connection: Connection, mark: Checked) -> None:
    """Raise EditError if the passage grade is not on the scale."""
    answer = str(mark.after)
    if mark.item is None and answer != UNSURE:
        highest = highest_grade(connection)
        if int(answer) > highest:
            raise EditError(
                f"{answer} is no grade for passage '{mark.passage_id}': this workspace "
                f"grades passages from 0 to {highest}."
            )
