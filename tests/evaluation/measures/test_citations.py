"""What citations are worth: by hand, in plain Python, and in every completion."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.collection.pools import GAP
from curator.evaluation.grades import merge_segments
from tests.evaluation.test_bounds_hold_every_completion import completions
from tests.samples.tiny_exams import graded_on, graded_queries, measure_named, scores_of

NAMES = ("supported-cover", "citation-precision", "citation-recall")


def citing(graded, citations, cited_only=()):
    """The grades of reports that cite so: (system, rank from 0, pool position)."""
    rows = np.array(citations, dtype=np.int32).reshape(-1, 3)
    pool = replace(graded.pool, citations=rows, cited_only=tuple(cited_only))
    return merge_segments(replace(graded, pool=pool))


# Reports p0, p1; p2 and p3 are cited. Item 0 is answered by p0 and p2, item 1 by p0
# alone, item 2 by p1 and p3, item 3 by p3 alone.
RATINGS = [[5, 0, 4, 0], [4, 0, 0, 3], [0, 4, 0, 5], [0, 0, 0, 5]]
REPORTS = [[0, 1], [1], [0], []]
CITED = [(0, 0, 2), (0, 0, 3), (0, 1, 2), (1, 0, 3), (1, 0, GAP)]


def test_an_item_is_supported_where_report_and_cited_passage_answer_it():
    graded = citing(graded_on(RATINGS, REPORTS), CITED, (2, 3))
    # by hand: the first answers 0, 1, 2; p0 cites p2, which answers 0; p1 cites p2,
    # which does not answer 2. The second answers 2, and so does p3. No one else cites.
    assert scores_of(graded, "cover") == [3 / 4, 1 / 4, 2 / 4, 0]
    assert scores_of(graded, "supported-cover") == [1 / 4, 1 / 4, 0, 0]
    assert scores_of(graded, "citation-precision") == [1 / 3, 1 / 2, 0, 0]
    assert scores_of(graded, "citation-recall") == [1 / 3, 1, 0, 0]
    # by hand: at 3 p3 answers item 1, too; of the first passages p1 is the second's
    assert scores_of(graded, "supported-cover", 3) == [2 / 4, 1 / 4, 0, 0]
    assert scores_of(graded, "citation-precision", k=1) == [1 / 2, 1 / 2, 0, 0]


def test_what_is_cited_without_a_text_is_unknown():
    graded = citing(graded_on([[5], [0]], [[0]]), [(0, 0, GAP)])
    for name, above in zip(NAMES, (1 / 2, 1, 1), strict=True):
        row = measure_named(name).row(graded)
        assert (*row.lower, *row.score, *row.upper) == (0, 0, above)
        # by hand: two grades are known, and two of the cited passage are not
        assert measure_named(name).grades(graded, row)[:2] == (4, 2)
    measure = measure_named(NAMES[0])
    assert measure.exclusions([measure.exclusion_input(graded)]) == (
        False,
        "Citations of passages without a text here: 1. What these support is unknown.",
    )


def test_what_is_cited_alone_counts_for_nothing_else():
    graded, plain = graded_on(RATINGS, [[0], [1]]), graded_on(RATINGS, [[0], [1]])
    cited = citing(graded, [(0, 0, 2), (0, 0, 3)], (2, 3))
    assert cited.needed == 8  # by hand: four items, two passages of reports
    # by hand: the reports answer three items; item 3 only what is cited answers
    assert scores_of(cited, "pool-cover") == [2 / 3, 1 / 3]
    assert scores_of(plain, "pool-cover") == [2 / 4, 1 / 4]


@st.composite
def reports(draw, unknowns=None):
    """Random grades and citations; what no system ranked is cited alone."""
    graded = draw(graded_queries(items=3, passages=4, unknowns=unknowns))
    ranked = [(s, r) for s, r in zip(*np.nonzero(graded.pool.top >= 0), strict=True)]
    one = st.tuples(st.sampled_from(ranked), st.integers(GAP, graded.pool.size - 1))
    pairs = draw(st.sets(one, max_size=6)) if ranked else ()
    rows = [(int(s), int(r), place) for (s, r), place in sorted(pairs)]
    alone = {place for *_, place in rows} - {GAP, *graded.pool.top.ravel().tolist()}
    return graded, rows, sorted(alone)


def in_plain_python(graded, rows, k, min_rating=4):
    """(supported Cover, precision, recall) of each system, pair by pair."""
    found = []
    for system, top in enumerate(graded.pool.top.tolist()):
        answered, supported, right, all_of = set(), set(), set(), set()
        for item, ratings in enumerate(graded.ratings.tolist()):
            for place in top[:k]:
                if place >= 0 and ratings[place] >= min_rating:
                    answered.add(item)
            for row in rows:
                of, rank, cited = row
                if of != system or rank >= k:
                    continue
                all_of.add(row)
                both = cited >= 0 and min(ratings[top[rank]], ratings[cited])
                if both and both >= min_rating:
                    supported.add(item)
                    right.add(row)
        items = len(graded.item_ids)
        found.append(
            (
                len(supported) / items,
                len(right) / len(all_of) if all_of else 0,
                len(supported) / len(answered) if answered else 0,
            )
        )
    return found


@settings(max_examples=60)
@given(reports(), st.integers(1, 3))
def test_they_are_what_plain_python_counts(drawn, k):
    graded, rows, alone = drawn
    expected = in_plain_python(graded, rows, k)
    counted = citing(graded, rows, alone)
    for name, scores in zip(NAMES, zip(*expected, strict=True), strict=True):
        assert scores_of(counted, name, k=k) == pytest.approx(scores, abs=1e-12)


@settings(max_examples=60)
@given(reports(unknowns=2))
def test_bounds_hold_every_completion_and_are_reached_by_two(drawn):
    graded, rows, alone = drawn
    reached = [in_plain_python(one, rows, 20) for one in completions(graded)]
    lost = any(place == GAP for *_, place in rows)
    for at, name in enumerate(NAMES):
        row = measure_named(name).row(citing(graded, rows, alone))
        scores = np.array([[of[at] for of in one] for one in reached])
        assert (row.lower <= scores.min(axis=0) + 1e-12).all()
        assert (row.upper >= scores.max(axis=0) - 1e-12).all()
        if name != "citation-recall" and not lost:  # whose bounds rest on each other
            assert row.lower == pytest.approx(scores.min(axis=0))
            assert row.upper == pytest.approx(scores.max(axis=0))


@settings(max_examples=30)
@given(reports())
def test_without_each_and_of_each_are_those_of_the_smaller_bank(drawn):
    graded, rows, alone = drawn
    counted = citing(graded, rows, alone)
    measure, items = measure_named("supported-cover"), len(graded.item_ids)
    if items > 1:
        without = measure.without_each(counted)
        for item in range(items):
            rest = measure.row(counted.without(item)).score
            assert without[item] == pytest.approx(rest)
    last = counted.select_items(np.array([items - 1]))
    if items > 1:
        first = counted.without(items - 1)
        again = first.with_item(counted, items - 1)
        assert measure.row(again).score.tolist() == measure.row(counted).score.tolist()
    drawn_once = measure.scores_of_draws(counted, np.array([[items - 1]]))
    assert drawn_once[0].tolist() == measure.row(last).score.tolist()
