"""A move is within noise if one label, read differently, would undo it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.evaluation.impact import Flips, SystemMove, moves_within_noise
from curator.evaluation.leaderboard import mean_scores
from curator.evaluation.ranks import competition_ranks
from tests.evaluation.test_flips_of_one_label import readings
from tests.samples.tiny_exams import graded_queries, measure_named


def within(ranks_before, graded_by_query, name):
    """What ``moves_within_noise`` says of every system that moved."""
    measure = measure_named(name)
    means = mean_scores([measure.row(one) for one in graded_by_query])
    systems = [f"s{i}" for i in range(len(means.score))]
    moves = [
        SystemMove(systems[i], 0.0, float(means.score[i]), ranks_before[i], int(rank))
        for i, rank in enumerate(means.ranks)
    ]
    return moves_within_noise(
        [m for m in moves if m.places],
        systems,
        means.score,
        (Flips(measure.flips(one)) for one in graded_by_query),
        len(graded_by_query),
    )


def within_by_recomputing(ranks_before, graded_by_query, name):
    """The same, from a whole board for every other reading of every query."""
    measure = measure_named(name)
    rows = [measure.row(one) for one in graded_by_query]
    ranks = mean_scores(rows).ranks
    found = set()
    for place, query in enumerate(graded_by_query):
        for other in readings(query, name):
            changed = [*rows[:place], measure.row(other), *rows[place + 1 :]]
            then = competition_ranks(np.stack([row.score for row in changed]).mean(0))
            for i, before in enumerate(ranks_before):
                rose, fell = before > ranks[i], before < ranks[i]
                if (rose and then[i] >= before) or (fell and then[i] <= before):
                    found.add(f"s{i}")
    return found


@settings(max_examples=80, deadline=None)
@given(
    st.data(),
    st.sampled_from(["cover", "P@2", "P@3", "Success@2", "RR", "nDCG@2"]),
    st.integers(1, 3),
)
def test_it_is_what_recomputing_with_every_other_reading_says(data, name, queries):
    graded = [
        data.draw(graded_queries(systems=4, unknowns=0, query_id=f"q{i}"))
        for i in range(queries)
    ]
    # Any ranks may have been before: the rule looks at the later board only.
    before = data.draw(st.lists(st.integers(1, 4), min_size=4, max_size=4))
    assert within(before, graded, name) == within_by_recomputing(before, graded, name)
