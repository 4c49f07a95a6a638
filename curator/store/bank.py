"""Reading and writing questions; what changed is for the history to remember."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping

from curator.bank.marks import Ideal, Importance, Judged, Verdict, Voted, Votes
from curator.bank.questions import Bank, Question, place_of, place_of_verdict
from curator.errors import EditError
from curator.store.texts import item_ids, item_of, key_ids, text_ids

_SELECT = (
    "SELECT question_id, query_id, body, item.kind, state, subtopic_id, choices, "
    "answers, provenance, revision FROM question JOIN item USING (item_id) "
    "JOIN answer_key USING (key_id) LEFT JOIN text ON text.text_id = question.text_id"
)


_FIELDS = [name for name in Question.__slots__ if name != "votes"]


def read_bank(connection: sqlite3.Connection) -> Bank:
    """Every question and done mark."""
    by_query: defaultdict[str, list[Question]] = defaultdict(list)
    votes = read_votes(connection)
    for row in connection.execute(f"{_SELECT} ORDER BY question.number"):
        question = _question(row, votes)
        by_query[question.query_id].append(question)
    in_order = {query_id: tuple(many) for query_id, many in by_query.items()}
    return Bank(
        in_order,
        read_done(connection),
        read_ideals(connection),
        read_verdicts(connection),
    )


def read_queries(
    connection: sqlite3.Connection, bank: Bank, query_ids: Iterable[str]
) -> Bank:
    """The bank with these queries read again; the others are shared."""
    by_query, ideals = dict(bank.by_query), dict(bank.ideals)
    verdicts = dict(bank.verdicts)
    for query_id in query_ids:
        by_query[query_id] = read_questions(connection, query_id)
        marked = read_ideals(connection, query_id).get(query_id, ())
        if marked != ideals.get(query_id, ()):
            ideals[query_id] = marked
        judged = read_verdicts(connection, query_id).get(query_id, ())
        if judged != verdicts.get(query_id, ()):
            verdicts[query_id] = judged
    return Bank(by_query, read_done(connection), ideals, verdicts)


def read_done(connection: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """(query id, judge) of every done mark."""
    return frozenset(connection.execute("SELECT query_id, judge FROM done"))


def read_votes(
    connection: sqlite3.Connection, query_id: str | None = None
) -> dict[str, Votes]:
    """The votes that stand (in this query), by question id."""
    found: defaultdict[str, list[tuple[str, Importance]]] = defaultdict(list)
    for question_id, judge, value in connection.execute(
        "SELECT question_id, judge, value FROM vote WHERE :query IS NULL OR "
        "question_id IN (SELECT question_id FROM question WHERE query_id = :query) "
        "ORDER BY question_id, judge",
        {"query": query_id},
    ):
        found[question_id].append((judge, value))
    return {one: tuple(votes) for one, votes in found.items()}


def read_ideals(
    connection: sqlite3.Connection, query_id: str | None = None
) -> dict[str, tuple[Ideal, ...]]:
    """The ideal answers that people marked, by query."""
    found: defaultdict[str, list[Ideal]] = defaultdict(list)
    for query, passage_id, start, end in connection.execute(
        "SELECT query_id, passage_id, start, end FROM ideal "
        "JOIN passage ON passage.number = ideal.passage "
        "WHERE :query IS NULL OR query_id = :query",
        {"query": query_id},
    ):
        found[query].append(Ideal(passage_id, start, None if end < 0 else end))
    return {query: tuple(sorted(many, key=place_of)) for query, many in found.items()}


def read_verdicts(
    connection: sqlite3.Connection, query_id: str | None = None
) -> dict[str, tuple[Verdict, ...]]:
    """The verdicts that stand (in this query), by query."""
    found: defaultdict[str, list[Verdict]] = defaultdict(list)
    for query, *said in connection.execute(
        "SELECT query_id, question_id, asked.body, answered.body, judge, value "
        "FROM verdict JOIN text AS asked ON asked.text_id = verdict.question "
        "JOIN text AS answered ON answered.text_id = verdict.answer "
        "WHERE :query IS NULL OR query_id = :query",
        {"query": query_id},
    ):
        found[query].append(Verdict(*said))
    return {
        query: tuple(sorted(many, key=place_of_verdict))
        for query, many in found.items()
    }


def write_vote(
    connection: sqlite3.Connection, vote: Voted, *, judge: str, at: str
) -> None:
    """Store the vote that stands now, or none."""
    if vote.after is None:
        connection.execute(
            "DELETE FROM vote WHERE question_id = ? AND judge = ?",
            (vote.question_id, judge),
        )
    else:
        connection.execute(
            "INSERT OR REPLACE INTO vote VALUES (?, ?, ?, ?)",
            (vote.question_id, judge, vote.after, at),
        )


def write_verdict(
    connection: sqlite3.Connection, query_id: str, one: Judged, *, judge: str, at: str
) -> None:
    """Store the verdict that stands now on these words, or none."""
    ids = text_ids(connection, {one.question, one.answer})
    key = (query_id, ids[one.question], ids[one.answer], judge)
    if one.after is None:
        connection.execute(
            "DELETE FROM verdict "
            "WHERE (query_id, question, answer, judge) = (?, ?, ?, ?)",
            key,
        )
    else:
        connection.execute(
            "INSERT OR REPLACE INTO verdict (query_id, question, answer, judge, "
            "question_id, value, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*key, one.question_id, one.after, at),
        )


def write_ideal(
    connection: sqlite3.Connection,
    query_id: str,
    ideal: Ideal,
    *,
    marked: bool,
    by: str,
    at: str,
) -> None:
    """Mark an ideal answer, or take the mark away. Raises EditError.

    The passage has to be in the query's pool, and a span within its text.
    """
    row = connection.execute(
        "SELECT passage, length(body) FROM pool JOIN passage ON "
        "passage.number = pool.passage JOIN text USING (text_id) "
        "WHERE query_id = ? AND passage_id = ?",
        (query_id, ideal.passage_id),
    ).fetchone()
    if row is None:
        raise EditError(
            f"No passage '{ideal.passage_id}' in the pool of query '{query_id}'."
        )
    number, length = row
    end = length if ideal.end is None else ideal.end
    if not 0 <= ideal.start < end <= length:
        raise EditError(
            f"Characters {ideal.start} to {end} are not in passage "
            f"'{ideal.passage_id}', which has {length}."
        )
    place = (query_id, number, ideal.start, -1 if ideal.end is None else ideal.end)
    if marked:
        connection.execute(
            "INSERT OR IGNORE INTO ideal VALUES (?, ?, ?, ?, ?, ?)", (*place, by, at)
        )
    else:
        connection.execute(
            "DELETE FROM ideal WHERE (query_id, passage, start, end) = (?, ?, ?, ?)",
            place,
        )


def read_questions(
    connection: sqlite3.Connection, query_id: str
) -> tuple[Question, ...]:
    """One query's questions, in the order they came in."""
    rows = connection.execute(
        f"{_SELECT} WHERE query_id = ? ORDER BY question.number", (query_id,)
    )
    votes = read_votes(connection, query_id)
    return tuple(_question(row, votes) for row in rows)


def read_question(connection: sqlite3.Connection, question_id: str) -> Question | None:
    """The question of this id without its votes, None if there is none."""
    row = connection.execute(f"{_SELECT} WHERE question_id = ?", (question_id,))
    found = row.fetchone()
    return None if found is None else _question(found, {})


def write_questions(
    connection: sqlite3.Connection, questions: Iterable[Question]
) -> None:
    """Store these questions, new or changed; their order of arrival stays.

    The event that first brought a question must be recorded: its number is the
    question's, so one that an undo took out comes back to its place.
    """
    questions = list(questions)
    items = item_ids(connection, [item_of(q) for q in questions])
    keys = key_ids(connection, [q.answers for q in questions])
    texts = text_ids(connection, {q.text for q in questions if q.text is not None})
    connection.executemany(
        "INSERT INTO question (number, question_id, query_id, subtopic_id, text_id, "
        "item_id, key_id, state, provenance, revision) VALUES ((SELECT min(event_id) "
        "FROM event WHERE event.question_id = ?1), ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) "
        "ON CONFLICT (question_id) DO UPDATE SET subtopic_id = excluded.subtopic_id, "
        "text_id = excluded.text_id, item_id = excluded.item_id, "
        "key_id = excluded.key_id, state = excluded.state, "
        "provenance = excluded.provenance, revision = excluded.revision",
        [
            (
                q.question_id,
                q.query_id,
                q.subtopic_id,
                None if q.text is None else texts[q.text],
                items[item_of(q)],
                keys[q.answers],
                q.state,
                q.provenance,
                q.revision,
            )
            for q in questions
        ],
    )


def delete_question(connection: sqlite3.Connection, question_id: str) -> None:
    """Take a question out again; only undoing its addition does this."""
    connection.execute("DELETE FROM question WHERE question_id = ?", (question_id,))


def question_json(question: Question | None) -> str | None:
    """The question as the history keeps it: without votes, which it keeps apart."""
    if question is None:
        return None
    fields = {name: getattr(question, name) for name in _FIELDS}
    return json.dumps(fields, ensure_ascii=False)


def question_from_json(stored: str | None) -> Question | None:
    """The question the history kept."""
    if stored is None:
        return None
    fields = json.loads(stored)
    fields["choices"] = tuple((letter, text) for letter, text in fields["choices"])
    fields["answers"] = tuple(fields["answers"])
    return Question(**fields)


def _question(row: tuple[str, ...], votes: Mapping[str, Votes]) -> Question:
    question_id, query_id, text, kind, state, subtopic_id = row[:6]
    choices, answers, provenance, revision = row[6:]
    return Question(
        question_id=question_id,
        query_id=query_id,
        text=text,
        kind=kind,  # type: ignore[arg-type]  # CHECKed by the table
        state=state,  # type: ignore[arg-type]  # CHECKed by the table
        subtopic_id=subtopic_id,
        choices=() if choices == "[]" else tuple(map(tuple, json.loads(choices))),
        answers=() if answers == "[]" else tuple(json.loads(answers)),
        provenance=provenance,
        revision=int(revision),
        votes=votes.get(question_id, ()),
    )
