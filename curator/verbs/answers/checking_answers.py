"""Grading by an AVA model: the answers that another grader gave are scored, once each.

What a rating is follows from what is stored, an answer and its score. Scores are
stored by portions, and a question's ratings are derived when all its answers are
scored. Killed at any time, a run has lost the portion that was being scored; the
ratings that follow from the others come with the next run.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from curator.engine.gradebook import GraderRecord, Target
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store import history as store_history
from curator.store import responses as store_answers
from curator.store.connection import exclusive
from curator.store.grades import ItemKey
from curator.store.texts import stored_item_ids
from curator.verbs.grading.missing import Missing, missing_in
from grading.ava.grader import AvaGrader, candidate_item
from grading.items import Item
from grading.ratings import NOT_ASKED, UNREADABLE

PORTION = 64  # answers scored between two commits

Asked = tuple[ItemKey, Target, Item]
"""An answer to be scored, after the question it was given to."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Counted:
    """What a grader that checks answers lacks, or what it was given.

    ``grades`` pairs could be rated, for which ``answers`` distinct answers are to be
    scored; of ``without_answer`` pairs the answering grader has said nothing. Of the
    grades given, ``unreadable`` stay unknown, as the response has no words.
    """

    queries: int = 0
    grades: int = 0
    answers: int = 0
    without_answer: int = 0
    unreadable: int = 0


@dataclass(frozen=True)
class _Unchecked:
    """One question of a query with pairs that lack a rating.

    ``left`` are their pool positions, as a mask; ``said`` is how many of these have an
    answer, or a response that states none, and ``candidates`` are the answers.
    """

    query_id: str
    target: Target
    key: ItemKey
    left: NDArray[np.bool_]
    said: int
    candidates: tuple[Item, ...]

    @property
    def without_answer(self) -> int:
        """Of how many the answering grader has said nothing."""
        return int(self.left.sum()) - self.said


def counted_answers(
    state: State,
    record: GraderRecord,
    query_id: str | None = None,
) -> Counted:
    """What the grader lacks as things stand; stores nothing, loads no model."""
    responder_id = store_answers.responder_with_key(
        state.connection, record.spec.responder.key
    )
    queries: set[str] = set()
    candidates: set[tuple[Item, int]] = set()
    grades = without_answer = 0
    for one in _lacking(state, record, query_id):
        unscored = _unscored(state.connection, responder_id, one)
        candidates.update((item, one.key[1]) for item in unscored)
        grades += one.said
        without_answer += one.without_answer
        if one.said:
            queries.add(one.query_id)
    return Counted(len(queries), grades, len(candidates), without_answer)


def check_answers(
    workspace: OpenWorkspace,
    record: GraderRecord,
    grader: AvaGrader,
    query_id: str | None,
    progress: Progress,
) -> Counted:
    """Rate every pair of which the answering grader has said something.

    What is edited meanwhile is graded too. ``progress`` hears (kept, kept and missing);
    what it or the model raises ends the run with every finished portion kept.
    """
    checker = _Checker(workspace.connection, record, grader, progress)
    while True:
        grades = without_answer = 0
        for lacking in _lacking(workspace.state(), record, query_id):
            grades += lacking.said
            without_answer += lacking.without_answer
        checker.total = checker.kept + grades
        progress(checker.kept, checker.total)
        before = checker.kept
        for one in _edited_last_first(workspace.state(), query_id):
            missing = missing_in(workspace.state(), record, one)
            if missing is not None:
                checker.check(missing)
        if checker.kept == before:
            break
    return Counted(
        len(checker.queries),
        checker.kept,
        checker.answers,
        without_answer,
        checker.unreadable,
    )


def _lacking(
    state: State,
    record: GraderRecord,
    query_id: str | None,
) -> Iterator[_Unchecked]:
    for one in state.query_ids(query_id):
        missing = missing_in(state, record, one)
        if missing is not None:
            yield from _unchecked(state.connection, record, missing)


def _edited_last_first(state: State, query_id: str | None) -> list[str]:
    edited = store_history.edited_queries(state.connection)
    order = {one: at for at, one in enumerate(edited)}
    return sorted(state.query_ids(query_id), key=lambda one: order.get(one, len(order)))


def _unchecked(
    connection: sqlite3.Connection, record: GraderRecord, missing: Missing
) -> Iterator[_Unchecked]:
    """The questions of a query that lack ratings, with what was answered there."""
    source_id = store_answers.responder_with_key(
        connection, record.spec.reading.answers_of
    )
    pool = store_collection.pool_texts(connection, missing.query_id)
    ids = stored_item_ids(connection, [target.item for target in missing.targets])
    for target, unknown in zip(missing.targets, missing.unknown, strict=True):
        item_id = ids.get(target.item, 0)  # 0 is no item's
        key_id = store_answers.stored_key_id(connection, target.answers)
        said = store_answers.said_by_text(connection, source_id, item_id)
        here = [
            said[text_id]
            for position in np.flatnonzero(unknown).tolist()
            if (text_id := pool[position][0]) in said
        ]
        answers = dict.fromkeys(one for one in here if isinstance(one, str))
        yield _Unchecked(
            missing.query_id,
            target,
            (item_id, key_id),
            unknown,
            len(here),
            tuple(candidate_item(target.item, one) for one in answers),
        )


def _unscored(
    connection: sqlite3.Connection, responder_id: int | None, one: _Unchecked
) -> list[Item]:
    """The answers that have no score yet."""
    known = store_answers.scores_of(
        connection, responder_id, one.key[1], one.candidates
    )
    return [item for item in one.candidates if item not in known]


class _Checker:
    """One run: what it has kept, and how it checks a query."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        record: GraderRecord,
        grader: AvaGrader,
        progress: Progress,
    ) -> None:
        self.kept = self.answers = self.unreadable = self.total = 0
        self.queries: set[str] = set()
        self._connection = connection
        self._record = record
        self._grader = grader
        self._progress = progress
        self._responder_id = store_grades.responder_id_of(connection, record.grader_id)

    def check(self, missing: Missing) -> None:
        """Score what is new in this query, by portions, and rate every question."""
        # Two questions of the same words have the same answers and ratings.
        alike: defaultdict[ItemKey, list[_Unchecked]] = defaultdict(list)
        for one in _unchecked(self._connection, self._record, missing):
            if one.said:
                alike[one.key].append(one)
        asked: list[Asked] = []
        for key, (first, *_) in alike.items():
            unscored = _unscored(self._connection, self._responder_id, first)
            asked += [(key, first.target, item) for item in unscored]
        left = Counter(key for key, _, _ in asked)
        for key, questions in alike.items():
            if not left[key]:
                self._rate(key, questions)
        for start in range(0, len(asked), PORTION):
            portion = asked[start : start + PORTION]
            self._score(portion)
            done = Counter(key for key, _, _ in portion)
            left.subtract(done)
            for key in done:
                if not left[key]:
                    self._rate(key, alike[key])
            self._progress(self.kept, max(self.total, self.kept))

    def _score(self, portion: Sequence[Asked]) -> None:
        """Have these answers scored, and keep the scores in one transaction."""
        scores = self._grader.scores(
            [(item, target.answers) for _, target, item in portion]
        )
        with exclusive(self._connection):
            store_answers.put_scores(
                self._connection,
                self._responder_id,
                {
                    (item, key_id): score
                    for ((_, key_id), _, item), score in zip(
                        portion, scores, strict=True
                    )
                },
            )
        self.answers += len(portion)

    def _rate(self, key: ItemKey, questions: Sequence[_Unchecked]) -> None:
        """Keep the ratings of these questions, which are alike, as they follow."""
        query_id = questions[0].query_id
        with exclusive(self._connection):
            vectors = store_grades.vectors_from_responses(
                self._connection,
                self._responder_id,
                self._record.spec.reading,
                query_id,
                [key],
            )
            store_grades.write_vectors(
                self._connection, self._record.grader_id, query_id, vectors
            )
        for one in questions:
            ratings = vectors[key][: len(one.left)]
            self.kept += int((one.left & (ratings != NOT_ASKED)).sum())
            self.unreadable += int((one.left & (ratings == UNREADABLE)).sum())
        self.queries.add(query_id)
