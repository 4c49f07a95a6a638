"""From per-query rows to a board: means, errors, ranks, bounds."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import sem

from curator.evaluation.leaderboard import (
    ROWS_PER_ARRAY,
    Leaderboard,
    ScoredQueries,
    exact_mean,
    known_shares,
    leaderboard,
    mean_scores,
)
from curator.evaluation.measures.measure import Row, fraction_row
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import graded_on, measure_named, pool_of

SETTINGS = Settings("tiny")
COVER = measure_named("cover")


def fractions(*numerators: int, of: int, upper=None) -> Row:
    counts = np.array(numerators, dtype=np.int64)
    above = counts if upper is None else np.array(upper, dtype=np.int64)
    return fraction_row(counts, above, of)


def board(rows: dict[str, Row], systems: int) -> Leaderboard:
    pools = {q: pool_of([[0]] * systems, 1, query_id=q) for q in rows}
    names = [f"s{i}" for i in range(systems)]
    return leaderboard(SETTINGS, COVER, names, pools, ScoredQueries(rows))


def test_a_score_is_the_mean_over_queries_and_its_error_the_sample_sd():
    shown = board({"a": fractions(1, 2, of=2), "b": fractions(0, 1, of=4)}, 2)
    by_system = {s.system: s for s in shown.standings}
    # by hand: s0 has 1/2 and 0, mean 1/4, sample SD sqrt(2 * (1/4)^2) = sqrt(2)/4,
    # over sqrt(2) queries: 1/4. s1 has 1 and 1/4, mean 5/8, SD (3/4)/sqrt(2): 3/8.
    assert (by_system["s0"].score, by_system["s1"].score) == (0.25, 0.625)
    assert by_system["s0"].stderr == pytest.approx(1 / 4, abs=1e-15)
    assert by_system["s1"].stderr == pytest.approx(3 / 8, abs=1e-15)
    assert [s.system for s in shown.standings] == ["s1", "s0"]
    assert shown.ranks() == {"s1": 1, "s0": 2}
    assert shown.scores() == {"s1": 0.625, "s0": 0.25}
    assert shown.queries == 2


def test_without_queries_or_systems_the_board_is_empty_and_not_nan():
    assert board({}, 3).standings == ()
    assert board({}, 3).queries == 0
    rows = {"a": fractions(of=2)}
    nobody = leaderboard(SETTINGS, COVER, [], {}, ScoredQueries(rows))
    assert (nobody.standings, nobody.queries) == ((), 1)


# A common denominator of these outgrows a float: 2 * 3 * 5 * … * 59 > 2**53.
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]


@given(
    st.lists(
        st.tuples(st.sampled_from([*PRIMES, 1, 4, 10, 20]), st.integers(0, 2**32)),
        min_size=1,
        max_size=25,
    )
)
def test_means_of_mixed_denominators_are_exact(drawn):
    rows, expected = [], [Fraction(0)] * 3
    for denominator, seed in drawn:
        counts = np.random.default_rng(seed).integers(0, denominator + 1, 3)
        rows.append(fraction_row(counts, counts, denominator))
        for i, count in enumerate(counts.tolist()):
            expected[i] += Fraction(count, denominator)
    means = [float(total / len(drawn)) for total in expected]
    assert exact_mean_of(rows) == means
    assert mean_scores(rows).score.tolist() == means


def exact_mean_of(rows):
    return exact_mean(
        np.stack([row.score for row in rows]),
        np.stack([row.numerator for row in rows]),
        [row.denominator for row in rows],
    ).tolist()


def test_a_row_made_anew_among_many_is_summed_as_if_all_were():
    draw = np.random.default_rng(3)
    some = draw.integers(0, 8, (3 * ROWS_PER_ARRAY + 5, 3))
    rows = [fraction_row(one, one, 7 + i % 3) for i, one in enumerate(some)]
    for at in (0, ROWS_PER_ARRAY - 1, ROWS_PER_ARRAY, len(rows) - 1):
        rows[at] = fraction_row(some[at - 1], some[at - 1] + 1, 11)
        means = mean_scores(rows)
        whole = {"score": "numerator", "lower": "numerator", "upper": "upper_numerator"}
        for bound, numerator in whole.items():
            counts = [(getattr(row, numerator), row.denominator) for row in rows]
            totals = [
                float(sum(Fraction(int(c[i]), of) for c, of in counts) / len(rows))
                for i in range(3)
            ]
            assert getattr(means, bound).tolist() == totals
        scores = np.stack([row.score for row in rows])
        assert means.stderr == pytest.approx(sem(scores))


counts = st.lists(st.integers(0, 6), min_size=4, max_size=4)


@st.composite
def fraction_rows(draw, systems: int = 4):
    """Rows of fractions with one denominator each and open uppers."""
    rows = []
    for _ in range(draw(st.integers(1, 6))):
        denominator = draw(st.sampled_from([1, 2, 3, 5, 6, 7, 10, 12]))
        low = [draw(st.integers(0, denominator)) for _ in range(systems)]
        high = [draw(st.integers(n, denominator)) for n in low]
        rows.append(fractions(*low, of=denominator, upper=high))
    return rows


@given(fraction_rows(), st.randoms(use_true_random=False))
def test_the_order_of_queries_changes_no_bit_of_the_board(rows, random):
    shuffled = random.sample(rows, len(rows))
    one, other = mean_scores(rows), mean_scores(shuffled)
    assert one.score.tolist() == other.score.tolist()
    assert one.upper.tolist() == other.upper.tolist()
    assert one.ranks.tolist() == other.ranks.tolist()
    if one.stderr is not None:
        assert one.stderr == pytest.approx(other.stderr, abs=1e-15)


def test_a_measure_without_bounds_in_one_query_has_none_on_the_board():
    incomplete = measure_named("AP@2").row(graded_on([[5, None]], [[0]]))
    complete = measure_named("AP@2").row(graded_on([[5, 1]], [[0]]))
    means = mean_scores([incomplete, complete])
    assert means.lower is None
    assert means.upper is None
    both = mean_scores([complete, complete])
    assert both.lower.tolist() == both.upper.tolist() == both.score.tolist()
    shown = board({"a": incomplete, "b": complete}, 1)
    assert (shown.standings[0].lower, shown.standings[0].upper) == (None, None)


def test_known_at_k_is_the_share_of_ranks_with_a_passage():
    pools = (
        pool_of([[0, 1], [None, 0], []], 2, query_id="a"),
        pool_of([[0], [0, 1, 2], []], 3, query_id="b"),
    )
    # by hand, k = 2: s0 2 + 1 of 4 ranks, s1 1 + 2 of 4, s2 none
    assert known_shares(pools, 2).tolist() == [3 / 4, 3 / 4, 0]
    # without a depth, up to the deepest of each query: 2 + 3 ranks
    assert known_shares(pools, None).tolist() == [3 / 5, 4 / 5, 0]
    assert known_shares(pools, 20).tolist() == [3 / 40, 4 / 40, 0]
