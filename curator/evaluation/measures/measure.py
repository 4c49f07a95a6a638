"""Base classes of measures: rows of scores and the description of a measure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.settings import BEST_RATING, LabelRule

Scores = NDArray[np.float64]  # (systems,)
Counts = NDArray[np.int64]  # (systems,)

CutOff = Literal["settings", "name", "optional", "none"]
Need = Literal["grades", "gold", "votes", "ideals", "citations"]

_NAME = re.compile(
    r"(?P<family>[\wα-]+)(?:\(rel=(?P<rel>[1-9])\))?(?:@(?P<k>[1-9]\d{0,5}))?",
    re.ASCII,
)


@dataclass(frozen=True, eq=False)
class Row:
    """A query's score for every system, with bounds by missing grades.

    ``lower`` and ``upper`` bound the score over all values of the missing grades; both
    are None for a measure without bounds. The numerators of score and upper bound are
    set if these are fractions of whole numbers: boards are then summed exactly, so that
    equal fractions tie and no bound cuts into its score. If a measure is a multiple of
    another, the same for all queries, the fractions are those of the other: score and
    upper bound are ``factor`` times theirs, the lower bound is the score's
    ``lower_factor`` times. Bounds are ``rounded`` if they are no fractions, but the
    score will be one once every grade is known.
    """

    score: Scores
    lower: Scores | None
    upper: Scores | None
    numerator: Counts | None = None
    upper_numerator: Counts | None = None
    denominator: int = 1
    factor: float = 1.0
    lower_factor: float = 1.0
    rounded: bool = False


def fraction_row(numerator: Counts, upper: Counts, denominator: int) -> Row:
    """Build the row of whole-number fractions; the score counts known grades only."""
    score = numerator / denominator
    closed = np.array_equal(numerator, upper)  # equal, so computed once
    above = score if closed else upper / denominator
    return Row(score, score, above, numerator, upper, denominator)


def unbounded_row(graded: GradedQuery, score: Scores) -> Row:
    """Build the row of a measure whose score missing grades may raise or lower."""
    bound = score if graded.known == graded.needed else None
    return Row(score, bound, bound)


class Name(NamedTuple):
    """A measure's name without its parameters.

    ``means`` is a clause with {first} in place of "the first 20 passages"; ``title`` is
    the name as written in a sentence, "" if unchanged.
    """

    family: str
    means: str
    title: str = ""


class Grades(NamedTuple):
    """Number of grades and items that a query's row needs, and of the known ones."""

    needed: int
    known: int
    items: int
    complete_items: int

    @property
    def without_items(self) -> Grades:
        """The counts without items, for boards that do not use questions."""
        return self._replace(items=0, complete_items=0)


NO_GRADES = Grades(0, 0, 0, 0)


class ScoredQuery(NamedTuple):
    """A query's row, its grades, and the score of the whole pool if any.

    ``excluded``: it is not in the mean. ``exclusion_input`` is for ``exclusions``.
    """

    row: Row
    grades: Grades
    overall: float | None
    excluded: bool
    exclusion_input: Any


@dataclass(frozen=True)
class Measure:
    """A measure: a number per system and query, with its names and description.

    A measure is a class in a module of this package, which finds it without
    registration. ``name`` is the name it is requested by, ``threshold`` the rating from
    which an answer is correct, ``depth`` the number of ranks it uses, None for the
    whole ranking, ``rule`` that of the labels. Lists, pages, reports, help and
    documentation use the attributes of the class.
    """

    name: str
    threshold: int
    depth: int | None
    rule: LabelRule = BEST_RATING

    place: ClassVar[int] = 500
    """Position in lists of measures, the lowest first."""
    names: ClassVar[tuple[Name, ...]] = ()
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names, absent from lists."""
    needs: ClassVar[Need] = "grades"
    """Data that a workspace needs for the measure to be offered."""
    offered: ClassVar[tuple[str, ...]] = ()
    """The names offered then."""
    compared: ClassVar[tuple[str, ...]] = ()
    """Those of them compared by default."""
    listed: ClassVar[str] = ""
    """Its names in a list of all measures, by default those offered."""
    cited: ClassVar[str] = ""
    """The paper that a report names for it."""
    source: ClassVar[str] = ""
    """Source of its definition, as docs/measures.md names it."""

    based_on: ClassVar[Literal["questions", "labels", "texts"]] = "questions"
    """The data of a query that decides its score; labels include official judgments."""
    cut_off: ClassVar[CutOff] = "name"
    """Where the cut-off is set; "optional": in the name, or none."""
    has_threshold: ClassVar[bool] = True
    """False if it uses texts, or ratings and labels as they are."""
    bounded: ClassVar[bool] = True
    """True if it has bounds when grades are missing."""
    highest: ClassVar[float | None] = 1.0
    """The highest score there can be, None without one; the lowest is 0."""
    starred: ClassVar[bool] = False
    """True if the gold articles score 1."""
    by_query: ClassVar[bool] = True
    """True if a query's row uses that query only, so an edit moves no other."""
    slow: ClassVar[bool] = False
    """True if rows are too slow to compute for every question of a page."""

    @classmethod
    def is_named(cls, family: str) -> bool:
        """Return True if a name without its parameters belongs to this measure."""
        families = {*(name.family for name in cls.names), *cls.aliases}
        return bool({family, family.lower()} & families)

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        """Return the measure of this name, or None if it belongs to another class.

        ``threshold`` is the rating from which an answer is correct, ``k`` the cut-off
        of the settings. Raises UnknownNameError for one of its names with invalid
        parameters.
        """
        match = _NAME.fullmatch(name)
        if match is None or not cls.is_named(match["family"]):
            return None
        rel, cut_off = (int(match[key]) if match[key] else None for key in ("rel", "k"))
        if not cls.has_threshold:
            threshold = 0
        if cls.cut_off == "settings":
            return None if rel or cut_off else cls(name.lower(), threshold, k)
        if cls.cut_off != "optional" and bool(cut_off) != (cls.cut_off == "name"):
            return None
        if rel and not cls.has_threshold:
            return None
        return cls(name, rel or threshold, cut_off)

    def with_label_rule(self, rule: LabelRule) -> Self:
        """Return the measure on labels of this rule; itself if it uses no labels."""
        if rule == BEST_RATING or self.based_on != "labels":
            return self
        return replace(self, rule=rule)

    @property
    def judge(self) -> str | None:
        """The only judge whose votes count, if any."""
        return None

    @property
    def without(self) -> tuple[str, ...]:
        """The judges whose votes are left out, by name."""
        return ()

    @property
    def previewed(self) -> bool:
        """True if the effect of changing each question is shown."""
        return self.based_on != "texts" and self.by_query and not self.slow

    def row(self, graded: GradedQuery) -> Row:
        """Score every system on the query."""
        raise NotImplementedError

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """(items, systems): the scores without each item in turn.

        NaN for the only item of a query, which would leave the measure.
        """
        items = len(graded.item_ids)
        if items < 2:
            return np.full((items, len(graded.pool.top)), np.nan)
        return self.scores_without_each(graded)

    def scores_without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """(items, systems): the scores without each of two or more items."""
        items = range(len(graded.item_ids))
        return np.stack([self.row(graded.without(item)).score for item in items])

    def scores_of_draws(
        self, graded: GradedQuery, drawn: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """(draws, systems): the scores if the bank were each of these draws.

        ``drawn`` is (draws, items of each), at least one; an item may occur twice.
        """
        return np.stack([self.row(graded.select_items(items)).score for items in drawn])

    def flips(self, graded: GradedQuery) -> NDArray[np.float64] | None:
        """(flips, systems): changes of the scores by one label read the other way.

        The scores of this query, of known grades, in no particular order and each
        change once or more; for Cover one grade read the other way. None if the measure
        does not offer it.
        """
        return None

    def overall(self, graded: GradedQuery) -> float | None:
        """Score the whole pool as one ranking, if defined."""
        return None

    def excludes(self, graded: GradedQuery) -> bool:
        """Return True if the query is not in the mean."""
        return False

    def exclusion_input(self, graded: GradedQuery) -> Any:
        """Return the query's input for ``exclusions``."""
        return None

    def exclusions(self, query_inputs: Sequence[Any]) -> tuple[bool, str]:
        """Return True if there is no board, and a sentence on left-out queries."""
        return False, ""

    def select_rows(self, rows: Mapping[str, Row]) -> tuple[dict[str, Row], str]:
        """Select the rows of the mean, with a sentence on those left out."""
        return dict(rows), ""

    def grades(self, graded: GradedQuery, row: Row) -> Grades:
        """Count the grades that the row needs."""
        items = len(graded.item_ids)
        return Grades(graded.needed, graded.known, items, graded.complete_items)

    def scored(self, graded: GradedQuery) -> ScoredQuery:
        """Return the query's row with its grades, cached for these grades."""

        def computed() -> ScoredQuery:
            row = self.row(graded)
            grades, overall = self.grades(graded, row), self.overall(graded)
            excluded, value = self.excludes(graded), self.exclusion_input(graded)
            return ScoredQuery(row, grades, overall, excluded, value)

        return graded.cached(("scored", self), computed)


class TextMeasure(Measure):
    """A measure that compares texts and uses no questions."""

    needs = "ideals"
    based_on = "texts"
    cut_off = "settings"
    has_threshold = False
    uses: ClassVar[str]
    """What it does, as a clause."""

    def row(self, graded: GradedQuery) -> NoReturn:
        self.refuse()

    def refuse(self) -> NoReturn:
        """Raise EvaluationError, because texts belong to no subtopic."""
        raise EvaluationError(
            f"{self.name} {self.uses}, so it has no scores by subtopic."
        )

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """Return NaN, because no question moves the score."""
        return np.full((len(graded.item_ids), len(graded.pool.top)), np.nan)


def require_items(graded: GradedQuery, name: str) -> None:
    """Raise EvaluationError for a direct grader and for a query without items."""
    if graded.reading == "direct":
        raise EvaluationError(
            f"{name} is undefined for a direct relevance grader: it grades the query, "
            "not questions. Use a measure on its labels, such as P@20."
        )
    if not graded.item_ids:
        raise EvaluationError(
            f"Query '{graded.query_id}' has no active question, so it has no score."
        )


def refuse_threshold(name: str, rule: LabelRule) -> None:
    """Raise EvaluationError for a mean of ratings cut at the rating of an answer.

    Such a mean hardly ever reaches it, so that nearly all labels, and scores, are 0. A
    name with its own threshold, ``P(rel=2)@20``, is taken at its word.
    """
    if rule.label == "mean" and "rel=" not in name:
        raise EvaluationError(
            f"{name} counts relevant passages, and a mean of ratings hardly "
            "ever reaches the rating of an answer. Use the label max, which is the "
            "best rating, or nDCG@10, or name a lower threshold: P(rel=2)@20."
        )
