"""What every measure is: a row of scores a query, and all that is said of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray

from curator.collection.pools import Pool
from curator.errors import EvaluationError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.settings import BEST_RATING, LabelRule

Scores = NDArray[np.float64]  # (systems,)
Counts = NDArray[np.int64]  # (systems,)

Need = Literal["grades", "gold", "votes", "ideals", "citations"]

_PLAIN = re.compile(
    r"(?P<family>\w+)(?:\(rel=(?P<rel>[1-9])\))?(?:@(?P<k>[1-9]\d{0,5}))?", re.ASCII
)


@dataclass(frozen=True, eq=False)
class Row:
    """A query's score for every system, with what is left open by missing grades.

    ``lower`` and ``upper`` bound the score over everything the missing grades could
    say; both are None for a measure that has no bounds. The numerators of score and
    upper bound are there where these are fractions of whole numbers: boards are then
    summed exactly, so that equal fractions tie and no bound cuts into its score.
    Where a measure is a multiple of another, the same for all queries, the fractions
    are those of the other: score and upper bound are ``factor`` times theirs, the
    lower bound is the score's ``lower_factor`` times. Bounds are ``rounded`` where they
    are no fractions, but the score will be one once every grade is there.
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
    """The row of whole-number fractions; the score counts only what is known."""
    score = numerator / denominator
    closed = np.array_equal(numerator, upper)  # nothing to sum twice
    above = score if closed else upper / denominator
    return Row(score, score, above, numerator, upper, denominator)


def unbounded_row(graded: GradedQuery, score: Scores) -> Row:
    """The row of a measure whose score missing grades may move either way."""
    bound = score if graded.known == graded.needed else None
    return Row(score, bound, bound)


class Name(NamedTuple):
    """A measure's name without its parameters.

    ``means`` is a clause in which {first} stands for "the first 20 passages";
    ``title`` how the name is written in a sentence, "" for as it is.
    """

    family: str
    means: str
    title: str = ""


class Grades(NamedTuple):
    """How many grades and items a query's row rests on, and how many are known."""

    needed: int
    known: int
    items: int
    whole_items: int

    @property
    def without_items(self) -> Grades:
        """The same of a board that is not said to rest on questions."""
        return self._replace(items=0, whole_items=0)


NO_GRADES = Grades(0, 0, 0, 0)


class ScoredQuery(NamedTuple):
    """A query's row, what it rests on, and the score of the whole pool if any.

    ``leaves``: it is not in the mean. ``told`` is what ``left_out`` asks of it.
    """

    row: Row
    grades: Grades
    overall: float | None
    leaves: bool
    told: Any


class Documented(NamedTuple):
    """A line of the table in docs/measures.md."""

    number: str
    definition: str
    source: str
    checked_against: str


class Measure:
    """A number per system and query, and all that is said of it anywhere.

    A measure is a frozen dataclass in a module of this package, which nothing else
    has to name: the package finds it. Of its fields ``name`` is what it is asked for
    by, ``depth`` how many ranks it looks at, None for the whole ranking. What it says
    of itself stands in its class, and lists, pages, reports, help and documentation
    take it from there.
    """

    name: str
    depth: int | None

    place: ClassVar[int] = 500
    """Where it comes in lists of measures, the lowest first."""
    names: ClassVar[tuple[Name, ...]] = ()
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names, which no list has."""
    needs: ClassVar[Need] = "grades"
    """What a workspace has to have for it to be offered."""
    offered: ClassVar[tuple[str, ...]] = ()
    """The names that are worth offering then."""
    compared: ClassVar[tuple[str, ...]] = ()
    """Those of them that stand side by side where nobody has chosen."""
    usage: ClassVar[str] = ""
    """Its names as the command line's help has them."""
    listed: ClassVar[str] = ""
    """Its names as a list of all measures has them; "" to be left out."""
    cited: ClassVar[str] = ""
    """The paper that a report names for it."""
    documented: ClassVar[tuple[Documented, ...]] = ()

    rests_on: ClassVar[Literal["questions", "labels", "texts"]] = "questions"
    """What of a query decides its score; labels may as well be official judgments."""
    looks_at_k: ClassVar[bool] = False
    """Whether settings, and not its own name, say how deep it looks."""
    bounded: ClassVar[bool] = True
    """Whether it has bounds where grades are missing."""
    highest: ClassVar[float | None] = 1.0
    """The highest score there can be, None without one; the lowest is 0."""
    starred: ClassVar[bool] = False
    """Whether 1 is what the gold articles score."""
    by_query: ClassVar[bool] = True
    """Whether a query's row rests on that query alone, so an edit moves no other."""
    slow: ClassVar[bool] = False
    """Whether a row takes too long to compute one for every question of a page."""

    @classmethod
    def is_named(cls, family: str) -> bool:
        """Whether a name without its parameters is one of this measure's."""
        families = {*(name.family for name in cls.names), *cls.aliases}
        return bool({family, family.lower()} & families)

    @classmethod
    def named(cls, name: str, threshold: int, k: int) -> Self | None:
        """The measure of this name, None where it is not one of this class's.

        ``threshold`` is the rating from which an answer is correct, ``k`` how deep
        it looks where its name does not say. Raises UnknownNameError for one of its
        names with parameters there are not.
        """
        raise NotImplementedError

    def of_labels(self, rule: LabelRule) -> Self:
        """The measure on labels that this rule makes; itself without labels."""
        if rule == BEST_RATING or self.rests_on != "labels":
            return self
        changed: Self = replace(cast(Any, self), rule=rule)
        return changed

    @property
    def judge(self) -> str | None:
        """The judge whose votes alone decide it, where one's do."""
        return None

    @property
    def without(self) -> tuple[str, ...]:
        """The judges whose votes it leaves out, by name."""
        return ()

    @property
    def previewed(self) -> bool:
        """Whether it is said of every question what changing it would do."""
        return self.rests_on != "texts" and self.by_query and not self.slow

    def row(self, graded: GradedQuery) -> Row:
        """The query's score of every system."""
        raise NotImplementedError

    def scores_of_labels(self, labels: Scores, pool: Pool) -> Scores | None:
        """(draws, systems) under labels (draws, passages); None where it cannot say."""
        return None

    def without_each(self, graded: GradedQuery) -> NDArray[np.float64]:
        """(items, systems): the scores if that item were not in the bank.

        NaN for the only item of a query, which would leave the measure.
        """
        items = len(graded.item_ids)
        if items < 2:
            return np.full((items, len(graded.pool.top)), np.nan)
        return np.stack([self.row(graded.without(i)).score for i in range(items)])

    def of_each(
        self, graded: GradedQuery, drawn: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """(draws, systems): the scores if the bank were each of these draws.

        ``drawn`` is (draws, items of each), at least one; an item may come twice.
        """
        return np.stack([self.row(graded.of_items(one)).score for one in drawn])

    def flips(self, graded: GradedQuery) -> NDArray[np.float64] | None:
        """(flips, systems): what one label read the other way changes in the scores.

        The scores of this query, of known grades, in no particular order and each
        change once or more; for Cover one grade read the other way. None for a
        measure that does not offer it.
        """
        return None

    def overall(self, graded: GradedQuery) -> float | None:
        """The score of the whole pool as one ranking, where that is said."""
        return None

    def leaves(self, graded: GradedQuery) -> bool:
        """Whether the query leaves the mean."""
        return False

    def told(self, graded: GradedQuery) -> Any:
        """What the query tells of itself for the sentence on what is left out."""
        return None

    def left_out(self, told: Sequence[Any]) -> tuple[bool, str]:
        """Whether there is no board at all, and a sentence on what is left out."""
        return False, ""

    def over_queries(self, rows: Mapping[str, Row]) -> tuple[dict[str, Row], str]:
        """The rows that a board is the mean of, and a sentence on those left out."""
        return dict(rows), ""

    def grades(self, graded: GradedQuery, row: Row) -> Grades:
        """What the row rests on."""
        items = len(graded.item_ids)
        return Grades(graded.needed, graded.known, items, graded.whole_items)

    def scored(self, graded: GradedQuery) -> ScoredQuery:
        """The query's row with what it rests on, computed once for these grades."""

        def computed() -> ScoredQuery:
            row = self.row(graded)
            grades, overall = self.grades(graded, row), self.overall(graded)
            leaves, told = self.leaves(graded), self.told(graded)
            return ScoredQuery(row, grades, overall, leaves, told)

        return graded.cached(("scored", self), computed)


def require_items(graded: GradedQuery, name: str, why: str) -> None:
    """Refuse what a measure of questions cannot mean: none, or a grade of the query.

    ``why`` ends the sentence on a grader that grades the query.
    """
    if graded.reading == "direct":
        raise EvaluationError(
            f"{name} is undefined for a direct relevance grader: it grades the query, "
            f"{why}. Use a measure on its labels, such as P@20."
        )
    if not graded.item_ids:
        raise EvaluationError(
            f"Query '{graded.query_id}' has no active question; 0/0 is not a low score."
        )


def plain_name(
    name: str, measure: type[Measure]
) -> tuple[int | None, int | None] | None:
    """(rel, cut-off) of ``P(rel=2)@20``; None for what is not so plain."""
    found = _PLAIN.fullmatch(name)
    if found is None or not measure.is_named(found["family"]):
        return None
    rel, k = found["rel"], found["k"]
    return int(rel) if rel else None, int(k) if k else None
