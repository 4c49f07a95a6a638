from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from curator.evaluation.ranks import (
    average_ranks,
    competition_ranks,
    leader_groups,
)

# Fractions of a bank of 12: far enough apart to tie exactly or not at all.
fractions = st.lists(st.integers(0, 12).map(lambda n: n / 12), max_size=30)


def test_a_chain_of_tiny_steps_ties_only_within_reach_of_its_leader():
    # by hand: 0.6e-9 is within 1e-9 of the leader, 1.2e-9 is not and leads next
    chain = [0.0, -0.6e-9, -1.2e-9]
    assert competition_ranks(chain).tolist() == [1, 1, 3]
    assert average_ranks(chain).tolist() == [1.5, 1.5, 3.0]


def test_a_leader_draws_in_every_following_score_within_its_own_margin():
    # by hand: .50 - .10 reaches .42; then .38 leads, its margin 0 reaches nothing
    groups = leader_groups([0.42, 0.50, 0.37, 0.38], margins=[0.0, 0.10, 0.5, 0.0])
    assert groups == [[1, 0], [3], [2]]


@given(fractions)
def test_ranks_agree_with_scipy(scores):
    lowest_first = [-score for score in scores]
    assert competition_ranks(scores).tolist() == list(rankdata(lowest_first, "min"))
    assert average_ranks(scores).tolist() == list(rankdata(lowest_first, "average"))
