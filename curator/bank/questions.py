"""A question of the bank and the bank itself, as values."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import chain, count
from typing import Any, Literal

from curator.bank.marks import Check, Decision, Dismissal, Ideal, Note, Verdict, Votes
from curator.errors import UnknownNameError
from curator.results import Result

QuestionState = Literal["proposed", "kept", "retired"]
Kind = Literal["question", "nugget"]
Aggregator = Literal["OR", "AND"]


@dataclass(frozen=True, slots=True)
class Question:
    """One bank item: what a passage must answer to be relevant.

    ``text`` is None where a collection was published without its texts; such a
    question can be retired but not reworded. ``choices`` are (letter, text) pairs
    of a multiple-choice question, ``answers`` its gold answers; any of them answers it,
    or where the ``aggregator`` is AND, which only several can have, all together.
    ``revision`` grows by one with every change and is what a save must be based on.
    ``votes`` say how important judges find it; a vote is no change of the question.
    """

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
        """The text, or a stand-in that names the id where none was published."""
        if self.text is not None:
            return self.text
        return f"text not in the file · {self.question_id.rpartition('/')[2][:8]}"

    @property
    def by_model(self) -> bool:
        """Whether a model wrote it."""
        return self.state == "proposed" or '"generation"' in self.provenance


RESTRICTED = "Restricted: shown to organizers alone"
"""What stands in place of a text of a restricted query."""


@dataclass(frozen=True, slots=True)
class WithheldQuestion(Question):
    """A question of a restricted query: known by its id, its texts withheld.

    Its grades are found by the content keys of what is asked and of the answers, ""
    without any.
    """

    item_key: str = ""
    answers_key: str = ""

    @property
    def title(self) -> str:
        """That its text is not shown."""
        return RESTRICTED


def new_question_id(
    query_id: str, subtopic_id: str | None, text: str, taken: Iterable[str] = ()
) -> str:
    """``<query_id>/[<subtopic_id>/]<md5 of its first text>``, as Autograder banks do.

    ``taken`` are ids of this query already in use. A question that was reworded
    keeps its first id, so the plain id can be taken by another text; ``-2``, ``-3``
    and so on are appended then.
    """
    digest = hashlib.md5(text.encode("utf-8"), usedforsecurity=False).hexdigest()
    subtopic = "" if subtopic_id is None else f"{subtopic_id}/"
    plain = f"{query_id}/{subtopic}{digest}"
    used = set(taken)
    ids = chain([plain], (f"{plain}-{number}" for number in count(2)))
    return next(one for one in ids if one not in used)


def questions_by_query(questions: Iterable[Question]) -> dict[str, list[Question]]:
    """The questions of each query, in the order in which they came."""
    by_query: dict[str, list[Question]] = {}
    for question in questions:
        by_query.setdefault(question.query_id, []).append(question)
    return by_query


@dataclass(frozen=True)
class Bank(Result[Question], table="curate.bank_table"):
    """Every question of a workspace, by query, in the order they came in.

    ``done`` holds (query_id, judge) marks, ``ideals`` each query's ideal answers,
    ``verdicts`` what people say of answers to its questions, ``checks`` what they say
    of its passages, ``dismissals`` the next steps left alone, ``notes`` what is noted
    on its questions, ``decisions`` what holds where judges differ, ``titles`` each
    query's title under None and those of its subtopics by id. A bank never
    changes: edits make a new one that shares the queries they did not touch.
    """

    by_query: Mapping[str, tuple[Question, ...]] = field(default_factory=dict)
    done: frozenset[tuple[str, str]] = frozenset()
    ideals: Mapping[str, tuple[Ideal, ...]] = field(default_factory=dict)
    verdicts: Mapping[str, tuple[Verdict, ...]] = field(default_factory=dict)
    checks: Mapping[str, tuple[Check, ...]] = field(default_factory=dict)
    dismissals: Mapping[str, tuple[Dismissal, ...]] = field(default_factory=dict)
    notes: Mapping[str, tuple[Note, ...]] = field(default_factory=dict)
    decisions: Mapping[str, tuple[Decision, ...]] = field(default_factory=dict)
    titles: Mapping[str, Mapping[str | None, str]] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Question]:
        for questions in self.by_query.values():
            yield from questions

    def __len__(self) -> int:
        return sum(map(len, self.by_query.values()))

    @property
    def judged_marks(self) -> int:
        """How many votes, verdicts and checks there are: a judge may not see all."""
        votes = sum(len(question.votes) for question in self)
        beside = (*self.verdicts.values(), *self.checks.values())
        return votes + sum(map(len, beside))

    def of_query(self, query_id: str) -> tuple[Question, ...]:
        """The query's questions in every state; empty if it has none."""
        return self.by_query.get(query_id, ())

    def question(self, question_id: str) -> Question:
        """The question of this id. Raises UnknownNameError."""
        # Ids begin with their query's id in every published bank; look there first.
        for query_id in (question_id.partition("/")[0], *self.by_query):
            if found := self.find(query_id, question_id):
                return found
        raise UnknownNameError(
            f"No question '{question_id}' in this bank. "
            "`curator questions WORKSPACE` lists the ids."
        )

    def find(self, query_id: str, question_id: str) -> Question | None:
        """The query's question of this id, None where it has none."""
        for question in self.of_query(query_id):
            if question.question_id == question_id:
                return question
        return None

    def with_question(self, question: Question) -> Bank:
        """The bank with this question replaced, or appended to its query if new."""
        old = self.of_query(question.query_id)
        new = {q.question_id: q for q in old} | {question.question_id: question}
        return replace(
            self, by_query={**self.by_query, question.query_id: (*new.values(),)}
        )

    def without_question(self, query_id: str, question_id: str) -> Bank:
        """The bank as it was before this question was added."""
        kept = tuple(q for q in self.of_query(query_id) if q.question_id != question_id)
        return replace(self, by_query={**self.by_query, query_id: kept})

    def without_queries(self, query_ids: Container[str]) -> Bank:
        """The bank without the questions of these queries, and all that is said there.

        Marks of being done stay: they hold no words.
        """
        left: dict[str, Any] = {
            name: {
                one: many
                for one, many in getattr(self, name).items()
                if one not in query_ids
            }
            for name in ("by_query", *self.mark_fields())
        }
        return replace(self, **left)

    def differing(self, other: Bank) -> frozenset[str]:
        """The queries whose questions, or what people say there, are others there."""
        here, there = self.by_query, other.by_query
        found = {
            q for q in here.keys() | there.keys() if here.get(q) is not there.get(q)
        }
        for mine, theirs in (
            (self.verdicts, other.verdicts),
            (self.checks, other.checks),
            (self.decisions, other.decisions),
        ):
            if mine is not theirs:
                every: Iterable[str] = mine.keys() | theirs.keys()
                found |= {q for q in every if mine.get(q, ()) != theirs.get(q, ())}
        return frozenset(found)

    def ideals_of(self, query_id: str) -> tuple[Ideal, ...]:
        """The query's ideal answers that people have marked."""
        return self.ideals.get(query_id, ())

    def verdicts_of(self, query_id: str) -> tuple[Verdict, ...]:
        """What people say of answers to the query's questions, in any words of these.

        In the order of questions' ids, then of answers, then of judges.
        """
        return self.verdicts.get(query_id, ())

    def checks_of(self, query_id: str) -> tuple[Check, ...]:
        """What people say of the query's passages, in the order of time."""
        return self.checks.get(query_id, ())

    def dismissals_of(self, query_id: str) -> tuple[Dismissal, ...]:
        """The query's dismissed next steps, by key."""
        return self.dismissals.get(query_id, ())

    def decisions_of(self, query_id: str) -> tuple[Decision, ...]:
        """The query's decisions, by key."""
        return self.decisions.get(query_id, ())

    def notes_of(self, query_id: str) -> tuple[Note, ...]:
        """What judges noted on the query's questions: by question, then by judge."""
        return self.notes.get(query_id, ())

    @classmethod
    def mark_fields(cls) -> tuple[str, ...]:
        """Names of the fields that hold marks by query."""
        others = ("by_query", "done", "titles")
        return tuple(field.name for field in fields(cls) if field.name not in others)


def active(questions: Iterable[Question], item_kind: str) -> tuple[Question, ...]:
    """The kept questions that a grader of this kind of items is scored on."""
    return asked("kept", questions, item_kind)


def proposed(questions: Iterable[Question], item_kind: str) -> tuple[Question, ...]:
    """The proposed questions of a kind; they count for nothing until kept."""
    return asked("proposed", questions, item_kind)


def asked(
    state: QuestionState, questions: Iterable[Question], item_kind: str
) -> tuple[Question, ...]:
    """The questions in this state that a grader of this kind of items is asked about.

    Those of its own kind, under "any" questions and nuggets, under "query" none.
    """
    return tuple(
        q for q in questions if q.state == state and item_kind in (q.kind, "any")
    )


def kind_of_new(item_kind: str, questions: Iterable[Question]) -> Kind:
    """The kind of an item that is written among these, under a grader of this kind.

    A nugget under one of nuggets, and where one of any kind has nothing but nuggets.
    """
    only = item_kind == "any" and noun_of(active(questions, "any")) == "nugget"
    return "nugget" if only or item_kind == "nugget" else "question"


def kind_words(item_kind: str) -> str:
    """What a grader of this kind of items is asked about, as a sentence names it."""
    return "question or nugget" if item_kind == "any" else item_kind


def noun_of(questions: Iterable[Question]) -> str:
    """What one of these is called: question or nugget, "item" where both are there."""
    kinds = {question.kind for question in questions} or {"question"}
    return "item" if len(kinds) > 1 else kinds.pop()
