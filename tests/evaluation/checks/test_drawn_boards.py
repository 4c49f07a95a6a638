"""What checks leave open of a board: intervals, ranges of ranks, what is settled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, t

from curator.evaluation.checks.drawn_boards import (
    DrawnScores,
    QueryUnits,
    drawn_scores,
    normal_share,
    student_quantile,
)
from curator.evaluation.checks.learned import QueryChecks, Signals, learn
from curator.evaluation.ranks import competition_ranks

QUERIES, UNITS, SYSTEMS = 20, 40, 6
Truth = dict[str, np.ndarray]


def collection(seed: int, checks: int) -> tuple[Truth, list[QueryUnits], np.ndarray]:
    """What people would say, the units with so many checks, who retrieves what.

    One grader, whose values lie too high by .2 on average and by .1 more or less in
    each query. A system retrieves ten units of a query, the better one the more of
    those that people say yes to.
    """
    rng = np.random.default_rng(seed)
    truth: Truth = {}
    signals = {}
    top = np.zeros((QUERIES, SYSTEMS, UNITS))
    for number in range(QUERIES):
        name = f"q{number}"
        yes = rng.random(UNITS) < rng.uniform(0.2, 0.5)
        values = 0.3 + 0.3 * yes + 0.1 * rng.normal() + 0.2 * rng.normal(size=UNITS)
        truth[name] = yes.astype(np.intp)
        signals[name] = Signals(
            values[:, None], values[:, None], (np.zeros(UNITS, dtype=np.intp),)
        )
        for system in range(SYSTEMS):
            liking = (0.5 + 0.1 * system) * yes + rng.normal(size=UNITS)
            top[number, system, np.argsort(-liking)[:10]] = 0.1
    flat = rng.choice(QUERIES * UNITS, checks, replace=False)
    queries = []
    for number, (name, one) in enumerate(signals.items()):
        here = np.sort(flat[flat // UNITS == number] % UNITS)
        stands_for = np.full(len(here), QUERIES * UNITS / checks)
        levels = truth[name][here]
        nothing = np.zeros(len(here))
        retrieved = (top[number] > 0).sum(axis=0).astype(np.float64)
        queries.append(
            QueryUnits(name, one, retrieved, here, levels, nothing, stands_for)
        )
    return truth, queries, top


def drawn(seed: int, checks: int) -> tuple[np.ndarray, np.ndarray, DrawnScores]:
    """The board that people would make, the learned one, and what is open of it."""
    truth, queries, top = collection(seed, checks)
    made = {
        one.query_id: QueryChecks(
            one.signals.select(one.checked), one.levels.astype(np.float64)
        )
        for one in queries
        if len(one.checked)
    }
    learned = learn(made, queries[0].signals.select(np.zeros(0, np.intp)))
    queries = [
        replace(one, predicted=learned.predicted.get(one.query_id, one.predicted))
        for one in queries
    ]
    weights = {one.query_id: top[number] for number, one in enumerate(queries)}
    true = np.mean([weights[q] @ yes for q, yes in truth.items()], axis=0)
    board = np.zeros(SYSTEMS)
    for one in queries:
        expected = np.clip(learned.predict(one.query_id, one.signals), 0, 1)
        expected[one.checked] = one.levels
        board += weights[one.query_id] @ expected / len(queries)
    found = drawn_scores(
        learned, queries, lambda q, labels: labels @ weights[q].T, board, highest=1
    )
    return true, board, found


@pytest.mark.parametrize("seeds", [10, pytest.param(40, marks=pytest.mark.long)])
def test_intervals_and_ranges_hold_what_people_would_make(seeds: int) -> None:
    held, in_range, corrected, scores = [], [], [], []
    for seed in range(seeds):
        true, board, found = drawn(seed, 80)
        ranks = competition_ranks(true)
        held.append((found.lower <= true) & (true <= found.upper))
        in_range.append((found.best <= ranks) & (ranks <= found.worst))
        corrected.append(found.corrected - true)
        scores.append(board - true)
    # Six intervals a seed, whose systems are alike: 95 % less about two errors.
    assert np.mean(held) >= 0.9
    assert np.mean(in_range) >= 0.9
    # What is retrieved is better than graders say, which the checks tell.
    assert abs(np.mean(corrected)) < abs(np.mean(scores))


def test_where_all_is_checked_nothing_is_open() -> None:
    true, board, found = drawn(0, QUERIES * UNITS)
    assert board == pytest.approx(true)
    for one in (found.corrected, found.lower, found.upper):
        assert one == pytest.approx(true, abs=1e-4)
    ranks = competition_ranks(true)
    assert found.best.tolist() == found.worst.tolist() == ranks.tolist()
    assert all(found.settled_ranks(board).places)


def test_settled_are_places_whose_order_to_both_neighbours_holds() -> None:
    board = np.array([0.2, 0.9, 0.6, 0.5])  # so 1, 2, 3, 0 in order
    holds = np.zeros((4, 4))
    holds[1, 2], holds[2, 3], holds[3, 0] = 0.99, 0.7, 0.95
    apart = np.full((4, 4), 0.1)
    none = np.zeros(4)
    found = DrawnScores(none, none, none, none, none, holds, apart).settled_ranks(board)
    assert found.places == (True, False, False, True)
    # By hand: 2 and 3 are .1 apart and 1.645 · .1 is needed, so (1.645)² = 2.7055.
    assert found.times == pytest.approx(1.6448536**2)
    # 1/n − 1/1000 is .009 with 100 checks; .009/2.7055 + .001 = 1/231.2, so 131.2 more.
    assert found.sentence(100, 1000) == (
        "Settled ranks: 1, 4. 140 more checks would settle about half of the others."
    )


def test_quantiles_and_shares_are_those_of_scipy() -> None:
    for freedom in (3.0, 4.0, 7.5, 30.0, np.inf):
        assert student_quantile(freedom) == pytest.approx(
            t.ppf(0.975, freedom), abs=0.005
        )
    x = np.linspace(-9, 9, 1001)
    assert normal_share(x) == pytest.approx(norm.cdf(x), abs=1e-7)
