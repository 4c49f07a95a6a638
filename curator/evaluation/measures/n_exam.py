"""n-EXAM: what systems answer, measured by what a human-edited gold article answers.

Some questions are beyond the grader or miss the query, which lowers everybody's EXAM.
A gold article written for the query shows what could be reached. A clearly written
ranking may pass it, so scores above 1 are no error.

    n-EXAM(S) = sum_q EXAM(S, q) / sum_q EXAM(gold, q)

Both sums go over the queries that have a gold article. EXAM of a ranking is its Cover
of the first k passages, EXAM of an article the Cover of all its passages.

Source: Sander & Dietz 2021, section 3.1.3 and Table 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.cover import Cover
from curator.evaluation.rows import Row

STAR = "⋆"
STAR_MEANS = (
    f"{STAR} comparable to the gold articles: above them, or below by no more than its "
    "own standard error"
)


class NExamUndefinedError(EvaluationError):
    """There is no gold article, or the gold articles answer nothing."""


@dataclass(frozen=True, eq=False)
class ExamRow(Row):
    """A query's EXAM of every system, and of its gold article.

    ``gold`` of the ``denominator`` items are known to be answered by the article,
    ``gold_upper`` are if every unknown grade of it says so. Both rest on ``known`` of
    ``needed`` grades, the article's included, and all of ``whole`` items are known.
    """

    gold: int = 0
    gold_upper: int = 0
    needed: int = 0
    known: int = 0
    whole: int = 0


@dataclass(frozen=True, slots=True)
class NExam:
    """EXAM as a multiple of the gold articles' EXAM, 0 or more.

    The gold articles' mean belongs to all queries together, so a query's row is its
    EXAM and becomes n-EXAM in ``over_gold``. What an item does within its query is
    told on the scale of EXAM, too.
    """

    threshold: int
    depth: int | None

    @property
    def name(self) -> str:
        return "n-exam"

    @property
    def cover(self) -> Cover:
        """The measure that is set in relation: EXAM."""
        return Cover(self.threshold, self.depth)

    def row(self, graded: GradedQuery) -> Row:
        """EXAM of the query; an ExamRow where it has a gold article."""
        row = self.cover.row(graded)
        if graded.gold is None:
            return row
        gold = graded.gold
        apart = gold[:, np.isin(graded.pool.gold, graded.pool.gold_only)]
        whole = (graded.ratings >= 0).all(axis=1) & (gold >= 0).all(axis=1)
        return ExamRow(
            row.score,
            row.lower,
            row.upper,
            row.numerator,
            row.upper_numerator,
            row.denominator,
            gold=int((gold >= self.threshold).any(axis=1).sum()),
            gold_upper=int(((gold >= self.threshold) | (gold < 0)).any(axis=1).sum()),
            needed=graded.needed + apart.size,
            known=graded.known + int((apart >= 0).sum()),
            whole=int(whole.sum()),
        )

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """(items, systems): EXAM of the query if that item were not in the bank."""
        return self.cover.without_each(graded)

    def flips(self, graded: GradedQuery) -> None:
        """Nothing: a grade of the article read otherwise moves every query's score."""


def over_gold(rows: Mapping[str, Row]) -> dict[str, Row]:
    """The rows of the queries with a gold article, as multiples of its mean EXAM.

    A query's n-EXAM is EXAM(S, q) / mean gold EXAM, so the mean over queries is the
    ratio of the sums, and the standard error that of EXAM over mean gold. Fractions
    stay fractions, so equal scores tie. Unknown grades: the score rests on the known
    ones; ``lower`` is the lowest EXAM over the highest of gold, ``upper`` the other
    way round.

    Raises NExamUndefinedError without gold articles or where they answer nothing.
    """
    exams = {q: row for q, row in rows.items() if isinstance(row, ExamRow)}
    if not exams:
        raise NExamUndefinedError(
            "n-EXAM needs gold articles, and no query scored here has one: `curator "
            "import WORKSPACE --gold FILE` brings them, or choose the measure cover."
        )
    known = sum_of((row.gold, row.denominator) for row in exams.values())
    highest = sum_of((row.gold_upper, row.denominator) for row in exams.values())
    if not known:
        why = (
            "as far as they are graded; `curator grade WORKSPACE --grader NAME` grades "
            "them, unless NAME was imported"
            if highest
            else "of the bank; lower the minimum rating or choose the measure cover"
        )
        raise NExamUndefinedError(
            f"n-EXAM is undefined: the gold articles answer no question {why}."
        )
    factor, lowest = float(len(exams) / known), float(len(exams) / highest)
    return {q: _multiple(row, factor, lowest) for q, row in exams.items()}


def sum_of(fractions: Iterable[tuple[int, int]]) -> Fraction:
    """The sum of (numerator, denominator) pairs."""
    return sum((Fraction(*one) for one in fractions), Fraction(0))


def _multiple(row: ExamRow, factor: float, lowest: float) -> Row:
    """The row times ``factor``, its lower bounds times ``lowest``."""
    score = row.score * factor
    upper = score if row.upper is row.score else np.asarray(row.upper) * factor
    return Row(
        score,
        score if lowest == factor else row.score * lowest,
        upper,
        row.numerator,
        row.upper_numerator,
        row.denominator,
        lower_numerator=row.numerator,
        factor=factor,
        lower_factor=lowest,
    )
