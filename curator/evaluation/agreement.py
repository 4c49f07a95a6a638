"""Agreement of labels and human judgments, passage by passage.

Table indices go label first, judgment second, 0 for not relevant: ``table[1][0]``
counts the passages labelled relevant and judged not relevant.

Cohen's kappa describes a whole table of two classes, so it is the same in both rows.
Farzi & Dietz 2024 print a kappa for each row of Tables 4 and 5 (TREC CAR Y3): there a
passage can be judged under several subtopics, each row was made a separate question
("any judgment of 1 to 3?", "any of 0?"), and a passage judged both ways counts in both
rows. Their Tables 6 and 7, with one judgment of each passage, print the same kappa in
both rows, as here.

Source of the tables: Farzi & Dietz 2024, Tables 4-7; of kappa: Cohen 1960.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from curator.collection.pools import UNJUDGED
from curator.evaluation.settings import SAME_LABEL, ReadingKind, Settings
from curator.results import HIDDEN, column, computed

DEFAULT_SETTINGS = Settings("")
LENIENT_FROM, STRICT_FROM = 1, 4
HIGHEST_RATING = 5

Reading = Literal["lenient", "strict", "binary"]
Table = tuple[tuple[int, int], tuple[int, int]]
"""Counts ((nn, np), (pn, pp)): the label, then the judgment; p relevant, n not."""


@dataclass(frozen=True, slots=True)
class LevelAgreement:
    """Agreement of two raters over ordered levels, 1 where they are always equal.

    Cohen's kappa with linear and with quadratic weights, Krippendorff's alpha with the
    ordinal difference.
    """

    linear_kappa: float
    quadratic_kappa: float
    ordinal_alpha: float


@dataclass(frozen=True, slots=True)
class GradedAgreement:
    """Counts of pairs by label and judgment.

    ``counts[i][j]`` pairs were labelled ``labels[i]`` and judged ``grades[j]``; both
    headings run from the best down, as the papers print them. ``one_scale``: labels and
    judgments are levels of the same scale. Ratings of 0-5 and judgments of 0-3 are not,
    so no cell means agreement.
    """

    labels: tuple[int, ...]
    grades: tuple[int, ...] = field(metadata=column(json="judgments"))
    counts: tuple[tuple[int, ...], ...]
    judged: int = field(metadata=HIDDEN)
    unlabelled: int = field(default=0, metadata=HIDDEN)
    one_scale: bool = field(default=False, metadata=HIDDEN)

    @property
    @computed(json_if=lambda levels: levels is not None)
    def levels(self) -> LevelAgreement | None:
        """Agreement over levels.

        None for two scales, or if a side has fewer than three levels.
        """
        totals = self.label_totals, self.grade_totals
        if not self.one_scale or any(sum(map(bool, side)) < 3 for side in totals):
            return None
        size = max(*self.labels, *self.grades) + 1
        table = np.zeros((size, size))
        table[np.ix_(self.labels, self.grades)] = self.counts
        return level_agreement(table)

    @property
    def label_totals(self) -> tuple[int, ...]:
        """Pairs per label, in the order of ``labels``."""
        return tuple(sum(row) for row in self.counts)

    @property
    def grade_totals(self) -> tuple[int, ...]:
        """Pairs per judgment grade, in the order of ``grades``."""
        return tuple(sum(column) for column in zip(*self.counts, strict=True))


@dataclass(frozen=True, slots=True)
class Agreement:
    """Binary labels against binary judgments.

    ``judged`` counts the judged pairs; ``unlabelled`` of them have no label and are
    not in the table. ``kappa`` is None where it is undefined; ``note`` then says why.
    ``graded`` has all levels, where labels and judgments are of one scale.
    """

    table: Table
    kappa: float | None
    judged: int
    unlabelled: int = 0
    note: str = field(default="", metadata=HIDDEN)
    graded: GradedAgreement | None = field(
        default=None, metadata=column(json_if=lambda graded: graded is not None)
    )

    @property
    def compared(self) -> int:
        """Number of pairs in the table, those with a label and a judgment."""
        return self.judged - self.unlabelled


@dataclass(frozen=True, slots=True)
class BinaryTable:
    """Agreement under one reading of the labels, relevant from ``min_rating``.

    ``labels`` and ``grades`` name the classes as the paper does, the relevant one
    first: ``("1+2+3+4+5", "0")`` and ``("2+3", "0+1")``.
    """

    reading: Reading
    min_rating: int
    labels: tuple[str, str]
    grades: tuple[str, str]
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class AgreementTables:
    """All tables of one grader: graded on top, then one or two binary readings."""

    min_relevance: int
    graded: GradedAgreement
    binary: tuple[BinaryTable, ...]


@dataclass(frozen=True, eq=False)
class JudgedLabels:
    """Every judged passage's label and judgment, equally long arrays.

    Negative judgments (spam, broken) are 0. ``unlabelled`` counts the judged passages
    without a label, which are not in the arrays. Labels may be means.
    """

    labels: NDArray[np.int64] | NDArray[np.float64]
    judgments: NDArray[np.int64]
    unlabelled: int = 0

    @classmethod
    def from_arrays(cls, labels: ArrayLike, judgments: ArrayLike) -> JudgedLabels:
        """Pair labels and judgments, without negative labels and UNJUDGED judgments."""
        all_labels = np.asarray(labels)
        if not np.issubdtype(all_labels.dtype, np.floating):
            all_labels = all_labels.astype(np.int64)
        all_judgments = np.asarray(judgments, dtype=np.int64)
        judged = all_judgments != UNJUDGED
        both = judged & (all_labels >= 0)
        unlabelled = int((judged & ~both).sum())
        return cls(all_labels[both], np.maximum(all_judgments[both], 0), unlabelled)

    def agreement(self, min_rating: int, min_relevance: int) -> Agreement:
        """Agreement of labels >= min_rating with judgments >= min_relevance.

        Lenient and strict readings differ in the thresholds only: Farzi & Dietz 2024
        use min_rating 1 and 4.
        """
        table = confusion(self.labels >= min_rating, self.judgments >= min_relevance)
        compared, kappa, note = len(self.labels), cohens_kappa(table), ""
        if kappa is None and compared:
            note = (
                "Labels and judgments put every passage into the same class; kappa is "
                "undefined (0/0)."
            )
        elif kappa is None:
            note = "No passage has both a label and a judgment."
        judged = compared + self.unlabelled
        return Agreement(table, kappa, judged, self.unlabelled, note)

    def graded(
        self, max_label: int = HIGHEST_RATING, *, one_scale: bool = False
    ) -> GradedAgreement:
        """Return the table of labels, from ``max_label`` to 0, by judgment grade.

        Means are rounded down. Raises ValueError for a label outside 0 to max_label.
        """
        label = np.floor(self.labels + SAME_LABEL).astype(np.int64)
        if label.size and (label.min() < 0 or label.max() > max_label):
            raise ValueError(
                f"labels run from {label.min()} to {label.max()}, expected 0 to "
                f"{max_label}"
            )
        grades, column = np.unique(self.judgments, return_inverse=True)
        cells = np.zeros((max_label + 1, len(grades)), dtype=np.int64)
        np.add.at(cells, (label, column), 1)
        counts = cells[::-1, ::-1].tolist()
        return GradedAgreement(
            tuple(range(max_label, -1, -1)),
            tuple(grades[::-1].tolist()),
            tuple(map(tuple, counts)),
            len(label) + self.unlabelled,
            self.unlabelled,
            one_scale,
        )

    def tables(
        self,
        reading_kind: ReadingKind,
        min_relevance: int,
        settings: Settings = DEFAULT_SETTINGS,
    ) -> AgreementTables:
        """Return all tables, laid out as in Tables 4-7 of Farzi & Dietz 2024.

        Ratings of 0 to 5 are read twice, leniently (1 or more) and strictly (4 or
        more); labels of every other kind once, relevant from 1, or from the number of
        answered items in ``settings``.
        """
        rated = reading_kind == "rated" and settings.label != "answered"
        highest = HIGHEST_RATING if rated else int(self.labels.max(initial=1))
        graded = self.graded(highest, one_scale=reading_kind == "direct")
        labels = () if settings.rule.fractional else graded.labels
        readings: dict[Reading, int] = {"binary": settings.relevant_from(reading_kind)}
        if rated:
            readings = {"lenient": LENIENT_FROM, "strict": STRICT_FROM}
        binary = tuple(
            BinaryTable(
                name,
                min_rating,
                _classes(labels, min_rating),
                _classes(graded.grades, min_relevance),
                self.agreement(min_rating, min_relevance),
            )
            for name, min_rating in readings.items()
        )
        return AgreementTables(min_relevance, graded, binary)


def confusion(label_relevant: ArrayLike, judgment_relevant: ArrayLike) -> Table:
    """Counts ((nn, np), (pn, pp)) of two equally long boolean arrays."""
    label = np.asarray(label_relevant, dtype=bool)
    judgment = np.asarray(judgment_relevant, dtype=bool)
    nn, np_, pn, pp = np.bincount(2 * label + judgment, minlength=4).tolist()
    return ((nn, np_), (pn, pp))


def level_agreement(table: NDArray[np.float64]) -> LevelAgreement:
    """Agreement from a square table of counts over levels 0, 1, ...

    Source: Cohen 1968 for the weights; Krippendorff 2011 for the ordinal difference of
    two levels: the square of how many values there are from one to the other, of which
    those at both ends count half.
    """
    levels, total = np.arange(len(table)), table.sum()
    distance = np.abs(levels[:, None] - levels)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / total

    def kappa(weights: NDArray[Any]) -> float:
        return float(1 - (weights * table).sum() / (weights * expected).sum())

    pairs = table + table.T
    values = pairs.sum(axis=1)
    midpoints = np.cumsum(values) - values / 2
    ordinal = (midpoints[:, None] - midpoints) ** 2
    chance = np.outer(values, values) / (values.sum() - 1)
    alpha = 1 - (ordinal * pairs).sum() / (ordinal * chance).sum()
    return LevelAgreement(kappa(distance), kappa(distance**2), float(alpha))


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Agreement of two judges over the items that both have judged.

    ``table`` counts the first judge's values by row and the second's by column, in the
    order of the values. ``kappa`` is Cohen's, at most 1, None where it is undefined;
    ``note`` then says why.
    """

    first: str
    second: str
    table: tuple[tuple[int, ...], ...]
    kappa: float | None
    note: str = ""

    @property
    @computed(json="questions")
    def items(self) -> int:
        return sum(map(sum, self.table))

    @property
    @computed()
    def same(self) -> int:
        return sum(row[i] for i, row in enumerate(self.table))


@dataclass(frozen=True, slots=True)
class JudgeAgreement:
    """Agreement of judges over the ``items`` that two or more of them have judged.

    ``same`` of the items have values that are all alike, ``values`` counts them in all.
    ``value`` is the ``coefficient``, at most 1 and 0 for agreement by chance; None
    where it is undefined, and ``note`` says why. ``pairs`` has each two judges.
    """

    judges: tuple[str, ...] = field(metadata=column(to_json=len))
    items: int
    same: int
    values: int = field(metadata=HIDDEN)
    coefficient: str
    value: float | None
    note: str
    pairs: tuple[PairAgreement, ...] = field(default=(), metadata=HIDDEN)

    @property
    @computed()
    def differ(self) -> int:
        return self.items - self.same


KAPPA, ALPHA = "Cohen's kappa", "Krippendorff's alpha"
Scale = Literal["nominal", "ordinal", "none"]


def judge_agreement(
    items: Iterable[Mapping[str, str]],
    scale: Scale = "nominal",
    *,
    order: Sequence[str] = (),
    always_alpha: bool = False,
) -> JudgeAgreement:
    """Measure the agreement of judges, given each item's values by judge.

    Cohen's kappa of two judges, Krippendorff's alpha of more, or ``always_alpha``;
    ordinal alpha for grades; no coefficient for values on no scale, such as wordings.
    Tables of pairs have the values in this ``order``, else sorted.

    Source: Cohen 1960; Krippendorff 2004, chapter 11 (values may be missing).
    """
    shared = [item for item in items if len(item) > 1]
    judges = tuple(sorted({judge for item in shared for judge in item}))
    distinct = sorted({value for item in shared for value in item.values()})
    values = [*order, *(value for value in distinct if value not in order)]
    coefficient = ALPHA if always_alpha or len(judges) > 2 else KAPPA
    pairs: tuple[PairAgreement, ...] = ()
    if scale == "ordinal":
        coefficient = f"{ALPHA}, ordinal"
    elif scale == "none":
        coefficient = ""
    else:
        pairs = tuple(
            pair_agreement(shared, *two, values) for two in combinations(judges, 2)
        )
    value, note = None, ""
    if not shared:
        note = "No item has been judged by two judges."
    elif scale == "none":
        note = "Wordings are not on a scale, so there is no coefficient."
    elif len(distinct) == 1:
        note = f"Every judgment is {distinct[0]}, so agreement is undefined (0/0)."
    elif coefficient == KAPPA:
        value = pairs[0].kappa
    else:
        number = {value: float(place) for place, value in enumerate(values)}
        if scale == "ordinal":
            number = {value: float(value) for value in values}
        numbers = [
            {judge: number[value] for judge, value in item.items()} for item in shared
        ]
        value = krippendorffs_alpha(numbers, scale)
    same = sum(len(set(item.values())) == 1 for item in shared)
    number_of_values = sum(map(len, shared))
    return JudgeAgreement(
        judges, len(shared), same, number_of_values, coefficient, value, note, pairs
    )


def pair_agreement(
    items: Iterable[Mapping[str, str]], first: str, second: str, values: Sequence[str]
) -> PairAgreement:
    """Compute two judges' table and kappa over the items that both have judged."""
    both = [
        (item[first], item[second]) for item in items if {first, second} <= item.keys()
    ]
    counts = Counter(both)
    table = tuple(tuple(counts[row, column] for column in values) for row in values)
    kappa, note = cohens_kappa(table), ""
    if not both:
        note = f"No item has been judged by both {first} and {second}."
    elif kappa is None:
        note = f"{first} and {second} always gave the same value."
    return PairAgreement(first, second, table, kappa, note)


def krippendorffs_alpha(
    items: Sequence[Mapping[str, float]], level: Literal["nominal", "ordinal"]
) -> float | None:
    """Krippendorff's alpha, at most 1: 1 - observed / expected disagreement.

    ``items`` hold the value of each judge who judged them; judges may be missing. None
    where it is 0/0: without an item of two judges, and where all values are equal.
    """
    shared = [item for item in items if len(item) > 1]
    if len({value for item in shared for value in item.values()}) < 2:
        return None
    import krippendorff

    judges = sorted({judge for item in shared for judge in item})
    values = [[item.get(judge, np.nan) for item in shared] for judge in judges]
    return float(krippendorff.alpha(np.array(values), level_of_measurement=level))


def cohens_kappa(table: Sequence[Sequence[float]]) -> float | None:
    """Cohen's kappa of a square table of counts, at most 1; 0 is agreement by chance.

    (observed - expected) / (1 - expected), where expected is the agreement of two
    independent raters with these margins. None where it is 0/0: for an empty table, and
    where both raters put everything into the same class. Counts may be estimates.
    """
    rows = list(map(sum, table))
    columns = list(map(sum, zip(*table, strict=True)))
    total = sum(rows)
    # Integers up to the last division, so that perfect agreement is exactly 1.
    observed = total * sum(row[i] for i, row in enumerate(table))
    expected = sum(row * column for row, column in zip(rows, columns, strict=True))
    if total * total - expected <= 1e-6:  # less than one pair is rounding
        return None
    return (observed - expected) / (total * total - expected)


def _classes(values: Sequence[int], threshold: int) -> tuple[str, str]:
    """Name the values from the threshold on and the others, joined by plus signs.

    An empty class is named by its bound.
    """
    relevant = "+".join(str(value) for value in sorted(values) if value >= threshold)
    others = "+".join(str(value) for value in sorted(values) if value < threshold)
    return relevant or f"{threshold} or more", others or f"under {threshold}"
