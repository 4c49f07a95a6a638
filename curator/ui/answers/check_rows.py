"""The Answers page's rows: checks, pairs of them, systems, answers and models. PURE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath

from curator.bank.edits.verdict import verdict_by
from curator.bank.marks import Correctness
from curator.bank.questions import Bank, Question
from curator.ui.shared import words
from curator.verbs.answers.answer_checks import (
    PEOPLE,
    STRING,
    AnswerChecks,
    Check,
    CheckedAnswer,
)

TICK = {True: "✓", False: "✗", None: "–"}
SAID = {True: "right", False: "wrong", None: "not known"}
WORDS_SHOWN = 420  # characters of the passage an answer was found in


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check and what it says, alone and against people's verdicts."""

    label: str
    name: str
    right: str
    judged: str
    precision: str
    recall: str
    f1: str
    kappa: str


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two checks: how many answers are right to both, one, the other, neither."""

    first: str
    second: str
    counts: tuple[str, str, str, str]
    same: str
    kappa: str


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system and its accuracy by each check, then by people where they judged."""

    system: str
    questions: str
    accuracies: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """How far a check's accuracies of systems are from people's."""

    label: str
    systems: str
    tau: str
    p: str
    rmse: str


@dataclass(frozen=True, slots=True)
class Saying:
    """What one check or people say: a mark, a score where there is one, in words."""

    mark: str
    score: str
    said: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An answer on which not all say the same. ``answer_id`` is short, for the URL."""

    answer_id: str
    query_id: str
    question_id: str
    revision: int
    passage_id: str
    answer: str
    question: str
    key: str
    where: str
    sayings: tuple[Saying, ...]
    mine: Correctness | None
    can_judge: bool
    selected: bool


def check_labels(checks: Sequence[Check]) -> dict[str, str]:
    """A short label by name: a model's folder, in full where two share its name."""
    short = {one.name: _short(one) for one in checks}
    times = Counter(short.values())
    return {
        one.name: short[one.name] if times[short[one.name]] == 1 else one.label
        for one in checks
    } | {PEOPLE: PEOPLE}


def about_words(found: AnswerChecks, source: str) -> str:
    """What all figures rest on; ``source`` is the answering grader's label."""
    answers = words.count(found.answers, "distinct answer")
    with_key = words.count(found.questions, "question")
    return f"{answers} of {source} to {with_key} with a key, of {found.kept:,} kept"


def check_rows(found: AnswerChecks, labels: Mapping[str, str]) -> tuple[CheckRow, ...]:
    """A row for each check, string matching first."""
    return tuple(
        CheckRow(
            labels[one.name],
            one.name,
            words.ratio(one.share),
            f"{one.people.answers:,}",
            words.score(one.people.precision, 2),
            words.score(one.people.recall, 2),
            words.score(one.people.f1, 2),
            words.score(one.people.kappa, 2),
        )
        for one in found.checks
    )


def pair_rows(found: AnswerChecks, labels: Mapping[str, str]) -> tuple[PairRow, ...]:
    """A row for every two checks."""
    return tuple(
        PairRow(
            labels[first],
            labels[second],
            (
                f"{counts.true_positives:,}",
                f"{counts.false_positives:,}",
                f"{counts.false_negatives:,}",
                f"{counts.true_negatives:,}",
            ),
            words.ratio(counts.agreement),
            words.score(counts.kappa, 2),
        )
        for first, second, counts in found.pairs
    )


def system_rows(found: AnswerChecks) -> tuple[SystemRow, ...]:
    """A row for each system; the last accuracy is by people, where they judged."""
    return tuple(
        SystemRow(
            one.system,
            f"{one.questions:,}",
            tuple(
                words.score(x)
                for x in (*one.by_check, *([one.by_people] if found.judged else []))
            ),
        )
        for one in found.systems
    )


def error_rows(found: AnswerChecks, labels: Mapping[str, str]) -> tuple[ErrorRow, ...]:
    """A row for each check, () where there is nothing of people's to compare."""
    return tuple(
        ErrorRow(
            labels[one.measure],
            f"{one.systems:,}",
            words.score(one.kendall),
            words.score(one.p),
            f"{words.score(one.rmse)} ± {words.score(one.sigma)}",
        )
        for one in found.agreements
    )


def answer_rows(
    answers: Iterable[CheckedAnswer],
    bank: Bank,
    judge: str,
    opened: str | None,
    fallback: int = 0,
    *,
    people: bool = True,
) -> tuple[AnswerRow, ...]:
    """A row for each; ``opened`` is selected, else the one at ``fallback``.

    Without ``people`` it tells only what the checks say.
    """
    listed = list(answers)
    ids = [answer_id(one.question, one.answer) for one in listed]
    at = ids.index(opened) if opened in ids else min(fallback, len(ids) - 1)
    return tuple(
        AnswerRow(
            answer_id=ids[number],
            query_id=one.question.query_id,
            question_id=one.question.question_id,
            revision=one.question.revision,
            passage_id=one.passage_id,
            answer=one.answer,
            question=one.question.title,
            key=" | ".join(one.question.answers),
            where=f"in {words.count(one.passages, 'passage')}",
            sayings=tuple(_saying(right, score) for right, score in _said(one, people)),
            mine=verdict_by(bank, one.question, one.answer, judge),
            can_judge=one.question.text is not None,
            selected=number == at,
        )
        for number, one in enumerate(listed)
    )


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
    return (
        ("…" if start else "") + part + ("…" if start + len(part) < len(flat) else "")
    )


def _short(check: Check) -> str:
    if check.name == STRING:
        return "strings"
    return PurePath(check.label.removeprefix("ava:")).name or check.label


def _said(
    one: CheckedAnswer, people: bool
) -> Iterable[tuple[bool | None, float | None]]:
    yield from zip(one.right, one.scores, strict=True)
    if people:
        yield one.people, None


def _saying(right: bool | None, score: float | None) -> Saying:
    shown = "" if score is None else words.score(score, 2)
    return Saying(TICK[right], shown, f"{SAID[right]} {shown}".strip(), right)
