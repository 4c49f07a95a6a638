"""Whatever the missing grades turn out to be, every rank lies in its range."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from curator.evaluation.leaderboard import BoardRow, Leaderboard, leaderboard
from curator.evaluation.settings import Settings
from tests.evaluation.test_bounds_hold_every_completion import BOUNDED, completions
from tests.samples.tiny_exams import graded_queries, measure_named, scored

SYSTEMS = ("s0", "s1", "s2", "s3")


def board_of(name, graded):
    """The board of these queries."""
    measure = measure_named(name)
    return leaderboard(
        Settings("tiny", name),
        measure,
        SYSTEMS[: len(graded[0].pool.top)],
        {one.query_id: one.pool for one in graded},
        scored(measure, graded),
    )


def between(*bounds):
    """A board of systems that lie between these bounds."""
    standings = [
        BoardRow(f"s{i}", 1, low, None, low, high, 1.0)
        for i, (low, high) in enumerate(bounds)
    ]
    return Leaderboard(Settings("tiny"), 1, 2, 1, tuple(standings))


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(BOUNDED))
def test_the_ranks_of_every_completion_lie_in_their_ranges(data, name):
    graded = [
        data.draw(
            graded_queries(items=2, passages=3, systems=4, unknowns=2, query_id=f"q{i}")
        )
        for i in range(2)
    ]
    ranges = board_of(name, graded).rank_ranges()
    for filled in product(*map(list, map(some_completions, graded))):
        for system, rank in board_of(name, filled).ranks().items():
            best, worst = ranges[system]
            assert best <= rank <= worst


def some_completions(graded):
    """Those that differ in what is correct at 4, at 2 and below."""
    for one in completions(graded):
        unknown = one.ratings[graded.ratings < 0]
        if set(unknown.tolist()) <= {0, 2, 5}:
            yield one


def test_ranges_overlap_where_bounds_do():
    # by hand: the first is above the third whatever comes; the second may be above
    # the first, between, or below the third
    found = between((0.6, 0.7), (0.1, 0.9), (0.2, 0.3)).rank_ranges()
    assert found == {"s0": (1, 2), "s1": (1, 3), "s2": (2, 3)}


def test_bounds_that_only_touch_can_tie():
    # by hand: .5 and .5 share rank 1; otherwise the first is ahead
    found = between((0.5, 0.6), (0.4, 0.5)).rank_ranges()
    assert found == {"s0": (1, 1), "s1": (1, 2)}
