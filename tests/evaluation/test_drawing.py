"""Drawing with known probabilities: what they are, and that they hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.evaluation.drawing import draw, inclusion_probabilities

weights = st.lists(st.just(0.0) | st.floats(1e-3, 1e3), min_size=1, max_size=30)


def test_probabilities_go_with_the_weights_up_to_one() -> None:
    # by hand: 2 of weights 1, 1, 2 is 2 · w / 4
    assert inclusion_probabilities([1, 1, 2], 2).tolist() == [0.5, 0.5, 1.0]
    # by hand: 2 · 6 / 10 is above 1, so certain; one is left for 1, 1 and 2
    assert inclusion_probabilities([6, 1, 1, 2], 2).tolist() == [1, 0.25, 0.25, 0.5]
    assert inclusion_probabilities([0, 3, 1], 5).tolist() == [0, 1, 1]
    assert inclusion_probabilities([0, 0], 1).tolist() == [0, 0]


@given(weights, st.integers(0, 40), st.integers(0, 99))
def test_as_many_are_drawn_as_asked_for_each_once(
    given_weights: list[float], count: int, seed: int
) -> None:
    possible = np.count_nonzero(given_weights)
    drawn, probabilities = draw(given_weights, count, np.random.default_rng(seed))
    assert len(set(drawn.tolist())) == len(drawn) == min(count, possible)
    expected = inclusion_probabilities(given_weights, count)
    assert probabilities.tolist() == expected[drawn].tolist()
    assert expected.sum() == pytest.approx(min(count, possible))


def test_each_is_drawn_as_often_as_its_probability_says() -> None:
    rng, sizes, times = np.random.default_rng(7), [1, 2, 3, 4, 20], 4000
    drawn = np.concatenate([draw(sizes, 3, rng)[0] for _ in range(times)])
    share = np.bincount(drawn, minlength=5) / times
    # by hand: the last one is certain, two are left for 1, 2, 3 and 4
    expected = np.array([0.2, 0.4, 0.6, 0.8, 1.0])
    error = np.sqrt(expected * (1 - expected) / times)
    assert (np.abs(share - expected) <= 4 * error).all()
