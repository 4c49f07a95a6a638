"""The answers that a grader extracted for one query, and what a grader says of each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from curator.bank.questions import Question, active
from curator.engine.gradebook import GraderRecord, targets_of
from curator.engine.state import State
from curator.store import collection as store_collection
from curator.store import responses as store_answers
from curator.store.responses import Said
from curator.store.texts import item_of, stored_item_ids
from curator.verbs.answers.sources import source_of
from grading.ava.grader import candidate_item
from grading.readings import read_response, stated_score


@dataclass(frozen=True, slots=True)
class Extracted:
    """An answer to a question, and the pool's passages that it was found in."""

    question_id: str
    answer: str
    passage_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a grader says of an answer; None where it has not said so yet.

    ``score`` is an AVA model's, which has to be above its grader's threshold; one that
    cannot be read says nothing. Other graders have none.
    """

    correct: bool | None
    score: float | None = None


Decisions = Mapping[tuple[str, str], Decision]
"""By (question id, answer)."""


def extracted(state: State, source: str, query_id: str) -> tuple[Extracted, ...]:
    """Every distinct answer to a kept question of the query.

    In the order of questions, then of the first passage. Of a grader that checks
    answers those that it checks; () for one that neither gives nor checks any. Raises
    UnknownNameError.
    """
    passage_ids = state.collection.pools[query_id].passage_ids
    return tuple(
        one
        for question_id, said in said_in_pool(state, source, query_id)
        for one in distinct(question_id, passage_ids, said)
    )


def distinct(
    question_id: str, passage_ids: Sequence[str], said: Sequence[Said | None]
) -> tuple[Extracted, ...]:
    """The answers among what was said of each of these passages, each once."""
    passages: dict[str, list[str]] = {}
    for passage_id, one in zip(passage_ids, said, strict=False):
        if isinstance(one, str):
            passages.setdefault(one, []).append(passage_id)
    return tuple(
        Extracted(question_id, answer, tuple(where))
        for answer, where in passages.items()
    )


def said_in_pool(
    state: State, source: str, query_id: str
) -> list[tuple[str, list[Said | None]]]:
    """What was said of each pool passage for every kept question, after its id.

    An answer, 0 for that there is none, UNREADABLE, or None where no words are known.
    [] for a grader that neither gives nor checks answers. Raises UnknownNameError.
    """
    record = state.grader(source)
    answering = source_of(record)
    if answering is None:
        return []
    questions = _asked(state, record, query_id)
    ids = stored_item_ids(state.connection, map(item_of, questions))
    responder_id = store_answers.responder_with_key(
        state.connection, answering.spec.responder.key
    )
    texts = [row[0] for row in store_collection.pool_texts(state.connection, query_id)]
    # The pool that is known here: in the file it may have grown since.
    texts = texts[: state.collection.pools[query_id].size]
    found: list[tuple[str, list[Said | None]]] = []
    for question in questions:
        said = store_answers.said_by_text(
            state.connection, responder_id, ids.get(item_of(question), 0)
        )
        found.append((question.question_id, [said.get(one) for one in texts]))
    return found


def decisions(
    state: State,
    grader: str,
    query_id: str,
    answers: Iterable[Extracted],
) -> Decisions:
    """What the grader says of each answer, by question and answer.

    An AVA model has scored words, by whomever they were found. Any other grader says
    what it says of the passages, so the answers have to be those it rests on. Raises
    UnknownNameError.
    """
    record = state.grader(grader)
    wanted = list(answers)
    asked = {one.question_id: one for one in _asked(state, record, query_id)}
    if not record.spec.checks_answers:
        return _rated(state, record, query_id, asked, wanted)
    found: dict[tuple[str, str], Decision] = {}
    for question_id in dict.fromkeys(one.question_id for one in wanted):
        said = [one.answer for one in wanted if one.question_id == question_id]
        raws = (
            _scores(state.connection, record, asked[question_id], said)
            if question_id in asked
            else {}
        )
        for answer in said:
            raw = raws.get(answer)
            score = None if raw is None else stated_score(raw)
            found[question_id, answer] = (
                Decision(None)
                if raw is None or score is None
                else Decision(bool(read_response(record.spec.reading, raw)), score)
            )
    return found


def _scores(
    connection: sqlite3.Connection,
    record: GraderRecord,
    question: Question,
    said: Iterable[str],
) -> dict[str, str]:
    """The stored score of each answer that has one, under the key as it is now."""
    if question.text is None or not question.answers:
        return {}
    candidates = {candidate_item(item_of(question), one): one for one in said}
    known = store_answers.scores_of(
        connection,
        store_answers.responder_with_key(connection, record.spec.responder.key),
        store_answers.stored_key_id(connection, question.answers),
        candidates,
    )
    return {candidates[item]: raw for item, raw in known.items()}


def _asked(state: State, record: GraderRecord, query_id: str) -> tuple[Question, ...]:
    kind = record.spec.reading.item_kind
    (query,) = state.query_ids(query_id)
    return active(
        state.bank.of_query(query), "nugget" if kind == "nugget" else "question"
    )


def _rated(
    state: State,
    record: GraderRecord,
    query_id: str,
    asked: Mapping[str, Question],
    answers: Iterable[Extracted],
) -> Decisions:
    pool = state.collection.pools[query_id]
    position = {passage_id: at for at, passage_id in enumerate(pool.passage_ids)}
    targets = {one.target_id: one for one in targets_of(record, asked.values())}
    found: dict[tuple[str, str], Decision] = {}
    for one in answers:
        correct = None
        if one.question_id in targets:
            graded = state.gradebook.graded_targets(
                record, pool, [targets[one.question_id]]
            )
            ratings = graded.ratings[0, [position[p] for p in one.passage_ids]]
            known = ratings[ratings >= 0]
            correct = bool(known[0]) if len(known) else None
        found[one.question_id, one.answer] = Decision(correct)
    return found
