"""``answer_checks``: string matching, AVA models and people on the same answers.

A query's checks are cached, so a verdict or an edit recomputes one query only.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from pathlib import PurePath

from curator.bank.marks.verdict import Words
from curator.bank.opinions import final_values
from curator.bank.questions import Question
from curator.collection.pools import GAP
from curator.evaluation.answer_checking import (
    Confusion,
    Decisions,
    MeasureAgreement,
    accuracy,
    confusion_of,
    measure_agreement,
)
from curator.formats.text.notices import counted
from curator.results import HIDDEN, Result, column, computed
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.snapshot import Snapshot
from curator.store import responses as store_answers
from curator.store.texts import item_of, key_of
from curator.verbs.answers.extracted import (
    grader_among,
    questions_with_key,
    resolve_source,
    responses_in_pool,
)
from grading.answers import is_correct
from grading.ava.grader import FAMILY, candidate_item
from grading.readings import read_response, stated_score

STRING, PEOPLE = "string matching", "people"
STRINGS = "strings"  # the label of string matching
NO_VERDICTS = (
    "No answer has a majority of people's verdicts, so no check is compared with "
    "people. Give verdicts in the reader of Judge."
)


@dataclass(frozen=True)
class AnswerCheck:
    """A way to tell right answers from wrong: string matching or an AVA grader.

    ``label`` is short: a model's folder, in full where two are alike. It has
    ``checked`` this many of the answers and called ``right`` this many. A model calls
    an answer right if its score is above the ``threshold``. ``people`` compares the
    check with the majority of people's verdicts as the truth.
    """

    name: str = field(metadata=column(json="check"))
    label: str = field(metadata=HIDDEN)
    threshold: float | None
    checked: int
    right: int
    people: Confusion

    @property
    @computed()
    def share(self) -> float | None:
        """Share of the checked answers that it calls right; None without any."""
        return self.right / self.checked if self.checked else None


@dataclass(frozen=True)
class CheckedSystem:
    """A system's share of ``questions`` answered right, by check and by ``PEOPLE``.

    Only the answer in its first passage counts; a missing answer is wrong. None where
    one of its answers is undecided.
    """

    system: str
    questions: int
    accuracy: Mapping[str, float | None]


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """A distinct answer to a question, with the decisions of checks and people.

    It was extracted from the pool's passages ``passage_ids``, one of which is a
    system's first if ``in_first_passage``. ``right`` and ``scores`` are in the order of
    the checks, None where one has not decided or gives no score; ``people`` is the
    majority's decision, None without one.
    """

    question: Question
    answer: str
    passage_ids: tuple[str, ...]
    in_first_passage: bool
    right: tuple[bool | None, ...]
    scores: tuple[float | None, ...]
    people: bool | None = None

    @property
    def passages(self) -> int:
        return len(self.passage_ids)

    @property
    def passage_id(self) -> str:
        return self.passage_ids[0]

    @property
    def decisions(self) -> tuple[bool | None, ...]:
        """The decisions of the checks, then that of people."""
        return *self.right, self.people

    @property
    def words(self) -> Words:
        """Key of its verdicts; "" for the text of a question that was not published."""
        return self.question.query_id, self.question.text or "", self.answer


@dataclass(frozen=True, eq=False)
class QueryAnswers:
    """A query's distinct answers to its questions with a key, and their checks.

    ``first_answers`` are those in each system's first passage, None for a question that
    it does not answer. Questions that were not asked of the passage are left out.
    """

    questions: tuple[Question, ...]
    answers: tuple[CheckedAnswer, ...]
    first_answers: tuple[tuple[CheckedAnswer | None, ...], ...]


@dataclass(frozen=True, eq=False)
class AnswerChecks(Result[AnswerCheck], table="answers.check_tables"):
    """Checks on the distinct answers that one grader extracted for keyed questions.

    ``checks`` begin with string matching; ``pairs`` are every two of them, the second
    taken for the truth. ``agreements`` say how far each check's accuracies of systems
    are from people's, () where there are none to compare. ``judged`` counts the answers
    with a majority of people's verdicts.
    """

    source: str
    questions: int
    kept: int = field(metadata=column(json="kept_questions"))
    judged: int
    checks: tuple[AnswerCheck, ...]
    pairs: tuple[tuple[AnswerCheck, AnswerCheck, Confusion], ...] = field(
        metadata=HIDDEN
    )
    systems: tuple[CheckedSystem, ...]
    agreements: tuple[MeasureAgreement, ...]
    notes: tuple[str, ...]
    checked_answers: tuple[CheckedAnswer, ...] = field(repr=False, metadata=HIDDEN)

    @property
    @computed()
    def answers(self) -> int:
        return len(self.checked_answers)

    def differing(self, between: tuple[str, str] | None = None) -> list[CheckedAnswer]:
        """List the answers that some call right and others wrong, most passages first.

        ``between`` names the two to compare, checks or ``PEOPLE``; all by default.
        """
        names = [*(check.name for check in self.checks), PEOPLE]
        numbers = [names.index(name) for name in between or names]
        answers = (
            answer
            for answer in self.checked_answers
            if {True, False} <= {answer.decisions[number] for number in numbers}
        )
        return sorted(answers, key=lambda answer: -answer.passages)

    def unjudged(self, judged: Collection[Words]) -> list[CheckedAnswer]:
        """List the answers not among ``judged`` whose question has a text.

        Those in a system's first passage come first, because its accuracy by people
        needs all of these; then those of most passages.
        """
        answers = (
            answer
            for answer in self.checked_answers
            if answer.question.text is not None and answer.words not in judged
        )
        return sorted(
            answers, key=lambda answer: (not answer.in_first_passage, -answer.passages)
        )


def answer_checks(
    snapshot: Snapshot,
    source: str | None = None,
    graders: Sequence[str] | None = None,
) -> AnswerChecks:
    """Compare string matching, AVA graders and people on one grader's answers.

    Uses the verdicts that the viewer may see. ``source`` is an answering grader, by
    default the one with most answers to the questions with a key; ``graders`` are AVA
    graders, by default all that check its answers. Names may be abbreviated. Raises
    UnknownNameError, NoAnswerKeysError, and EvaluationError without answers.
    """
    record = resolve_source(snapshot, source)
    models = checking = tuple(
        model
        for model in snapshot.gradebook.records
        if model.spec.reading.answers_of == record.spec.responder.key
    )
    if graders is not None:
        role = f"checks the answers of {record.name}"
        models = tuple(
            grader_among(snapshot, name, checking, role)
            for name in dict.fromkeys(graders)
        )
    key = ("answer checks", record.grader_id, *(model.grader_id for model in models))
    return snapshot.cached(key, lambda: _answer_checks(snapshot, record, models))


def _answer_checks(
    snapshot: Snapshot, source: GraderRecord, models: Sequence[GraderRecord]
) -> AnswerChecks:
    parts = [
        query_answers(snapshot, source, models, query_id)
        for query_id in snapshot.query_ids()
    ]
    majority = _majorities(snapshot)
    answers = tuple(
        replace(answer, people=majority[answer.words])
        if answer.words in majority
        else answer
        for part in parts
        for answer in part.answers
    )
    by_check: list[Decisions] = [
        [answer.right[number] for answer in answers]
        for number in range(len(models) + 1)
    ]
    by_people = [answer.people for answer in answers]
    checks = tuple(
        AnswerCheck(
            model.name if model else STRING,
            label,
            next(iter(model.spec.reading.thresholds), None) if model else None,
            len(decisions) - decisions.count(None),
            decisions.count(True),
            confusion_of(decisions, by_people),
        )
        for model, label, decisions in zip(
            (None, *models), _labels(source, models), by_check, strict=True
        )
    )
    names = [*(check.name for check in checks), PEOPLE]
    systems = []
    for number, system in enumerate(snapshot.collection.systems):
        first = [answer for part in parts for answer in part.first_answers[number]]
        rows = [
            (*answer.right, majority.get(answer.words))
            if answer
            else (False,) * len(names)
            for answer in first
        ]
        shares = [accuracy([row[check] for row in rows]) for check in range(len(names))]
        by_name = dict(zip(names, shares, strict=True))
        systems.append(CheckedSystem(system, len(first), by_name))
    systems.sort(key=lambda row: (-(row.accuracy[STRING] or 0), row.system))
    judged = len(answers) - by_people.count(None)
    return AnswerChecks(
        source=source.name,
        questions=sum(len(part.questions) for part in parts),
        kept=sum(question.state == "kept" for question in snapshot.bank),
        judged=judged,
        checks=checks,
        pairs=tuple(
            (checks[i], checks[j], confusion_of(by_check[i], by_check[j]))
            for i, j in combinations(range(len(checks)), 2)
        ),
        systems=tuple(systems),
        agreements=_agreements(checks, systems),
        notes=_notes(source, checks, len(answers), judged),
        checked_answers=answers,
    )


def _labels(source: GraderRecord, models: Sequence[GraderRecord]) -> list[str]:
    full = [model.name.replace(f"+{source.name}", "") for model in models]
    short = [PurePath(label.removeprefix(FAMILY)).name or label for label in full]
    labels = (
        label if short.count(name) > 1 else name
        for name, label in zip(short, full, strict=True)
    )
    return [STRINGS, *labels]


def query_answers(
    snapshot: Snapshot,
    source: GraderRecord,
    models: Sequence[GraderRecord],
    query_id: str,
) -> QueryAnswers:
    """Return the cached checks of ``source``'s answers to one query's questions."""
    graders = (source, *models)
    versions = (snapshot.gradebook.cache_key(grader, query_id) for grader in graders)
    questions = snapshot.bank.questions_of(query_id)
    answers: QueryAnswers = snapshot.caches.query_answers.get(
        (*(grader.grader_id for grader in graders), query_id),
        (snapshot.collection.pools[query_id], questions, *chain(*versions)),
        lambda: _checked_answers(snapshot, source, models, query_id),
    )
    return answers


def _checked_answers(
    snapshot: Snapshot,
    source: GraderRecord,
    models: Sequence[GraderRecord],
    query_id: str,
) -> QueryAnswers:
    pool = snapshot.collection.pools[query_id]
    questions = questions_with_key(snapshot.bank.questions_of(query_id))
    firsts = pool.top[:, 0].tolist() if pool.depth else [GAP] * len(pool.top)
    first_positions = set(firsts)
    responses = {}
    if questions:
        responses = responses_in_pool(snapshot, source, query_id, questions)
    answers: list[CheckedAnswer] = []
    # By question, the answer in each passage, None where it gives none. A response
    # without words counts as not asked, as it does where a model checks the answers.
    answers_in: list[dict[int, CheckedAnswer | None]] = []
    for question in questions:
        by_position: dict[int, CheckedAnswer | None] = {}
        positions: defaultdict[str, list[int]] = defaultdict(list)
        for position, response in enumerate(responses.get(question.question_id, ())):
            if isinstance(response, str):
                positions[response].append(position)
            elif response == 0:
                by_position[position] = None
        stored = [
            _stored_scores(snapshot.connection, model, question, positions)
            for model in models
        ]
        key, choices = key_of(question), question.choices
        for answer, positions_of in positions.items():
            right: list[bool | None] = [is_correct(answer, key, choices=choices)]
            scores: list[float | None] = [None]
            for model, raw_scores in zip(models, stored, strict=True):
                raw = raw_scores.get(answer, "")
                score, decision = stated_score(raw), None
                if score is not None:  # an unreadable score gives no decision
                    decision = bool(read_response(model.spec.reading, raw))
                scores.append(score)
                right.append(decision)
            checked = CheckedAnswer(
                question,
                answer,
                tuple(pool.passage_ids[position] for position in positions_of),
                not first_positions.isdisjoint(positions_of),
                tuple(right),
                tuple(scores),
            )
            answers.append(checked)
            by_position |= dict.fromkeys(positions_of, checked)
        answers_in.append(by_position)
    # A system that retrieves nothing answers nothing.
    first_answers = tuple(
        tuple(row[first] for row in answers_in if first in row)
        if retrieved
        else (None,) * len(questions)
        for first, retrieved in zip(firsts, pool.retrieved(1).tolist(), strict=True)
    )
    return QueryAnswers(questions, tuple(answers), first_answers)


def _stored_scores(
    connection: sqlite3.Connection,
    model: GraderRecord,
    question: Question,
    answers: Iterable[str],
) -> dict[str, str]:
    """Stored scores of the answers, under the current answer key."""
    if question.text is None:
        return {}
    candidates = {
        candidate_item(item_of(question), answer): answer for answer in answers
    }
    stored = store_answers.scores_of(
        connection,
        store_answers.responder_with_key(connection, model.spec.responder.key),
        store_answers.stored_key_id(connection, key_of(question)),
        candidates,
    )
    return {candidates[item]: raw for item, raw in stored.items()}


def _majorities(snapshot: Snapshot) -> dict[Words, bool]:
    return {
        (query_id, words[0] or "", words[1]): value == "right"
        for query_id, verdicts in snapshot.bank.verdicts.items()
        for words, value in final_values(
            "verdict",
            verdicts,
            snapshot.decisions(snapshot.bank).get(query_id, ()),
            snapshot.bank.questions_of(query_id),
        ).items()
    }


def _agreements(
    checks: Sequence[AnswerCheck], systems: Sequence[CheckedSystem]
) -> tuple[MeasureAgreement, ...]:
    """Each check's accuracies against people's, over the systems that have both."""
    decided = [each.accuracy for each in systems if each.accuracy[PEOPLE] is not None]
    agreements = []
    for check in checks if decided else ():
        shares = [(each[check.name], each[PEOPLE]) for each in decided]
        pairs = [(a, b) for a, b in shares if a is not None and b is not None]
        by_check, by_people = ([pair[side] for pair in pairs] for side in (0, 1))
        agreements.append(measure_agreement(check.name, by_check, by_people))
    return tuple(agreements)


def _notes(
    source: GraderRecord,
    checks: Sequence[AnswerCheck],
    answers: int,
    judged: int,
) -> tuple[str, ...]:
    notes = []
    if len(checks) == 1:
        notes.append(
            "No AVA grader has scored these answers. Train a model with `curator ava "
            "train`, then run `curator grade WORKSPACE --grader "
            f"'ava:FOLDER+{source.name}'`."
        )
    notes += [
        f"{check.name} has not scored {counted(answers - check.checked, 'answer')}: "
        f"run `curator grade WORKSPACE --grader '{check.name}'`."
        for check in checks
        if check.checked < answers
    ]
    if not judged:
        notes.append(NO_VERDICTS)
    elif judged < answers:
        notes.append(
            f"Comparisons with people use {judged:,} of {counted(answers, 'answer')}: "
            "those with a majority of verdicts. If most of these are answers on which "
            "checks differ, they do not show how good a check is on all answers."
        )
    return tuple(notes)
