"""Questions and the bank."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, count
from typing import Any, ClassVar, Literal

from curator.bank.marks import (
    Check,
    Decision,
    Dismissal,
    Ideal,
    Note,
    RoundRules,
    Verdict,
    Votes,
)
from curator.errors import UnknownNameError
from curator.results import Result

QuestionState = Literal["proposed", "kept", "retired"]
Kind = Literal["question", "nugget"]
Aggregator = Literal["OR", "AND"]


@dataclass(frozen=True, slots=True)
class Question:
    """An item of the bank: a question that relevant passages must answer.

    ``text`` is None if a collection was published without its texts; such a question
    can be retired but not reworded. ``choices`` are (letter, text) pairs of a
    multiple-choice question, ``answers`` its gold answers; any of them answers it, or
    with the ``aggregator`` AND, which needs several, all of them together. ``revision``
    grows by one with every change, and a save must be based on it. ``votes`` are the
    judges' ratings of its importance, which do not change the revision.
    """

    columns: ClassVar = "query_id id=question_id subtopic_id kind state text"

    question_id: str
    query_id: str
    text: str | None
    kind: Kind = "question"
    state: QuestionState = "kept"
    subtopic_id: str | None = None
    choices: tuple[tuple[str, str], ...] = ()
    answers: tuple[str, ...] = ()
    provenance: str = "{}"
    revision: int = 1
    votes: Votes = ()
    aggregator: Aggregator = "OR"

    @property
    def title(self) -> str:
        """The text, or a placeholder with the id if none was published."""
        if self.text is not None:
            return self.text
        return f"text not in the file · {self.question_id.rpartition('/')[2][:8]}"

    @property
    def by_model(self) -> bool:
        return self.state == "proposed" or '"generation"' in self.provenance


RESTRICTED = "Restricted: shown to organizers alone"
"""Replaces every text of a restricted query."""


@dataclass(frozen=True, slots=True)
class WithheldQuestion(Question):
    """A question of a restricted query, without its texts.

    Its grades are found by the content keys of its item and its answers, "" for none.
    """

    item_key: str = ""
    answers_key: str = ""

    @property
    def title(self) -> str:
        return RESTRICTED


def new_question_id(
    query_id: str, subtopic_id: str | None, text: str, taken: Iterable[str] = ()
) -> str:
    """Return ``<query_id>/[<subtopic_id>/]<md5 of its first text>``, as in Autograder.

    ``taken`` are ids of this query already in use. A reworded question keeps its first
    id, so the plain id may be in use for another text; then ``-2``, ``-3`` and so on
    are appended.
    """
    digest = hashlib.md5(text.encode("utf-8"), usedforsecurity=False).hexdigest()
    subtopic = "" if subtopic_id is None else f"{subtopic_id}/"
    plain = f"{query_id}/{subtopic}{digest}"
    used = set(taken)
    ids = chain([plain], (f"{plain}-{number}" for number in count(2)))
    return next(question_id for question_id in ids if question_id not in used)


def questions_by_query(questions: Iterable[Question]) -> dict[str, list[Question]]:
    """Group questions by query, in the given order."""
    by_query: dict[str, list[Question]] = {}
    for question in questions:
        by_query.setdefault(question.query_id, []).append(question)
    return by_query


@dataclass(frozen=True)
class Bank(Result[Question], rows="questions"):
    """Every question of a workspace, by query, in order of arrival.

    ``marks`` holds all marks but votes, by kind and query, ``titles`` each query's
    title under None and those of its subtopics by id, ``rounds`` the norming rounds. A
    bank is immutable: edits make a new one that shares the unchanged queries.
    """

    by_query: Mapping[str, tuple[Question, ...]] = field(default_factory=dict)
    marks: Mapping[str, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)
    titles: Mapping[str, Mapping[str | None, str]] = field(default_factory=dict)
    rounds: Mapping[int, RoundRules] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Question]:
        return chain.from_iterable(self.by_query.values())

    def __len__(self) -> int:
        return sum(map(len, self.by_query.values()))

    @property
    def questions(self) -> tuple[Question, ...]:
        """All questions, in every state."""
        return tuple(self)

    @cached_property
    def done(self) -> frozenset[tuple[str, str]]:
        """The (query id, judge) of every done mark."""
        by_query = self.marks.get("done", {}).items()
        return frozenset((q, mark.judge) for q, marks in by_query for mark in marks)

    @property
    def revealed(self) -> frozenset[int]:
        """The norming rounds whose answers everyone may see."""
        return frozenset(id_ for id_, rules in self.rounds.items() if rules.revealed)

    def questions_of(self, query_id: str) -> tuple[Question, ...]:
        """Return the query's questions in every state; empty if it has none."""
        return self.by_query.get(query_id, ())

    def question(self, question_id: str) -> Question:
        """Return the question with this id. Raises UnknownNameError."""
        # Ids begin with their query's id in every published bank, so try that first.
        for query_id in (question_id.partition("/")[0], *self.by_query):
            if question := self.find(query_id, question_id):
                return question
        raise UnknownNameError(
            f"No question '{question_id}' in this bank. "
            "`curator questions WORKSPACE` lists the ids."
        )

    def find(self, query_id: str, question_id: str) -> Question | None:
        """Return the query's question with this id, or None."""
        for question in self.questions_of(query_id):
            if question.question_id == question_id:
                return question
        return None

    def title_of(self, question_id: str) -> str:
        """Return the question's title, or the id if it is not in the bank."""
        return next(
            (q.title for q in self if q.question_id == question_id), question_id
        )

    def with_question(self, question: Question) -> Bank:
        """Return the bank with this question replaced, or appended if it is new."""
        old = self.questions_of(question.query_id)
        new = {other.question_id: other for other in old} | {
            question.question_id: question
        }
        return replace(
            self, by_query={**self.by_query, question.query_id: (*new.values(),)}
        )

    def without_question(self, query_id: str, question_id: str) -> Bank:
        """Return the bank without this question."""
        kept = tuple(
            question
            for question in self.questions_of(query_id)
            if question.question_id != question_id
        )
        return replace(self, by_query={**self.by_query, query_id: kept})

    def without_queries(self, query_ids: Container[str]) -> Bank:
        """Return the bank without the questions and marks of these queries."""

        def remaining(by_query: Mapping[str, Any]) -> dict[str, Any]:
            return {
                query_id: values
                for query_id, values in by_query.items()
                if query_id not in query_ids
            }

        marks = {kind: remaining(by_query) for kind, by_query in self.marks.items()}
        return replace(self, by_query=remaining(self.by_query), marks=marks)

    def marks_of(self, kind: str, query_id: str) -> tuple[Any, ...]:
        """Return the query's marks of a kind, sorted."""
        return self.marks.get(kind, {}).get(query_id, ())

    def with_marks(self, kind: str, by_query: Mapping[str, Iterable[Any]]) -> Bank:
        """Return the bank with the marks of a kind replaced in these queries."""
        changed = {query_id: tuple(marks) for query_id, marks in by_query.items()}
        all_marks = {**self.marks.get(kind, {}), **changed}
        marks = {query_id: of for query_id, of in all_marks.items() if of}
        return replace(self, marks={**self.marks, kind: marks})

    @property
    def ideals(self) -> Mapping[str, tuple[Ideal, ...]]:
        """Ideal answers by query."""
        return self.marks.get("ideal", {})

    @property
    def verdicts(self) -> Mapping[str, tuple[Verdict, ...]]:
        """Verdicts on answers by query, current or not."""
        return self.marks.get("verdict", {})

    @property
    def checks(self) -> Mapping[str, tuple[Check, ...]]:
        """Checks of passages by query."""
        return self.marks.get("check", {})

    @property
    def decisions(self) -> Mapping[str, tuple[Decision, ...]]:
        """Decisions where judges differ, by query."""
        return self.marks.get("decision", {})

    def ideals_of(self, query_id: str) -> tuple[Ideal, ...]:
        return self.marks_of("ideal", query_id)

    def verdicts_of(self, query_id: str) -> tuple[Verdict, ...]:
        """Return the verdicts on answers to questions of the query, current or not.

        Sorted by question id, answer and judge.
        """
        return self.marks_of("verdict", query_id)

    def checks_of(self, query_id: str) -> tuple[Check, ...]:
        """Return the checks of the query's passages, by time."""
        return self.marks_of("check", query_id)

    def dismissals_of(self, query_id: str) -> tuple[Dismissal, ...]:
        """Return the query's dismissed next steps, by key."""
        return self.marks_of("dismissal", query_id)

    def decisions_of(self, query_id: str) -> tuple[Decision, ...]:
        return self.marks_of("decision", query_id)

    def notes_of(self, query_id: str) -> tuple[Note, ...]:
        """Return the notes on the query's questions, by question and judge."""
        return self.marks_of("note", query_id)


def active(questions: Iterable[Question], item_kind: str) -> tuple[Question, ...]:
    """Return the kept questions on which a grader of this kind of items is scored."""
    return questions_in_state("kept", questions, item_kind)


def proposed(questions: Iterable[Question], item_kind: str) -> tuple[Question, ...]:
    """Return the proposed questions of a kind; they do not count until kept."""
    return questions_in_state("proposed", questions, item_kind)


def questions_in_state(
    state: QuestionState, questions: Iterable[Question], item_kind: str
) -> tuple[Question, ...]:
    """Return the questions in this state that a grader of this kind grades.

    Those of its kind, for "any" questions and nuggets, for "query" none.
    """
    return tuple(
        question
        for question in questions
        if question.state == state and item_kind in (question.kind, "any")
    )


def kind_of_new(item_kind: str, questions: Iterable[Question]) -> Kind:
    """Return the kind of a new item among these, for a grader of this kind.

    A nugget for a grader of nuggets, and for one of any kind if all items are nuggets.
    """
    only_nuggets = item_kind == "any" and noun_of(active(questions, "any")) == "nugget"
    return "nugget" if only_nuggets or item_kind == "nugget" else "question"


def kind_noun(item_kind: str) -> str:
    """Return the noun for the items of a grader of this kind."""
    return "question or nugget" if item_kind == "any" else item_kind


def noun_of(questions: Iterable[Question]) -> str:
    """Return the noun for these items: question or nugget, "item" for both."""
    kinds = {question.kind for question in questions} or {"question"}
    return "item" if len(kinds) > 1 else kinds.pop()
