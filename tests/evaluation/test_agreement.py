from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.collection.pools import UNJUDGED
from curator.evaluation.agreement import (
    JudgedLabels,
    cohens_kappa,
)
from curator.evaluation.grades import NO_LABEL
from curator.evaluation.settings import Settings

counts = st.integers(0, 200)
tables = st.tuples(st.tuples(counts, counts), st.tuples(counts, counts))

# One query, passages p1...: label, judgment
LABELS = {("q", f"p{i}"): n for i, n in enumerate([5, 4, 4, 3, 0, 0, None, 5])}
JUDGMENTS = {("q", f"p{i}"): n for i, n in enumerate([3, 2, 0, 2, 1, -2, 3])}


def compared(labels, judgments) -> JudgedLabels:
    """Labels and judgments by pair, as arrays over all pairs of either."""
    pairs = {**labels, **judgments}
    given = [labels.get(pair) for pair in pairs]
    return JudgedLabels.from_arrays(
        [NO_LABEL if label is None else label for label in given],
        [judgments.get(pair, UNJUDGED) for pair in pairs],
    )


def test_pairs_without_label_or_judgment_are_left_out_and_unlabelled_are_counted():
    result = compared(LABELS, JUDGMENTS).agreement(min_rating=4, min_relevance=2)
    # by hand: p0 pp, p1 pp, p2 pn, p3 np, p4 nn, p5 nn; p6 has no label, p7 is unjudged
    assert result.table == ((2, 1), (1, 2))
    # by hand: po = 4/6, pe = (3*3 + 3*3)/36 = 1/2, kappa = (1/6)/(1/2)
    assert result.kappa == pytest.approx(1 / 3)
    assert (result.judged, result.unlabelled, result.compared) == (7, 1, 6)
    assert result.note == ""


@pytest.mark.parametrize(
    ("labels", "judgments", "sentence"),
    [
        ([], [], "No passage has both"),
        ([0, 3], [0, 0], "same class"),
        ([4, 5], [1, 2], "same class"),
    ],
)
def test_an_undefined_kappa_is_none_with_a_sentence(labels, judgments, sentence):
    result = JudgedLabels.from_arrays(labels, judgments).agreement(4, 1)
    assert result.kappa is None
    assert sentence in result.note


def test_the_graded_table_has_labels_and_judgments_from_the_best_down():
    result = compared(LABELS, JUDGMENTS).graded()
    assert result.labels == (5, 4, 3, 2, 1, 0)
    assert result.grades == (3, 2, 1, 0)
    # by hand: (5,3) (4,2) (4,0) (3,2) (0,1) (0,-2 read as 0)
    assert result.counts == (
        (1, 0, 0, 0),
        (0, 1, 0, 1),
        (0, 1, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 0, 0),
        (0, 0, 1, 1),
    )
    assert result.label_totals == (1, 2, 1, 0, 0, 2)
    assert result.grade_totals == (1, 2, 1, 2)
    assert (result.judged, result.unlabelled) == (7, 1)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-2, 3)), max_size=40),
    st.integers(1, 5),
    st.integers(1, 3),
)
def test_the_graded_table_sums_to_the_binary_one_at_every_threshold(
    pairs, min_rating, min_relevance
):
    labels = {("q", str(i)): label for i, (label, _) in enumerate(pairs)}
    judgments = {("q", str(i)): grade for i, (_, grade) in enumerate(pairs)}
    graded = compared(labels, judgments).graded()
    summed = [[0, 0], [0, 0]]
    for label, row in zip(graded.labels, graded.counts, strict=True):
        for grade, count in zip(graded.grades, row, strict=True):
            summed[label >= min_rating][grade >= min_relevance] += count
    binary = compared(labels, judgments).agreement(min_rating, min_relevance)
    assert [list(row) for row in binary.table] == summed


@settings(deadline=None)  # the first example pays for the import
@given(tables)
def test_kappa_agrees_with_scikit_learn(table):
    metrics = pytest.importorskip("sklearn.metrics")
    kappa = cohens_kappa(table)
    if kappa is not None:
        cells = [(0, 0), (0, 1), (1, 0), (1, 1)]
        each = np.repeat(cells, [table[i][j] for i, j in cells], axis=0)
        assert kappa == pytest.approx(metrics.cohen_kappa_score(each[:, 0], each[:, 1]))


# Tables in the layout of Farzi & Dietz 2024


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
