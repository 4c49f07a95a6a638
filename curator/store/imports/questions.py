"""Writing the questions a file brought: new ones as a batch of the history."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from curator.bank.edits import Change
from curator.bank.edits.vote import Voted
from curator.bank.marks import Importance
from curator.bank.questions import Question
from curator.errors import ImportConflictError
from curator.store import bank as store_bank
from curator.store import history
from curator.store.imports.grades import GradesWriter


def write_questions(
    connection: sqlite3.Connection,
    parsed: Mapping[str, Question],
    grades: GradesWriter,
    *,
    source: str,
    by: str,
) -> tuple[Counter[str], list[str]]:
    """How many of each kind were new or got their text, and what was noticed.

    What people made of a question here stays. Raises ImportConflictError for an id
    that means another item in this workspace.
    """
    changes: list[Change] = []
    filled: list[tuple[Question, Question]] = []
    other_texts = other_fields = 0
    current = {
        question.question_id: question
        for question in store_bank.read_bank(connection)
        if question.question_id in parsed
    }
    for question_id, question in parsed.items():
        old = current.get(question_id)
        if old is None:
            changes.append(Change("import", question.query_id, after=question))
        elif old.query_id != question.query_id or old.kind != question.kind:
            raise ImportConflictError(
                source,
                f"'{question_id}' is a {old.kind} of query '{old.query_id}' in this "
                "workspace; an id means one item.",
                (question_id,),
            )
        elif question.text is None:
            continue
        elif old.text is None:
            after = replace(
                question,
                state=old.state,
                subtopic_id=old.subtopic_id or question.subtopic_id,
                revision=old.revision + 1,
            )
            filled.append((old, after))
            changes.append(Change("import", old.query_id, before=old, after=after))
        else:
            other_texts += question.text != old.text
            other_fields += _beside_text(question) != _beside_text(old)
    if changes:
        history.record(connection, changes, by=by, kind="import")
        grades.fill_items(filled)
        grades.add_items(c.after for c in changes if c.after is not None)
    notices = [
        f"{number} questions have another {what} in this workspace, changed here or "
        "from another file; it stays."
        for number, what in (
            (other_texts, "text"),
            (other_fields, "subtopic, choices or answers"),
        )
        if number
    ]
    counts = Counter(
        f"{change.after.kind}s"
        if change.before is None
        else f"{change.after.kind} texts"
        for change in changes
        if change.after is not None
    )
    return counts, notices


def write_votes(
    connection: sqlite3.Connection,
    parsed: Mapping[tuple[str, str], Importance],
    *,
    source: str,
) -> tuple[int, list[str]]:
    """How many votes were new, and what was noticed; each judge's are a batch.

    A judge who has voted on a question here, or has taken a vote back, is heard and not
    the file.
    """
    spoken = {
        (question_id, judge): value
        for question_id, judge, value in connection.execute(
            "SELECT json_extract(after, '$.question_id'), by, "
            "json_extract(after, '$.vote') FROM event JOIN batch USING (batch_id) "
            "WHERE event.kind IN ('vote', 'undo vote', 'redo vote') ORDER BY event_id"
        )
    }
    by_judge: dict[str, list[Change]] = {}
    other = 0
    for (question_id, judge), vote in parsed.items():
        if (question_id, judge) in spoken:
            other += spoken[question_id, judge] != vote
            continue
        question = store_bank.read_question(connection, question_id)
        assert question is not None  # the reader names no vote without its question
        mark = Voted(question_id, None, vote)
        change = Change("vote", question.query_id, mark=mark)
        by_judge.setdefault(judge, []).append(change)
    for judge, changes in by_judge.items():
        history.record(connection, changes, by=judge, kind="import")
    notices = []
    if other:
        votes = "vote is" if other == 1 else "votes are"
        notices.append(f"{other} {votes} another here than in {source}; it stays.")
    return sum(map(len, by_judge.values())), notices


def _beside_text(question: Question) -> tuple[object, ...]:
    return (question.subtopic_id, question.choices, question.answers)
