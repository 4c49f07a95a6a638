"""``questions``: the bank, with each question's reach and influence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from curator.bank.marks import Note
from curator.bank.marks.decision import decided_vote
from curator.bank.questions import Question, questions_in_state
from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery, merge_segments
from curator.evaluation.influence import Influence, influences
from curator.evaluation.settings import Settings
from curator.results import Rows
from curator.snapshot.settings import BoardChoice, OptionValue, default_settings
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store.question_history import all_question_ids


@dataclass(frozen=True)
class QuestionLine:
    """A question with its reach and influence; None where it is not active.

    ``influence_if_kept`` is the influence a retired question would have if it were
    kept: the mean over systems of |change of the measure in this query|. None where one
    of its grades is missing, or no question of the query is kept. ``number`` is its
    number on every page, ``notes`` are the judges'. ``gold`` is True if the query's
    gold article answers it, None where that is unknown or there is none. ``weight`` is
    that in the pyramid of the votes that the viewer may see, in [0, 1]; None without a
    vote, or where all are okay.
    """

    question: Question
    influence: Influence | None
    influence_if_kept: float | None = None
    number: int = 0
    notes: tuple[Note, ...] = ()
    gold: bool | None = None
    weight: float | None = None


@cached_in_snapshot
def question_numbers(snapshot: Snapshot, query_id: str) -> dict[str, int]:
    """Numbers of the query's questions on every page, from 1 on, by id.

    In the order of arrival, the same for every viewer: a question keeps its number
    through every edit, and one whose addition was undone keeps it for a redo.
    """
    ids = all_question_ids(snapshot.full.connection, query_id)
    hidden = snapshot.viewer.hidden.get(query_id, ())
    return {id_: number for number, id_ in enumerate(ids, 1) if id_ not in hidden}


def numbers_of(lines: Iterable[QuestionLine]) -> dict[str, int]:
    return {line.question.question_id: line.number for line in lines}


def questions(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    query_id: str | None = None,
    **options: OptionValue,
) -> Rows[QuestionLine]:
    """List the bank with each question's reach and influence, retired ones included.

    Where nothing is graded, or under a grader of another kind, there is no influence.
    """
    chosen = default_settings(snapshot, options, settings)
    lines = with_weights(snapshot, question_lines(snapshot, chosen, query_id=query_id))
    return Rows(lines, "curate.question_table")


def question_lines(
    snapshot: Snapshot, settings: Settings | None, *, query_id: str | None = None
) -> tuple[QuestionLine, ...]:
    """List every question of the bank (of one query) as the viewer may see it."""
    measure = settings.measure if settings else ""
    lines = []
    for id_ in snapshot.query_ids(query_id):
        counted = query_lines(snapshot, settings, id_)
        for line, question in zip(
            counted, snapshot.bank.questions_of(id_), strict=True
        ):
            line = replace(line, question=question)
            if not snapshot.viewer.shows_effect(question.question_id, measure):
                influence = line.influence and replace(line.influence, influence=None)
                line = replace(line, influence=influence, influence_if_kept=None)
            lines.append(line)
    return tuple(lines)


def with_weights(
    snapshot: Snapshot, lines: Iterable[QuestionLine]
) -> list[QuestionLine]:
    """Add the weights of the pyramid of all judges.

    Source: Lin & Demner-Fushman 2006, section 4: the number of judges who call it
    vital, divided by the largest such number among the query's kept questions of its
    kind.
    """
    lines = list(lines)
    decisions = snapshot.decisions(snapshot.bank)
    vital: dict[str, tuple[tuple[str, str], int]] = {}
    largest: Counter[tuple[str, str]] = Counter()
    for question in (line.question for line in lines):
        if question.votes and question.state == "kept":
            decided = decided_vote(question, decisions.get(question.query_id, ()))
            count = sum((decided or vote) == "vital" for _, vote in question.votes)
            group = question.query_id, question.kind
            vital[question.question_id] = group, count
            largest[group] = max(largest[group], count)
    weights = {
        question_id: count / most
        for question_id, (group, count) in vital.items()
        if (most := largest[group])
    }
    return [
        replace(line, weight=weights.get(line.question.question_id)) for line in lines
    ]


def query_lines(
    snapshot: Snapshot, settings: Settings | None, query_id: str
) -> tuple[QuestionLine, ...]:
    """Compute a query's lines (see ``question_lines``); cached until data change."""
    graded: GradedQuery | None = None
    grades: tuple[object, ...] = ()
    if settings is not None and settings.grader:
        graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
        grades = snapshot.gradebook.cache_key(
            snapshot.grader(settings.grader), query_id
        )
    counted = snapshot.counted_questions(query_id)
    notes, pool = snapshot.bank.notes_of(query_id), snapshot.collection.pools[query_id]
    return snapshot.caches.question_lines.get(
        (settings, query_id),
        (graded, *grades, counted, notes, pool),
        partial(_query_lines, snapshot, settings, query_id, graded),
    )


def _query_lines(
    snapshot: Snapshot,
    settings: Settings | None,
    query_id: str,
    graded: GradedQuery | None,
) -> tuple[QuestionLine, ...]:
    active: dict[str, Influence] = {}
    retired: dict[str, float] = {}
    gold: dict[str, bool] = {}
    if settings is not None and graded is not None and graded.reading != "direct":
        threshold = snapshot.threshold(settings)
        # Some measures do not apply to this grader.
        with suppress(EvaluationError):
            measured = influences(
                graded,
                snapshot.measure(settings),
                threshold=threshold,
                min_relevance=snapshot.collection.min_relevance,
            )
            active = {influence.question_id: influence for influence in measured}
        retired = retired_influences(snapshot, settings, graded)
        gold = graded.answered_by_gold(threshold)
    numbers = question_numbers(snapshot, query_id)
    notes = snapshot.bank.notes_of(query_id)
    return tuple(
        QuestionLine(
            question,
            active.get(question.question_id),
            retired.get(question.question_id),
            numbers.get(question.question_id, 0),
            tuple(note for note in notes if note.question_id == question.question_id),
            gold.get(question.question_id),
        )
        for question in snapshot.counted_questions(query_id)
    )


def retired_influences(
    snapshot: Snapshot, settings: Settings, graded: GradedQuery
) -> dict[str, float]:
    """Influence that a query's retired questions would have if they were kept, by id.

    Empty under measures of ``ir-measures``, which are too slow for one run a question.
    """
    pool, measure = graded.pool, snapshot.measure(settings)
    record = snapshot.grader(settings.grader)
    questions = snapshot.counted_questions(pool.query_id)
    retired = questions_in_state("retired", questions, record.spec.reading.item_kind)
    ranked = graded.item_ids and len(pool.top) and pool.size
    if not (retired and ranked) or measure.slow or measure.based_on == "texts":
        return {}
    current = measure.row(graded).score
    rated = merge_segments(snapshot.gradebook.graded(record, pool, retired))
    decisions = snapshot.decisions(snapshot.bank).get(pool.query_id, ())
    influence_of = {}
    for row, question in enumerate(retired):
        if (rated.ratings[row] >= 0).all():
            decided = decided_vote(question, decisions)
            graded_with = graded.with_item(rated, row, question.votes, decided)
            difference = np.abs(measure.row(graded_with).score - current).mean()
            influence_of[question.question_id] = float(difference)
    return influence_of
