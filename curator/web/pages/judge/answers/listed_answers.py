"""Which answers the Answers tab lists, and each as a row of its list. PURE.

Listed is where checks differ, or what this judge has not judged. Each choice has an
option's id, which the URL carries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from pathlib import PurePath
from typing import Any
from urllib.parse import urlencode

from curator.bank.edits.verdict import Words, verdict_by
from curator.bank.questions import Bank, Question
from curator.verbs.answers.answer_checks import (
    PEOPLE,
    STRING,
    AnswerCheck,
    AnswerChecks,
    CheckedAnswer,
    Mask,
)
from curator.web.components import html, words
from curator.web.pages.judge.answers.verdicts import controls

ANY = "any"  # where any two differ
UNJUDGED = "unjudged"
LISTED = 100  # answers; the rest is counted
WORDS = {
    False: (
        "Disagreements",
        "answers that not all call the same",
        "Nobody differs: on every answer all who have decided say the same.",
    ),
    True: (
        "Not judged by me",
        "answers that you have not judged",
        "No answer is left: you have judged every one.",
    ),
}
OPINION = {True: "right", False: "wrong", None: "not known"}
WORDS_SHOWN = 420  # characters of the passage an answer was found in


@dataclass(frozen=True)
class Listing:
    """The answers of one option. ``judged`` are those that this judge has judged.

    ``kept`` is listed among those not judged although it is: what was judged last.
    """

    found: AnswerChecks
    option: str
    between: tuple[str, str] | None
    judged: frozenset[Words]
    kept: frozenset[Words] = frozenset()

    @property
    def unjudged(self) -> bool:
        """Whether it lists what is not judged, and not where checks differ."""
        return self.option == UNJUDGED

    @property
    def words(self) -> tuple[str, str, str]:
        """What the list is called, what it counts by query, why it has nothing."""
        return WORDS[self.unjudged]

    def counts(self) -> dict[str, int]:
        """How many there are in each query with an answer."""
        return self.found.counts_by_query(self._which(self.judged))

    def answers(self, within: str | None) -> tuple[int, tuple[CheckedAnswer, ...]]:
        """How many, and the first ``LISTED``, of the query ``within`` or of all."""
        return self.found.list_answers(
            self._which(self.judged - self.kept),
            query_id=within,
            limit=LISTED,
            first_passages_first=self.unjudged,
        )

    def _which(self, judged: frozenset[Words]) -> Mask:
        if self.unjudged:
            return self.found.unjudged(judged)
        return self.found.differing(self.between)


def usual_option(found: AnswerChecks) -> str:
    """Where any two differ; with strings alone nobody does before a verdict."""
    return UNJUDGED if len(found.checks) == 1 else ANY


def options(labels: Mapping[str, str]) -> dict[str, str]:
    """What may be listed, in words by id."""
    pairs = {
        option: f"where {labels[a]} and {labels[b]} differ"
        for option, (a, b) in pairs_by_option(labels).items()
    }
    return {ANY: "where any two differ", **pairs, UNJUDGED: "not judged by me"}


def pairs_by_option(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Every two checks by their option. A name may have a | in it: that is escaped."""
    return {
        f"{_escaped(a)}|{_escaped(b)}": (a, b) for a, b in combinations(tuple(names), 2)
    }


def listed_words(listed: int, total: int, option: str) -> str:
    """``52``, ``100 of 1,204``, and which come first."""
    counts = f"{total:,}" if listed == total else f"{listed:,} of {total:,}"
    first = "in systems’ first passages" if option == UNJUDGED else "of most passages"
    return f"{counts}, those {first} first" if total > 1 else counts


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace("|", "%7C")


def check_labels(checks: Sequence[AnswerCheck]) -> dict[str, str]:
    """A short label by name: a model's folder, in full where two share its name."""
    short = {
        one.name: PurePath(one.label.removeprefix("ava:")).name or one.label
        for one in checks
    } | {STRING: "strings"}
    times = Counter(short[one.name] for one in checks)
    return {
        one.name: short[one.name] if times[short[one.name]] == 1 else one.label
        for one in checks
    } | {PEOPLE: PEOPLE}


def selected(
    answers: Sequence[CheckedAnswer], opened: str | None, fallback: int
) -> int:
    """The place of the answer with this id, else the last one up to ``fallback``."""
    ids = [answer_id(one.question, one.answer) for one in answers]
    return ids.index(opened) if opened in ids else min(fallback, len(ids) - 1)


def answer_row(
    one: CheckedAnswer,
    bank: Bank,
    judge: str,
    *,
    people: bool,
    number: int = 0,
    passage: str | None = None,
) -> dict[str, Any]:
    """An answer with what is said of it; the selected one has its ``passage``'s text.

    ``number`` is its question's. Without ``people`` there is only what the checks say.
    """
    mine = verdict_by(bank, one.question, one.answer, judge)
    opinions = [opinion(*each) for each in zip(one.right, one.scores, strict=True)]
    opinions += [opinion(one.people)] if people else []
    question = one.question
    place = {"query": question.query_id, "question": question.question_id}
    title = "Call it {}; again to take that back"
    return {
        "one": one,
        "number": number,
        "answer_id": answer_id(question, one.answer),
        "place": urlencode(place | {"passage": one.passage_id}),
        "encoded": html.encoded(one.answer),
        "key": " | ".join(question.answers),
        "where": f"in {words.count(one.passages, 'passage')}",
        "opinions": opinions,
        "mine": mine or "",
        "controls": controls(
            title, mine, with_keys=passage is not None, tell_keys=True
        ),
        "selected": passage is not None,
        "passage": "" if passage is None else passage_words(passage, one.answer),
    }


def opinion(right: bool | None, score: float | None = None) -> dict[str, Any]:
    """What one check or people say, its score where there is one, and both in words."""
    value = "" if score is None else words.score(score, 2)
    return {
        "right": right,
        "score": value,
        "words": f"{OPINION[right]} {value}".strip(),
    }


def answer_id(question: Question, answer: str) -> str:
    """Names a question's answer in few letters."""
    both = f"{question.question_id}\0{answer}".encode("utf-8", "replace")
    return sha256(both).hexdigest()[:12]


def passage_words(text: str, answer: str) -> str:
    """The part of the passage around the answer's words, or its beginning."""
    flat = " ".join(text.split())
    at = flat.lower().find(" ".join(answer.lower().split()))
    start = max(0, at - WORDS_SHOWN // 2) if at >= 0 else 0
    part = flat[start : start + WORDS_SHOWN]
    end = "…" if start + len(part) < len(flat) else ""
    return ("…" if start else "") + part + end
