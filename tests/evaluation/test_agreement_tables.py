"""Labels against judgments in the layout of Farzi & Dietz 2024."""

from __future__ import annotations

import pytest

from curator.evaluation.agreement import JudgedLabels
from curator.evaluation.settings import Settings

LABELS = [5, 4, 4, 3, 1, 0, 0]
JUDGMENTS = [3, 2, 0, 2, 0, 1, 0]


def test_ratings_are_read_graded_leniently_and_strictly() -> None:
    found = JudgedLabels.from_arrays(LABELS, JUDGMENTS).tables("rated", 2)
    assert found.graded.labels == (5, 4, 3, 2, 1, 0)
    assert found.graded.grades == (3, 2, 1, 0)
    assert found.graded.label_totals == (1, 2, 1, 0, 1, 2)
    lenient, strict = found.binary
    assert (lenient.reading, lenient.min_rating) == ("lenient", 1)
    assert lenient.labels == ("1+2+3+4+5", "0")
    assert lenient.grades == strict.grades == ("2+3", "0+1")
    # by hand: 5-3, 4-2, 3-2 both; 4-0, 1-0 labels only; 0-1, 0-0 neither
    assert lenient.agreement.table == ((2, 0), (2, 3))
    assert (strict.reading, strict.min_rating) == ("strict", 4)
    assert strict.labels == ("4+5", "0+1+2+3")
    # by hand: 5-3, 4-2 both; 4-0 labels only; 3-2 judges only; three neither
    assert strict.agreement.table == ((3, 1), (1, 2))
    # by hand: po = 5/7, pe = (3*3 + 4*4)/49, kappa = (35 - 25)/(49 - 25)
    assert strict.agreement.kappa == pytest.approx(10 / 24)


@pytest.mark.parametrize("reading", ["answered", "keyed", "direct"])
def test_labels_that_are_no_ratings_are_read_once(reading: str) -> None:
    cut = Settings("", min_rating=1)
    found = JudgedLabels.from_arrays([1, 0, 1], [1, 0, 0]).tables(reading, 1, cut)
    (binary,) = found.binary
    assert (binary.reading, binary.labels, binary.grades) == (
        "binary", ("1", "0"), ("1", "0"),
    )  # fmt: skip
    assert binary.agreement.table == ((1, 0), (1, 1))


def test_a_direct_grade_keeps_its_scale() -> None:
    for cut, labels in ((1, ("1+2+3", "0")), (3, ("3", "0+1+2"))):
        settings = Settings("", min_rating=cut)
        found = JudgedLabels.from_arrays([3, 0], [1, 0]).tables("direct", 1, settings)
        assert found.graded.labels == (3, 2, 1, 0)
        assert found.binary[0].labels == labels


# Farzi & Dietz 2024, Table 5, top: labels 5 to 0 by judgments 3 to 0.
GRADED = (
    (11, 52, 13, 20),
    (430, 1121, 472, 1425),
    (5, 33, 19, 98),
    (17, 76, 27, 217),
    (5, 57, 23, 160),
    (52, 238, 139, 1642),
)


def test_the_graded_half_of_table_5_gives_its_lenient_and_strict_half() -> None:
    pairs = [
        (5 - i, 3 - j)
        for i, row in enumerate(GRADED)
        for j, count in enumerate(row)
        for _ in range(count)
    ]
    labels, judgments = zip(*pairs, strict=True)
    found = JudgedLabels.from_arrays(labels, judgments).tables("rated", 1)
    assert found.graded.counts == GRADED
    assert found.graded.label_totals == (96, 3448, 155, 337, 245, 2071)
    lenient, strict = found.binary
    assert lenient.labels == ("1+2+3+4+5", "0")
    assert lenient.grades == ("1+2+3", "0")
    assert lenient.agreement.table == ((1642, 429), (1920, 2361))
    assert strict.agreement.table == ((2117, 691), (1445, 2099))
