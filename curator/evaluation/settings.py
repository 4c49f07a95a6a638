"""Settings under which a number was computed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

By = Literal["query", "subtopic"]
Label = Literal["max", "mean", "top3", "answered"]
ReadingKind = Literal["rated", "answered", "keyed", "direct"]

HIGHEST_LABEL: dict[ReadingKind, int] = {
    "rated": 5,
    "answered": 1,
    "keyed": 1,
    "direct": 3,
}
"""The top of each grader's scale; direct grades have no one scale."""

DEFAULT_MEASURE = "cover"
DEFAULT_MIN_RATING = 4
DEFAULT_K = 20
DEFAULT_MIN_ANSWERED = 1
DEFAULT_LABEL: Label = "max"

SAME_LABEL = 1e-9  # far below what one grade does to a mean, far above rounding

FIRST_GRADER = "instant"
FIRST_MEASURE = "nDCG@10"
"""Measure of the first board of a bank of questions; of nuggets it is Cover."""

JUDGMENTS = "judgments"
"""The grader of a board that the official judgments make, as ``judgments:P@10``."""

OFFICIAL = "official"
"""The measure, and the grader, of the official leaderboard itself."""


@dataclass(frozen=True, slots=True)
class LabelRule:
    """Rule by which a passage's ratings on the active items make its label.

    ``max`` is the rating of place ``min_answered`` from the top, ``mean`` the mean of
    all and ``top3`` that of the three best (of all if there are fewer), in which
    unknown ones count 0; ``answered`` counts the items rated ``min_rating`` or more.
    """

    label: Label = "max"
    min_answered: int = 1
    min_rating: int = DEFAULT_MIN_RATING

    @property
    def fractional(self) -> bool:
        """True if labels of this rule may be fractions."""
        return self.label in ("mean", "top3")


BEST_RATING = LabelRule()
"""Farzi & Dietz 2024, equation 3."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Grader, measure and thresholds of a board; hashable, so usable as a cache key.

    ``min_rating`` (0-5) is the lowest correct rating, or under a grader of passages the
    lowest relevant level. ``k`` is the number of passages of a ranking that a measure
    without a cut-off in its name looks at, such as Cover; ``P@10`` uses its own
    cut-off. ``min_answered`` is the number of items that a relevant passage has to
    answer: its label is its rating of that place, the highest for 1. ``by`` is the unit
    of the mean of a board: queries, or pairs of query and subtopic, each pair alike.
    ``questions`` is the group of questions that count, all of them for "". ``label`` is
    the rule by which a passage's ratings make its label; ``min_answered`` is 1 under
    those that make a mean.
    """

    grader: str
    measure: str = DEFAULT_MEASURE
    min_rating: int = DEFAULT_MIN_RATING
    k: int = DEFAULT_K
    min_answered: int = DEFAULT_MIN_ANSWERED
    by: By = "query"
    label: Label = DEFAULT_LABEL
    questions: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the settings as commands print them."""
        # The grader of a board of judgments says so already.
        measure = judged_measure(self.measure) or self.measure
        return {**settings_fields(self), "measure": measure, "label": self.label}

    @property
    def rule(self) -> LabelRule:
        """Rule of the labels; equal for settings whose labels cannot differ."""
        if self.label == "max":
            return LabelRule(min_answered=self.min_answered)
        if self.label == "answered":
            return LabelRule("answered", min_rating=self.min_rating)
        return LabelRule(self.label)

    def relevant_from(self, reading: ReadingKind = "rated") -> int:
        """Return the lowest label of a relevant passage under this kind of grader.

        The default fits settings whose ``min_rating`` is already their grader's.
        """
        if self.label == "answered":
            return self.min_answered
        return correct_from(reading, self.min_rating)


def settings_fields(settings: Settings) -> dict[str, Any]:
    """Return the settings as written to files; newer fields only if not the default."""
    fields = asdict(settings)
    # Older files lack these fields and mean these values.
    usual = {"min_answered": 1, "by": "query", "label": "max", "questions": ""}
    return {n: v for n, v in fields.items() if n not in usual or v != usual[n]}


def judged_measure(measure: str) -> str | None:
    """Return the measure in ``judgments:<measure>``; None for any other name."""
    family, _, judged = measure.partition(":")
    return judged or None if family == JUDGMENTS else None


def default_min_rating(reading: ReadingKind) -> int:
    """Return the cut of a grader of this kind where none is given.

    1 for answered or not, and for a relevance grade (Thom's "relevant at 1 or better").
    """
    return DEFAULT_MIN_RATING if reading == "rated" else 1


def correct_from(reading: ReadingKind, min_rating: int) -> int:
    """Return the rating from which an item is correct, or a passage relevant.

    That is ``min_rating``, at most 1 for graders that only say correct or not.
    """
    return min_rating if reading in ("rated", "direct") else min(min_rating, 1)
