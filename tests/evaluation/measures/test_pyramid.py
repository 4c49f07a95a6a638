"""Nugget pyramids and the classic vital/okay measure, by hand and by their laws."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.leaderboard import mean_scores
from tests.evaluation.test_bounds_hold_every_completion import completions
from tests.samples.tiny_exams import measure_named, scores_of
from tests.samples.voted_exams import (
    BOTH_OKAY,
    BOTH_VITAL,
    SPLIT,
    by_hand,
    voted_by,
    voted_queries,
)

EVERY = ["weighted-cover", "nugget-r", "nugget-p", "nugget-f", "vital-r", "vital-f"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # weights 2, 1, 0 of 3
        ("weighted-cover", [2 / 3, 1 / 3, 1, 0]),
        ("nugget-r", [2 / 3, 1 / 3, 1, 0]),
        # 100/150; 200/250, an item without weight gives allowance; 300/400; nothing
        ("nugget-p", [2 / 3, 4 / 5, 3 / 4, 0]),
        # 10 P R / (9 P + R)
        ("nugget-f", [2 / 3, 40 / 113, 30 / 31, 0]),
        # 26 P R / (25 P + R)
        ("nugget-f(beta=5)", [2 / 3, 104 / 305, 78 / 79, 0]),
        ("vital-r(judge=ann)", [1 / 2, 1 / 2, 1, 0]),
        ("vital-r(judge=bob)", [1, 0, 1, 0]),
        ("vital-r", [1, 0, 1, 0]),  # one of two is not more than half
        # two: 10 · 4/5 · 1/2 / (9 · 4/5 + 1/2)
        ("vital-f(judge=ann)", [20 / 39, 40 / 77, 30 / 31, 0]),
        ("vital-f(judge=bob,beta=5)", [52 / 53, 0, 78 / 79, 0]),
        # ann alone: weights 1, 1, 0; a majority of one
        ("nugget-r(without=bob)", [1 / 2, 1 / 2, 1, 0]),
        ("nugget-f(without=bob)", [20 / 39, 40 / 77, 30 / 31, 0]),
        ("vital-r(without=bob)", [1 / 2, 1 / 2, 1, 0]),
    ],
)
def test_measures_by_hand(name, expected):
    # 26 · 4/5 · 1/3 / (25 · 4/5 + 1/3) = 104/15 / (61/3) = 104/305
    # 10 · 2/3 · 1/2 / (9 · 2/3 + 1/2) = 20/39;  26 · 2/3 / (25 · 2/3 + 1) = 52/53
    assert scores_of(by_hand(), name) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("letters", "precision"), [(99, 1), (100, 1), (101, 100 / 101)]
)
def test_precision_is_whole_up_to_the_allowance(letters, precision):
    graded = by_hand(letters=(letters, 0))
    assert scores_of(graded, "nugget-p")[0] == pytest.approx(precision, abs=1e-15)


def test_vital_is_what_more_than_half_of_those_who_voted_call_vital():
    cy = ("cy", "vital")
    votes = ((*SPLIT, cy), (cy,), BOTH_OKAY)
    # a: 2 of 3; b: 1 of 1 who voted; c: 0 of 2
    assert scores_of(by_hand(votes), "vital-r") == [1 / 2, 1 / 2, 1, 0]


def left_out(name, *queries):
    """What a measure says of these queries: whether there is no board, and why."""
    measure = measure_named(name)
    return measure.exclusions([measure.exclusion_input(one) for one in queries])


@pytest.mark.parametrize("name", EVERY)
def test_a_query_without_a_vital_vote_is_left_out_or_scores_0(name):
    measure = measure_named(name)
    graded = by_hand((BOTH_OKAY, BOTH_OKAY, ()))
    assert measure.excludes(graded) == (not name.startswith("vital"))
    assert measure.row(graded).score.tolist() == [0, 0, 0, 0]
    assert not measure.excludes(by_hand())
    assert left_out(name, by_hand()) == (False, "")
    no_board, note = left_out(name, by_hand(), graded)
    assert not no_board
    assert note.startswith("1 query without an item that")
    assert "left out" in note or "scores 0" in note


def test_without_any_vote_there_is_no_board_and_a_sentence_what_to_do():
    nobody = by_hand(((), (), ()))
    no_board, note = left_out("nugget-f", nobody)
    assert no_board
    assert "vote on Judge" in note
    no_board, note = left_out("vital-f(judge=dee)", by_hand())
    assert no_board
    assert "no judge who counts has voted" in note
    assert "ann, bob" in note


@settings(max_examples=40)
@given(voted_queries(), st.sampled_from(["weighted-cover", "nugget-r"]))
def test_equal_weights_make_weighted_cover_cover(graded, name):
    everybody = replace(graded, votes=(BOTH_VITAL,) * len(graded.item_ids))
    mine, cover = (measure_named(n).row(everybody) for n in (name, "cover"))
    for part in ("score", "lower", "upper"):
        assert getattr(mine, part).tolist() == getattr(cover, part).tolist()
    boards = mean_scores([mine]), mean_scores([cover])
    assert boards[0].ranks.tolist() == boards[1].ranks.tolist()


@settings(max_examples=40)
@given(
    voted_queries(), st.sampled_from(EVERY[1:]), st.sampled_from(["", "(judge=bob)"])
)
def test_f_lies_between_its_parts_and_nobody_leaves_the_unit(graded, name, judge):
    name += judge if name.startswith("vital") else ""
    scores = np.array(scores_of(graded, name))
    assert ((scores >= 0) & (scores <= 1)).all()
    if name == "nugget-f" and not measure_named(name).excludes(graded):
        parts = [scores_of(graded, part) for part in ("nugget-p", "nugget-r")]
        assert (scores <= np.max(parts, axis=0) + 1e-12).all()
        assert (scores >= np.min(parts, axis=0) - 1e-12).all()


@settings(max_examples=30)
@given(
    voted_queries(items=3, passages=3, unknowns=2),
    st.sampled_from([*EVERY, "vital-f(judge=ann,beta=5)"]),
    st.integers(1, 5),
)
def test_bounds_hold_every_completion_and_are_reached(graded, name, min_rating):
    measure = measure_named(name, min_rating)
    row = measure.row(graded)
    filled = [
        replace(one, letters=graded.letters, votes=graded.votes)
        for one in completions(graded)
    ]
    reached = np.stack([measure.row(one).score for one in filled])
    assert reached.min(axis=0).tolist() == row.lower.tolist()
    assert reached.max(axis=0).tolist() == row.upper.tolist()
    assert (row.lower <= row.score).all()
    assert (row.score <= row.upper).all()


@settings(max_examples=40)
@given(voted_queries(), st.sampled_from([*EVERY, "vital-f(judge=ann)"]))
def test_without_each_is_the_query_without_that_item(graded, name):
    measure = measure_named(name)
    found = measure.without_each(graded)
    for item in range(len(graded.item_ids)):
        less = replace(
            graded,
            item_ids=graded.item_ids[:item] + graded.item_ids[item + 1 :],
            ratings=np.delete(graded.ratings, item, axis=0),
            votes=graded.votes[:item] + graded.votes[item + 1 :],
        )
        if measure.excludes(graded):
            assert found[item].tolist() == measure.row(graded).score.tolist()
        elif not less.item_ids or measure.excludes(less):
            assert np.isnan(found[item]).all()
        else:
            assert found[item] == pytest.approx(measure.row(less).score, abs=1e-12)


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Nugget-F", "nugget-f"),
        ("vital-f(judge=Ann (B), c,beta=5)", "vital-f(judge=Ann (B), c,beta=5)"),
        ("vital-f(beta=5,judge=ann)", "vital-f(judge=ann,beta=5)"),
        (
            "nugget-f(beta=5, without=b, c , without=a@1,without=a@1)",
            "nugget-f(without=a@1,without=b, c,beta=5)",
        ),
    ],
)
def test_a_name_reads_back_as_itself(asked, name):
    measure = measure_named(asked)
    assert measure.name == name
    assert measure_named(measure.name) == measure


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("nugget-f(gamma=5)", "no options '(gamma=5)'"),
        ("nugget-f(judge=ann)", "(judge=NAME) for vital-r"),
        ("nugget-f(beta=0)", "beta is 0"),
    ],
)
def test_a_wrong_name_is_one_line_with_the_way_out(asked, said):
    with pytest.raises((UnknownNameError, EvaluationError)) as error:
        measure_named(asked)
    assert said in str(error.value)


@settings(max_examples=20)
@given(voted_queries(), st.sampled_from(EVERY))
def test_leaving_a_judge_out_is_as_if_that_judge_had_not_voted(graded, name):
    others = voted_by(graded, ["ann", "cy"])
    named = f"{name}(without=bob)"
    assert scores_of(graded, named) == scores_of(others, name)
    assert measure_named(named).excludes(graded) == measure_named(name).excludes(others)
