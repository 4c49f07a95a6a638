"""What comes of comparing ways to check answers: tables, and answers to look at."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from curator.bank.edits.verdict import Words
from curator.bank.questions import Question
from curator.errors import UnknownNameError
from curator.evaluation.answer_checking import (
    RIGHT,
    UNKNOWN,
    WRONG,
    Confusion,
    Decisions,
    MeasureAgreement,
)
from curator.verbs.answers.checked_answers import QueryAnswers

STRING = "string matching"
PEOPLE = "people"
NO_VERDICTS = (
    "No answer has a majority of people's verdicts, so nothing is held against people: "
    "verdicts are given on the Answers and Passages pages."
)


@dataclass(frozen=True)
class Check:
    """A way to tell right answers from wrong: string matching or an AVA grader.

    ``label`` is the name without that of the grader whose answers are checked. Of all
    answers it has ``checked`` so many and called ``right`` so many. A model calls right
    what scores above the ``threshold``. ``people`` holds it against most people's
    verdicts, theirs second.
    """

    name: str
    label: str
    threshold: float | None
    checked: int
    right: int
    people: Confusion

    @property
    def share(self) -> float | None:
        """Share of what it has checked that it calls right; None for nothing."""
        return self.right / self.checked if self.checked else None


@dataclass(frozen=True)
class CheckedSystem:
    """A system's accuracy: its share of ``questions`` answered right.

    What counts is the answer in its first passage; one that gives none is wrong.
    ``by_check`` is in the order of the checks; None where one of its answers is not
    decided on, for ``by_people`` too.
    """

    system: str
    questions: int
    by_check: tuple[float | None, ...]
    by_people: float | None


@dataclass(frozen=True)
class CheckedAnswer:
    """A distinct answer to a question, and what everybody says of it.

    It was extracted from so many ``passages``; ``passage_id`` is the first of them.
    ``right`` and ``scores`` are in the order of the checks, None where one has not
    decided or gives no score; ``people`` is what most say, None without a majority.
    """

    question: Question
    answer: str
    passages: int
    passage_id: str
    right: tuple[bool | None, ...]
    scores: tuple[float | None, ...]
    people: bool | None


@dataclass(frozen=True)
class ListedAnswers:
    """Answers to look at: those on which not all say the same, or not yet judged.

    ``answers`` are the first of ``total``.
    """

    total: int
    answers: tuple[CheckedAnswer, ...]


@dataclass(frozen=True, eq=False)
class AnswerChecks:
    """Checks on the distinct answers that one grader extracted for keyed questions.

    ``checks`` begin with string matching; ``pairs`` are every two of them, the second
    taken for the truth. ``agreements`` say how far each check's
    accuracies of systems are from people's, () where there are none to compare.
    ``judged`` counts the answers with a majority of people's verdicts.
    """

    source: str
    questions: int
    kept: int
    answers: int
    judged: int
    checks: tuple[Check, ...]
    pairs: tuple[tuple[str, str, Confusion], ...]
    systems: tuple[CheckedSystem, ...]
    agreements: tuple[MeasureAgreement, ...]
    notes: tuple[str, ...]
    _parts: tuple[QueryAnswers, ...] = field(repr=False)
    _said: tuple[Decisions, ...] = field(repr=False)  # by check, then by people

    def disagreements(
        self,
        between: tuple[str, str] | None = None,
        *,
        query_id: str | None = None,
        limit: int | None = None,
    ) -> ListedAnswers:
        """Answers that some call right and some wrong, of those who have decided.

        ``between`` looks at two alone, by the names of checks or ``PEOPLE``. Those of
        most passages come first. Raises UnknownNameError for another name, and for a
        query there is not.
        """
        return self._listed(self._differ(between), query_id, limit)

    def unjudged(
        self,
        judged: Collection[Words],
        *,
        query_id: str | None = None,
        limit: int | None = None,
    ) -> ListedAnswers:
        """Answers that are not among ``judged`` and can be: the question has a text.

        Those in a system's first passage come first, since its accuracy by people
        rests on every one of them, then those of most passages. Raises
        UnknownNameError for a query there is not.
        """
        first = np.concatenate(
            [np.zeros(0, np.bool_), *(_in_first_passages(one) for one in self._parts)]
        )
        return self._listed(self._unjudged(judged), query_id, limit, first)

    def by_query(self, between: tuple[str, str] | None = None) -> dict[str, int]:
        """How many disagreements each query with an answer has, by query id."""
        return self._counts(self._differ(between))

    def unjudged_by_query(self, judged: Collection[Words]) -> dict[str, int]:
        """How many answers are not yet ``judged`` in each query with an answer."""
        return self._counts(self._unjudged(judged))

    def progress(self, judged: Collection[Words]) -> tuple[int, int]:
        """How many answers are among ``judged``, and how many can be."""
        can_be, to_do = (int(self._unjudged(x).sum()) for x in ((), judged))
        return can_be - to_do, can_be

    def _listed(
        self,
        which: NDArray[np.bool_],
        query_id: str | None,
        limit: int | None,
        first: NDArray[np.bool_] | None = None,
    ) -> ListedAnswers:
        if query_id not in (None, *(one.query_id for one in self._parts)):
            raise UnknownNameError(f"No query '{query_id}' in this workspace.")
        found, at = [], 0
        for part in self._parts:
            size = len(part.answers)
            if query_id in (None, part.query_id):
                numbers = np.flatnonzero(which[at : at + size]).tolist()
                found += [(part, number, at + number) for number in numbers]
            at += size
        found.sort(
            key=lambda one: (
                first is not None and not first[one[2]],
                -len(one[0].answers[one[1]].passage_ids),
            )
        )
        listed = found[:limit]
        return ListedAnswers(len(found), tuple(self._row(*one) for one in listed))

    def _counts(self, which: NDArray[np.bool_]) -> dict[str, int]:
        ends = np.cumsum([len(part.answers) for part in self._parts])
        return {
            part.query_id: int(one.sum())
            for part, one in zip(self._parts, np.split(which, ends[:-1]), strict=True)
            if part.answers
        }

    def _unjudged(self, judged: Collection[Words]) -> NDArray[np.bool_]:
        texts = (
            (part.query_id, part.questions[number].text, one.answer)
            for part in self._parts
            for one, number in zip(part.answers, part.asked, strict=True)
        )
        to_do = [text[1] is not None and text not in judged for text in texts]
        return np.array(to_do, dtype=np.bool_)

    def _differ(self, between: tuple[str, str] | None) -> NDArray[np.bool_]:
        names = [*(one.name for one in self.checks), PEOPLE]
        for name in between or ():
            if name not in names:
                raise UnknownNameError(
                    f"No check '{name}' here. There are: {', '.join(names)}."
                )
        said = [self._said[names.index(name)] for name in between or names]
        right, wrong = (
            np.logical_or.reduce([one == value for one in said])
            for value in (RIGHT, WRONG)
        )
        differ: NDArray[np.bool_] = right & wrong
        return differ

    def _row(self, part: QueryAnswers, number: int, place: int) -> CheckedAnswer:
        one = part.answers[number]
        *by_check, people = (_decision(said[place]) for said in self._said)
        found = [float(scores[number]) for scores in part.scores]
        return CheckedAnswer(
            part.questions[part.asked[number]],
            one.answer,
            len(one.passage_ids),
            one.passage_ids[0],
            tuple(by_check),
            tuple(None if np.isnan(score) else score for score in found),
            people,
        )


def _in_first_passages(part: QueryAnswers) -> NDArray[np.bool_]:
    """Which of the query's answers stand in the first passage of a system."""
    found = np.zeros(len(part.answers), dtype=np.bool_)
    found[part.firsts[part.firsts >= 0]] = True
    return found


def _decision(said: np.int8) -> bool | None:
    return None if said == UNKNOWN else bool(said == RIGHT)
