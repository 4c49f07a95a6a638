"""The answers extracted for one query's questions, and what every check says of each.

Made once for the questions, grades and pool that it rests on, and kept for as long as
these stay the same objects: a verdict has one query's made again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question
from curator.collection.pools import GAP, Pool
from curator.engine.gradebook import GraderRecord
from curator.engine.state import State
from curator.evaluation.answer_checking import (
    NO_ANSWER,
    NOT_ASKED,
    RIGHT,
    UNKNOWN,
    WRONG,
    Decisions,
)
from curator.store.responses import Said
from curator.verbs.answers.extracted import Extracted, decisions, distinct, said_in_pool
from grading.answers import is_correct


@dataclass(frozen=True, eq=False)
class QueryAnswers:
    """A query's distinct answers, by (question, text), to its questions with a key.

    ``asked`` is the number of each answer's question. ``decisions`` and ``scores`` hold
    an array for each check, string matching first; a score is NaN where there is none.
    ``firsts`` is (systems, questions): the answer in each system's first passage.
    """

    query_id: str
    questions: tuple[Question, ...]
    answers: tuple[Extracted, ...]
    asked: tuple[int, ...]
    decisions: tuple[Decisions, ...]
    scores: tuple[NDArray[np.float64], ...]
    firsts: NDArray[np.int32]


MadeOf = tuple[object, ...]
_KEPT: WeakKeyDictionary[Pool, dict[tuple[int, ...], tuple[MadeOf, QueryAnswers]]] = (
    WeakKeyDictionary()
)
_LOCK = threading.Lock()


def keyed(questions: Sequence[Question]) -> tuple[Question, ...]:
    """The kept questions with an answer key: those whose answers can be checked."""
    return tuple(one for one in questions if one.state == "kept" and one.answers)


def query_answers(
    state: State,
    source: GraderRecord,
    models: Sequence[GraderRecord],
    query_id: str,
) -> QueryAnswers:
    """What ``source`` extracted for this query, checked by strings and these models."""
    pool = state.collection.pools[query_id]
    graders = (source, *models)
    made_of: MadeOf = (
        state.bank.of_query(query_id),
        *(state.gradebook.vectors(one, query_id) for one in graders),
    )
    key = tuple(one.grader_id for one in graders)
    with _LOCK:
        kept = _KEPT.setdefault(pool, {}).get(key)
    if kept is not None and all(a is b for a, b in zip(kept[0], made_of, strict=True)):
        return kept[1]
    found = _query_answers(state, source, models, query_id)
    with _LOCK:
        _KEPT.setdefault(pool, {})[key] = (made_of, found)
    return found


def _query_answers(
    state: State,
    source: GraderRecord,
    models: Sequence[GraderRecord],
    query_id: str,
) -> QueryAnswers:
    pool = state.collection.pools[query_id]
    questions = keyed(state.bank.of_query(query_id))
    place = {one.question_id: number for number, one in enumerate(questions)}
    said_of = {
        question_id: found
        for question_id, found in (
            said_in_pool(state, source.name, query_id) if questions else ()
        )
        if question_id in place
    }
    answers = tuple(
        one
        for question_id, found in said_of.items()
        for one in distinct(question_id, pool.passage_ids, found)
    )
    asked = tuple(place[one.question_id] for one in answers)
    scores: list[NDArray[np.float64]] = [np.full(len(answers), np.nan)]
    said = [
        np.array(
            [
                RIGHT if _matches(questions[number], one.answer) else WRONG
                for one, number in zip(answers, asked, strict=True)
            ],
            dtype=np.int8,
        )
    ]
    for model in models:
        known = decisions(state, model.name, query_id, answers)
        found = [known.get((one.question_id, one.answer)) for one in answers]
        said.append(
            np.array(
                [
                    UNKNOWN if one is None or one.correct is None else int(one.correct)
                    for one in found
                ],
                dtype=np.int8,
            )
        )
        scores.append(
            np.array(
                [
                    np.nan if one is None or one.score is None else one.score
                    for one in found
                ],
                dtype=np.float64,
            )
        )
    return QueryAnswers(
        query_id,
        questions,
        answers,
        asked,
        tuple(said),
        tuple(scores),
        _firsts(pool, answers, asked, [said_of.get(one, []) for one in place]),
    )


def _firsts(
    pool: Pool,
    answers: Sequence[Extracted],
    asked: Sequence[int],
    said: Sequence[Sequence[Said | None]],
) -> NDArray[np.int32]:
    """(systems, questions): which answer stands in each system's first passage.

    A system that retrieves nothing answers nothing. ``said`` holds what was said of
    each passage, by question. The words alone decide, as where a model checks them: not
    known is what was not read, or answered without a word.
    """
    at = np.full((len(said), pool.size), NOT_ASKED, dtype=np.int32)
    for row, of_question in zip(at, said, strict=True):
        row[[i for i, one in enumerate(of_question) if one == 0]] = NO_ANSWER
    position = {passage_id: i for i, passage_id in enumerate(pool.passage_ids)}
    for number, (one, question) in enumerate(zip(answers, asked, strict=True)):
        at[question, [position[passage_id] for passage_id in one.passage_ids]] = number
    systems = len(pool.top)
    found = np.full((systems, len(said)), NOT_ASKED, dtype=np.int32)
    if pool.depth:
        first = pool.top[:, 0]
        found[first != GAP] = at[:, first[first != GAP]].T
    found[pool.retrieved(1) == 0] = NO_ANSWER
    return found


def _matches(question: Question, answer: str) -> bool:
    return is_correct(answer, question.answers, choices=question.choices)
