"""What retiring each question would do equals the impact of retiring it."""

from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curator.bank.edits import Retire
from curator.evaluation.impact import (
    SystemMove,
    nearest_overtake,
)
from curator.evaluation.influence import retire_previews
from curator.evaluation.measures import accepts_label, measure_for
from curator.evaluation.settings import Label, Settings
from tests.evaluation.test_impact_between_banks import BANK, COVER, EXAM, exam_of
from tests.samples.tiny_exams import assert_says, graded_queries

OFFICIAL = {"s0": 2.0, "s1": 1.0, "s2": 3.0}
MEASURES = ["cover", "P@2", "P(rel=2)@3", "RR", "Success@1", "nDCG@3"]


def found_of(exam, bank, query_id, chosen, official=OFFICIAL):
    """What-ifs by question id."""
    graded = exam.graded(bank, query_id)
    measure = measure_for(chosen, "rated")
    found = retire_previews(
        graded,
        exam.board(bank, chosen),
        exam.systems,
        row=measure.row(graded).score,
        without_each=measure.without_each(graded),
        official=official,
    )
    return {one.question_id: one for one in found}


def assert_same(what_if, impact, official=OFFICIAL):
    """The what-if says what this impact says."""
    falls = [x.after is None or x.after < x.before for x in impact.labels]
    assert falls.count(True) == what_if.labels_fall
    assert falls.count(False) == what_if.labels_rise
    assert_says(what_if, impact, official)


@settings(max_examples=80, deadline=None)
@given(
    st.data(),
    st.sampled_from(MEASURES),
    st.integers(1, 3),
    st.sampled_from(get_args(Label)),
)
def test_they_equal_the_impact_of_each_retirement(data, name, queries, label):
    assume(accepts_label(name, label))
    exam, bank = exam_of(
        {
            f"q{i}": data.draw(graded_queries(systems=3, unknowns=0, query_id=f"q{i}"))
            for i in range(queries)
        }
    )
    chosen = Settings("tiny", name, label=label)
    found = found_of(exam, bank, "q0", chosen)
    assert list(found) == [q.question_id for q in bank.questions_of("q0")]
    for question_id, what_if in found.items():
        after = exam.edited(bank, Retire(question_id))
        impact = exam.impact(bank, after, chosen)
        assert_same(what_if, impact)
        if label in ("max", "answered"):
            assert not what_if.labels_rise


def test_a_retirement_by_hand():
    found = found_of(EXAM, BANK, "a", COVER, {"first": 1, "second": 2, "third": 3})
    # by hand: as in test_impact_between_banks; before .75 .25 .5, after .5 .5 .5
    one = found["a/1"]
    assert one.labels_fall == 1
    assert one.movers == (
        SystemMove("second", 0.25, 0.5, 3, 1),
        SystemMove("third", 0.5, 0.5, 2, 1),
    )
    assert one.scores_changed == 2
    assert one.tau_before == pytest.approx(1 / 3)  # 2 pairs as official, 1 reversed
    assert one.tau_after is None  # all tie


@settings(max_examples=40, deadline=None)
@given(graded_queries(systems=3), st.sampled_from(MEASURES))
def test_where_grades_are_missing_nothing_is_said_to_move(graded, name):
    exam, bank = exam_of({"q": graded})
    for one in found_of(exam, bank, "q", Settings("tiny", name)).values():
        assert one.missing == graded.needed - graded.known
        assert (one.movers is None) == bool(one.missing)


# The nearest overtake


def overtake(before, after):
    return nearest_overtake(
        [f"s{i}" for i in range(len(after))],
        None if before is None else np.array(before),
        np.array(after),
    )


def test_the_nearest_overtake_is_the_smallest_gap_that_shrank():
    # by hand: s1 came from .2 to .1 below s0; s2 was and is .05 below s1
    found = overtake([0.6, 0.4, 0.35], [0.6, 0.5, 0.45])
    assert (found.behind, found.ahead) == ("s1", "s0")
    assert found.gap == pytest.approx(0.1)
