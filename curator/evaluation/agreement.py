"""How far labels and human judgments agree, passage by passage.

Table indices go label first, judgment second, 0 for not relevant: ``table[1][0]``
counts the passages labelled relevant and judged not relevant.

Source of the tables: Farzi & Dietz 2024, Tables 4-7; of kappa: Cohen 1960.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

PairId = tuple[str, str]
"""(query_id, passage_id)"""

Table = tuple[tuple[int, int], tuple[int, int]]
"""((nn, np), (pn, pp)): label not relevant, relevant; within, judgment the same way."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Binary labels against binary judgments.

    ``judged`` counts the judged pairs; ``unlabelled`` of them have no label and are
    not in the table. ``kappa`` is None where it is undefined; ``note`` then says why.
    """

    table: Table
    kappa: float | None
    judged: int
    unlabelled: int = 0
    note: str = ""

    @property
    def compared(self) -> int:
        """Number of pairs in the table, those with a label and a judgment."""
        return self.judged - self.unlabelled


@dataclass(frozen=True, slots=True)
class GradedAgreement:
    """How often each label met each judgment.

    ``counts[i][j]`` pairs were labelled ``labels[i]`` and judged ``grades[j]``; both
    headings run from the best down, as the papers print them. There is no kappa: the
    scales differ (0-5 and, say, 0-3), so no cell means agreement.
    """

    labels: tuple[int, ...]
    grades: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]
    judged: int
    unlabelled: int = 0

    @property
    def label_totals(self) -> tuple[int, ...]:
        """Pairs per label, in the order of ``labels``."""
        return tuple(sum(row) for row in self.counts)

    @property
    def grade_totals(self) -> tuple[int, ...]:
        """Pairs per judgment grade, in the order of ``grades``."""
        return tuple(sum(column) for column in zip(*self.counts, strict=True))


def confusion(label_relevant: ArrayLike, judgment_relevant: ArrayLike) -> Table:
    """Counts ((nn, np), (pn, pp)) of two equally long boolean arrays."""
    label = np.asarray(label_relevant, dtype=bool)
    judgment = np.asarray(judgment_relevant, dtype=bool)
    counts = np.bincount(2 * label + judgment, minlength=4).tolist()
    return ((counts[0], counts[1]), (counts[2], counts[3]))


def cohens_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Cohen's kappa of a square table of counts, at most 1; 0 is agreement by chance.

    (observed - expected) / (1 - expected), where expected is the agreement of two
    raters with these margins who do not look. None where it is 0/0: for an empty
    table, and where both raters put everything into one and the same class.

    Source: Cohen 1960.
    """
    rows = [int(sum(row)) for row in table]
    columns = [int(sum(column)) for column in zip(*table, strict=True)]
    total = sum(rows)
    # Whole numbers up to the one division: perfect agreement is exactly 1.
    observed = total * sum(int(table[i][i]) for i in range(len(rows)))
    expected = sum(row * column for row, column in zip(rows, columns, strict=True))
    if total * total == expected:
        return None
    return (observed - expected) / (total * total - expected)


def agreement_of_table(table: Table, *, unlabelled: int = 0) -> Agreement:
    """The agreement that a table of counts shows, with kappa or why there is none."""
    compared = sum(table[0]) + sum(table[1])
    kappa = cohens_kappa(table)
    note = ""
    if kappa is None:
        note = (
            "Labels and judgments put every passage into the same class; kappa is "
            "undefined (0/0)."
            if compared
            else "No passage has both a label and a judgment."
        )
    return Agreement(
        table=table,
        kappa=kappa,
        judged=compared + unlabelled,
        unlabelled=unlabelled,
        note=note,
    )


def agreement(
    labels: Mapping[PairId, int | None],
    judgments: Mapping[PairId, int],
    *,
    min_rating: int,
    min_relevance: int,
) -> Agreement:
    """Agreement of labels >= min_rating with judgments >= min_relevance.

    Both map (query_id, passage_id) to a whole number. Unjudged pairs are left out;
    judged pairs whose label is missing or None are left out and counted. Negative
    judgments (spam, broken) are 0. Lenient and strict readings differ in the
    thresholds only: Farzi & Dietz 2024 use min_rating 1 and 4.
    """
    label, judgment = _compared(labels, judgments)
    return agreement_of_table(
        confusion(label >= min_rating, judgment >= min_relevance),
        unlabelled=len(judgments) - len(judgment),
    )


def graded_agreement(
    labels: Mapping[PairId, int | None],
    judgments: Mapping[PairId, int],
    *,
    max_label: int = 5,
) -> GradedAgreement:
    """Table of every label from ``max_label`` to 0 by every judgment grade found.

    Pairs are left out, and negative judgments read, as in ``agreement``. Raises
    ValueError for a label outside 0 to max_label.

    Source: Farzi & Dietz 2024, Table 5, top.
    """
    label, judgment = _compared(labels, judgments)
    return graded_table(
        label,
        judgment,
        max_label=max_label,
        unlabelled=len(judgments) - len(judgment),
    )


def graded_table(
    label: NDArray[Any],
    judgment: NDArray[Any],
    *,
    max_label: int = 5,
    unlabelled: int = 0,
) -> GradedAgreement:
    """``graded_agreement`` of two equally long arrays of whole numbers."""
    if label.size and (label.min() < 0 or label.max() > max_label):
        raise ValueError(
            f"labels run from {label.min()} to {label.max()}, expected 0 to {max_label}"
        )
    grades, column = np.unique(judgment, return_inverse=True)
    cells = np.bincount(
        label.astype(np.int64) * len(grades) + column,
        minlength=(max_label + 1) * len(grades),
    ).reshape(max_label + 1, len(grades))
    return GradedAgreement(
        labels=tuple(range(max_label, -1, -1)),
        grades=tuple(int(grade) for grade in grades[::-1]),
        counts=tuple(tuple(row) for row in cells[::-1, ::-1].tolist()),
        judged=len(judgment) + unlabelled,
        unlabelled=unlabelled,
    )


def _compared(
    labels: Mapping[PairId, int | None], judgments: Mapping[PairId, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Labels and judgments, aligned, of the pairs that have both."""
    found = [labels.get(pair) for pair in judgments]
    label = np.array([-1 if n is None else n for n in found], dtype=np.int64)
    judgment = np.fromiter(judgments.values(), dtype=np.int64, count=len(judgments))
    known = np.array([n is not None for n in found], dtype=bool)
    return label[known], np.maximum(judgment[known], 0)
