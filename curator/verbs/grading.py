"""``grade``: ask a grader for what is missing, and nothing else."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from curator import jobs
from curator.bank.questions import Bank, Question, active
from curator.boards import Boards
from curator.errors import NotGradableError
from curator.gradebook import GraderRecord
from curator.jobs import Job
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.connection import exclusive
from curator.store.texts import item_ids, item_of, text_ids
from grading.cache import Cache
from grading.graders.embedding import EmbeddingGrader, Encoder
from grading.graders.embedding import spec as default_spec
from grading.graders.protocol import Grader
from grading.keys import text_key
from grading.ratings import NOT_ASKED
from grading.registry import open_grader
from grading.similarity import Vectors

Progress = Callable[[int, int], None]
"""Called with (grades kept, grades that were missing), first with 0 kept."""

PORTION = 64  # passages of a query between two commits; reading them takes seconds


@dataclass(frozen=True)
class GradeSummary:
    """What a grading run found missing and did, or would do on a dry run.

    ``asked`` counts (question, passage) pairs that lacked a grade, ``texts`` the texts
    the model has to read for them, ``without_text`` the questions that cannot be
    graded because their text is not published.
    """

    grader: str
    queries: int
    asked: int
    texts: int
    without_text: int
    dry_run: bool


def grade(
    connection: sqlite3.Connection,
    boards: Boards,
    name: str,
    *,
    query_id: str | None = None,
    since: Bank | None = None,
    dry_run: bool = False,
    encoder: Encoder | None = None,
    progress: Progress | None = None,
) -> GradeSummary:
    """Grade every kept question on its query's pool where a grade is missing.

    With ``since``, the questions as an earlier bank had them are graded too, so that
    the grader's board can be compared with its own earlier self.
    Grades are kept portion by portion; what ``progress`` raises ends the run with all
    of them kept, and the next run asks for the rest. Raises NotGradableError for an
    imported grader, GradingError where the model is missing.
    """
    record, known_already = _record(boards, name)
    work: dict[str, tuple[Question, ...]] = {}
    without_text = 0
    for one in boards.query_ids(query_id):
        pool = boards.collection.pools[one]
        questions = active(boards.bank.of_query(one), "question")
        without_text += sum(question.text is None for question in questions)
        if since is not None:
            earlier = active(since.of_query(one), "question")
            questions += tuple(q for q in earlier if q not in questions)
        missing = boards.gradebook.missing_items(record, pool, questions)
        if missing and pool.size:
            work[one] = tuple(missing)
    texts = _texts_to_read(connection, record, known_already, work)
    unknown = {
        one: boards.gradebook.graded(
            record, boards.collection.pools[one], questions
        ).ratings
        == NOT_ASKED
        for one, questions in work.items()
    }
    asked = sum(int(pairs.sum()) for pairs in unknown.values())
    summary = GradeSummary(
        grader=record.name,
        queries=len(work),
        asked=asked,
        texts=len(texts),
        without_text=without_text,
        dry_run=dry_run,
    )
    if dry_run or not work:
        return summary
    if progress is not None:
        progress(0, asked)
    with exclusive(connection):
        grader_id, responder_id = store_grades.grader_id_of(connection, record.spec)
        # Question texts are texts too: their vectors stand beside the passages'.
        text_ids(connection, _question_texts(work))
    cache = store_grades.EmbeddingCache(connection, responder_id)
    grader = opened_grader(record, cache, encoder)
    kept = 0
    for one, questions in work.items():
        portions = graded_portions(
            connection, grader, grader_id, one, questions, unknown[one]
        )
        for number in portions:
            kept += number
            if progress is not None:
                progress(kept, asked)
    return summary


def opened_grader(
    record: GraderRecord, cache: Cache[Vectors], encoder: Encoder | None
) -> Grader:
    """The grader, encoding by ``encoder`` where that is the same model.

    The encoder given is the model process, which runs the default model; another
    model's grades must not come from it.
    """
    if encoder is not None and record.spec.key == default_spec().key:
        return EmbeddingGrader(encoder=encoder, cache=cache)
    return open_grader(registered_name(record), cache=cache)


def registered_name(record: GraderRecord) -> str:
    """The name the registry knows it by; a second grader of a name has a number."""
    return re.sub(r" \(\d+\)$", "", record.name)


def graded_portions(
    connection: sqlite3.Connection,
    grader: Grader,
    grader_id: int,
    query_id: str,
    questions: Sequence[Question],
    unknown: NDArray[np.bool_],
) -> Iterator[int]:
    """Grade these questions on their query's pool, and say how many pairs that were.

    ``unknown`` (questions, pool positions) is what nobody has asked yet. Each number
    is of a portion of passages whose grades have been stored.
    """
    passages = [
        body for _, _, body in store_collection.pool_texts(connection, query_id)
    ]
    items = [item_of(question) for question in questions]
    positions = np.flatnonzero(unknown.any(axis=0))
    for start in range(0, len(positions), PORTION):
        portion = positions[start : start + PORTION]
        ratings = grader.grade(items, [passages[position] for position in portion])
        with exclusive(connection):
            ids = item_ids(connection, items)
            store_grades.write_ratings(
                connection,
                grader_id,
                query_id,
                {ids[item]: row for item, row in zip(items, ratings, strict=True)},
                portion,
            )
        yield int(unknown[:, portion].sum())


def start_job(
    connection: sqlite3.Connection, boards: Boards, path: Path, name: str, *, by: str
) -> Job:
    """Start grading what is missing beside this process.

    Raises what ``grade`` raises before it begins, and JobError where a job of this
    grader is not done.
    """
    missing = grade(connection, boards, name, dry_run=True)
    return jobs.start(
        connection,
        path,
        "grade",
        {"grader": missing.grader},
        by=by,
        total=missing.asked,
    )


def _record(boards: Boards, name: str) -> tuple[GraderRecord, bool]:
    """The grader of this name, and whether the workspace knows it already."""
    for record in boards.gradebook.records:
        if record.name == name and not record.can_grade:
            raise NotGradableError(
                f"{name} was imported and cannot grade new text here. Grade with "
                "another: `curator grade WORKSPACE --grader embedding`."
            )
    spec = open_grader(name).spec
    for record in boards.gradebook.records:
        if record.spec.key == spec.key:
            return record, True
    return GraderRecord(0, spec), False


def _texts_to_read(
    connection: sqlite3.Connection,
    record: GraderRecord,
    known_already: bool,
    work: dict[str, tuple[Question, ...]],
) -> set[str]:
    """Content keys of the texts that have no vector yet."""
    keys = {text_key(text) for text in _question_texts(work)}
    for query_id in work:
        keys |= {key for _, key, _ in store_collection.pool_texts(connection, query_id)}
    if known_already:
        responder_id = store_grades.responder_id_of(connection, record.grader_id)
        keys -= store_grades.EmbeddingCache(connection, responder_id).known(
            sorted(keys)
        )
    return keys


def _question_texts(work: dict[str, tuple[Question, ...]]) -> list[str]:
    return [q.text.strip() for qs in work.values() for q in qs if q.text is not None]
