"""Labels against judgments as Farzi & Dietz 2024 lay them out: graded, lenient, strict.

Cohen's kappa belongs to a whole table of two classes, so both rows of one have the
same. Their Tables 4 and 5 (TREC CAR Y3) print two: there a passage can be judged under
several subtopics, each row was made a question of its own ("any judgment of 1 to 3?",
"any of 0?"), and a passage judged both ways is in either row's class. Their Tables 6
and 7, of one judgment a passage, print one kappa twice, as here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from curator.evaluation.agreement import (
    Agreement,
    GradedAgreement,
    agreement_of_table,
    confusion,
    graded_table,
)
from curator.evaluation.settings import ReadingKind

LENIENT_FROM, STRICT_FROM = 1, 4
HIGHEST_RATING = 5
Reading = Literal["lenient", "strict", "binary"]


@dataclass(frozen=True, slots=True)
class BinaryTable:
    """One reading of the labels, relevant from ``min_rating``.

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


def agreement_tables(
    label: ArrayLike,
    judgment: ArrayLike,
    *,
    reading: ReadingKind,
    min_relevance: int,
    unlabelled: int = 0,
) -> AgreementTables:
    """The tables of two equally long arrays, one label and one judgment per pair.

    Judgments are 0 or more. Ratings of 0 to 5 are read twice, leniently (1 or more)
    and strictly (4 or more); labels of every other kind once, relevant from 1.
    ``unlabelled`` counts judged pairs that have no label and are in no table.

    Source: Farzi & Dietz 2024, Tables 4-7.
    """
    labels, judgments = np.asarray(label), np.asarray(judgment)
    highest = HIGHEST_RATING if reading == "rated" else int(labels.max(initial=1))
    graded = graded_table(labels, judgments, max_label=highest, unlabelled=unlabelled)
    readings: list[tuple[Reading, int]] = [("binary", LENIENT_FROM)]
    if reading == "rated":
        readings = [("lenient", LENIENT_FROM), ("strict", STRICT_FROM)]
    return AgreementTables(
        min_relevance,
        graded,
        tuple(
            BinaryTable(
                name,
                min_rating,
                _classes(graded.labels, min_rating),
                _classes(graded.grades, min_relevance),
                agreement_of_table(
                    confusion(labels >= min_rating, judgments >= min_relevance),
                    unlabelled=unlabelled,
                ),
            )
            for name, min_rating in readings
        ),
    )


def _classes(values: Sequence[int], threshold: int) -> tuple[str, str]:
    """The values from the threshold on and the others, each joined by plus signs.

    A class in which nothing was found is named by its bound.
    """
    relevant = sorted(value for value in values if value >= threshold)
    others = sorted(value for value in values if value < threshold)
    return (
        "+".join(map(str, relevant)) or f"{threshold} or more",
        "+".join(map(str, others)) or f"under {threshold}",
    )
