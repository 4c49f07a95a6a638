"""n-EXAM: answers of systems relative to those of a human-edited gold article.

Some questions are beyond the grader or miss the query, which lowers every EXAM.
A gold article written for the query shows what could be reached. A clearly written
ranking may pass it, so scores above 1 are no error.

    n-EXAM(S) = sum_q EXAM(S, q) / sum_q EXAM(gold, q)

Both sums are over the queries with a gold article. EXAM of a ranking is its Cover
of the first k passages, EXAM of an article the Cover of all its passages.

Source: Sander & Dietz 2021, section 3.1.3 and Table 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from curator.evaluation.grades import GradedQuery
from curator.evaluation.measures.cover import Cover
from curator.evaluation.measures.measure import (
    NO_GRADES,
    Documented,
    Grades,
    Name,
    Row,
)

STAR = "⋆"
STAR_MEANS = (
    f"{STAR} comparable to the gold articles: above them, or below by no more than its "
    "own standard error"
)


@dataclass(frozen=True, eq=False)
class ExamRow(Row):
    """A query's EXAM of every system, and of its gold article.

    ``gold`` of the ``denominator`` items are known to be answered by the article,
    ``gold_upper`` would be if all its unknown grades were correct.
    """

    gold: int = 0
    gold_upper: int = 0


class NExam(Cover):
    """EXAM as a multiple of the gold articles' EXAM, 0 or more.

    The gold articles' mean belongs to all queries together, so a query's row is its
    EXAM and becomes n-EXAM in ``select_rows``. Effects of an item within its query
    are on the scale of EXAM, too.
    """

    place = 60
    names = (
        Name(
            "n-exam",
            "Cover of the system over Cover of the query’s gold article",
            "n-EXAM",
        ),
    )
    needs = "gold"
    offered = compared = ("n-exam",)
    cut_off = "settings"
    highest = None
    starred = True
    by_query = False  # the gold articles change the scores of all queries
    documented = (
        Documented(
            "n-EXAM",
            "Σ EXAM(system) / Σ EXAM(gold article)",
            "Sander & Dietz 2021",
            "by hand; every completion; [EXAM](exam.md)",
        ),
    )

    def row(self, graded: GradedQuery) -> Row:
        """Compute EXAM of the query; an ExamRow if it has a gold article."""
        row = super().row(graded)
        if graded.gold is None:
            return row
        answered, unknown = graded.gold >= self.threshold, graded.gold < 0
        return ExamRow(
            **vars(row),
            gold=int(answered.any(axis=1).sum()),
            gold_upper=int((answered | unknown).any(axis=1).sum()),
        )

    def flips(self, graded: GradedQuery) -> None:
        """None: a grade of the gold article changes every query."""

    def overall(self, graded: GradedQuery) -> None:
        """None: the pool is no system."""

    def select_rows(self, rows: Mapping[str, Row]) -> tuple[dict[str, Row], str]:
        """Convert rows with a gold article to multiples of the mean gold EXAM.

        A query's n-EXAM is EXAM(S, q) / mean gold EXAM, so the mean over queries is the
        ratio of the sums, and the standard error that of EXAM over mean gold. Fractions
        stay fractions, so equal scores tie. The score uses known grades; ``lower`` is
        the lowest EXAM over the highest of gold, ``upper`` the reverse. No rows without
        gold articles or where they answer nothing.
        """
        exams = {
            query_id: row for query_id, row in rows.items() if isinstance(row, ExamRow)
        }
        if not exams:
            return {}, (
                "n-EXAM needs gold articles, and no query scored here has one. Import "
                "them with `curator import WORKSPACE --gold FILE`, or use the measure "
                "cover."
            )
        gold = sum(Fraction(row.gold, row.denominator) for row in exams.values())
        highest = sum(
            Fraction(row.gold_upper, row.denominator) for row in exams.values()
        )
        if not gold:
            why = "of the bank; lower the minimum rating or use the measure cover"
            if highest:
                why = (
                    "as far as they are graded; `curator grade WORKSPACE --grader "
                    "NAME` grades them, unless NAME was imported"
                )
            return {}, (
                f"n-EXAM is undefined: the gold articles answer no question {why}."
            )
        factor, lowest = float(len(exams) / gold), float(len(exams) / highest)
        without = len(rows) - len(exams)
        have = "has" if without == 1 else "have"
        note = (
            f"{without} of {len(rows)} queries {have} no gold article: not in the mean."
        )
        return {
            query_id: _multiple(row, factor, lowest) for query_id, row in exams.items()
        }, note if without else ""

    def grades(self, graded: GradedQuery, row: Row) -> Grades:
        """Count grades, including those of the gold article."""
        if graded.gold is None:
            return NO_GRADES
        apart = graded.gold[:, np.isin(graded.pool.gold, graded.pool.gold_only)]
        complete = (graded.ratings >= 0).all(axis=1) & (graded.gold >= 0).all(axis=1)
        return Grades(
            graded.needed + apart.size,
            graded.known + int((apart >= 0).sum()),
            row.denominator,
            int(complete.sum()),
        )


def _multiple(row: ExamRow, factor: float, lowest: float) -> Row:
    """Multiply the row by ``factor``, its lower bounds by ``lowest``."""
    score = row.score * factor
    upper = score if row.upper is row.score else np.asarray(row.upper) * factor
    return Row(
        score,
        score if lowest == factor else row.score * lowest,
        upper,
        row.numerator,
        row.upper_numerator,
        row.denominator,
        factor=factor,
        lower_factor=lowest,
    )
