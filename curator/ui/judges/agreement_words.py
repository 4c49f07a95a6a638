"""How far judges agree, in sentences and rows.

The words for a coefficient are those of Landis & Koch 1977, who proposed them for
kappa; they are a habit of the field and no test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.collection.pools import Collection
from curator.evaluation.vote_agreement import PairAgreement, VoteAgreement
from curator.ui.shared import words
from curator.ui.shared.parts import Part, Sentence
from curator.verbs.judges.agreement import Disagreement, Judges

BANDS = (
    (0.0, "no more than by chance"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
SYMBOLS = {"Cohen's kappa": "κ", "Krippendorff's alpha": "α"}
LONE = (
    "So far nobody else has voted on a question that you have voted on. With a second "
    "judge’s votes, agreement and disagreements stand here."
)
NOT_VOTED = (
    "Vote first: how others voted on a question is shown once you have voted on it, "
    "and what judges agree on is counted over these."
)
SCALE = "1 is full agreement, 0 is what chance would give."


@dataclass(frozen=True, slots=True)
class SplitRow:
    """A question that judges see differently."""

    question_id: str
    query_id: str
    text: str
    sides: str
    query: str


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two judges: how many questions both voted on, how many alike, kappa."""

    pair: str
    questions: str
    alike: str
    kappa: str
    note: str


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge's votes among the questions that the reader has voted on."""

    judge: str
    vital: int
    okay: int


def agreement_sentence(found: VoteAgreement) -> Sentence:
    """``κ .412, moderate agreement of 2 judges over 37 questions; 28 alike (76 %).``"""
    over = (
        f"{words.count(len(found.judges), 'judge')} over "
        f"{words.count(found.questions, 'question')}"
    )
    alike = ""
    if found.questions:
        alike = (
            f" All voted alike on {found.same:,} "
            f"({words.percent(found.same / found.questions)})."
        )
    if found.value is None:
        return (Part(f"{found.note}{alike}"),)
    value = f"{SYMBOLS[found.coefficient]} {words.score(found.value)}"
    return (Part(value, "strong"), Part(f", {band(found.value)}: {over}.{alike}"))


def band(value: float) -> str:
    """``moderate agreement``, by Landis & Koch's bands; 0 and below is by chance."""
    for top, name in BANDS:
        if value <= top:
            return f"{name} agreement" if top else f"agreement {name}"
    return f"{BANDS[-1][1]} agreement"


def coefficient_note(found: VoteAgreement) -> str:
    """What the number is, in plain words."""
    judged = "two judges" if len(found.judges) == 2 else "several judges"
    return f"{found.coefficient}, for {judged}: {SCALE}"


def pair_rows(pairs: Sequence[PairAgreement]) -> tuple[PairRow, ...]:
    """Every two judges who voted on the same questions."""
    return tuple(
        PairRow(
            f"{one.first}, {one.second}",
            f"{one.questions:,}",
            f"{one.same:,}",
            words.score(one.kappa),
            one.note,
        )
        for one in pairs
    )


def split_rows(
    found: Sequence[Disagreement], collection: Collection
) -> tuple[SplitRow, ...]:
    """The questions on which judges differ, in the order given."""
    names = {query.query_id: query.name for query in collection.queries}
    return tuple(
        SplitRow(
            question_id=one.question.question_id,
            query_id=one.question.query_id,
            text=one.question.title,
            sides=f"vital: {', '.join(one.vital)} · okay: {', '.join(one.okay)}",
            query=names.get(one.question.query_id, one.question.query_id),
        )
        for one in found
    )


def judge_rows(judges: Judges) -> tuple[JudgeRow, ...]:
    """Everybody's votes as far as they may be seen."""
    return tuple(JudgeRow(one.judge, one.vital, one.okay) for one in judges.judges)
