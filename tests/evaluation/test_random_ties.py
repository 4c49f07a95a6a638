"""Sander & Dietz 2021, section 4.1.1: ties within the standard error, at random."""

from __future__ import annotations

import pytest

from curator.errors import EvaluationError
from curator.evaluation.comparison import drawn_queries
from curator.evaluation.correlation import (
    correlate,
    correlate_random_ties,
)

SCORES = {"a": 0.50, "b": 0.45, "c": 0.30, "d": 0.10}
OFFICIAL = {"a": 1, "b": 2, "c": 4, "d": 3}
NO_ERROR = dict.fromkeys(SCORES, 0.0)


def random_ties(standard_errors, scores=SCORES, reference=OFFICIAL, **options):
    return correlate_random_ties(
        scores, standard_errors, reference, reference_is="ranks", **options
    )


def test_without_ties_every_repeat_gives_the_plain_correlation():
    plain = correlate(SCORES, OFFICIAL, reference_is="ranks")
    result = random_ties(NO_ERROR)
    assert result.spearman == pytest.approx(plain.spearman)
    assert result.kendall == pytest.approx(plain.kendall)
    assert (result.spearman_sd, result.kendall_sd) == (0.0, 0.0)
    assert (result.systems, result.repeats, result.seed) == (4, 10, 0)


def test_systems_within_the_leaders_error_change_places_by_chance():
    # by hand: only a and b may swap, so Kendall is 4/6 in order and 2/6 swapped
    result = random_ties({**NO_ERROR, "a": 0.05}, repeats=2000)
    assert result.kendall == pytest.approx(0.5, abs=0.02)
    # SD of a fair coin between 4/6 and 2/6 is 1/6
    assert result.kendall_sd == pytest.approx(1 / 6, abs=0.01)


def test_a_follower_drawn_into_a_group_does_not_extend_it():
    # by hand: a reaches b at .45; b could reach c but does not lead, c leads next.
    # Were all three one group, c would often come first and Kendall fall below 2/6.
    errors = {**NO_ERROR, "a": 0.06, "b": 0.20}
    results = [random_ties(errors, repeats=1, seed=seed).kendall for seed in range(50)]
    assert {round(value, 6) for value in results} == {round(4 / 6, 6), round(2 / 6, 6)}


def test_among_equal_scores_the_first_name_leads_whatever_the_last_bits_say():
    # by hand: a and b both score .3 in fractions; a leads with error 0, so c stays out
    scores = {"a": 0.3, "b": 0.1 + 0.2, "c": 0.25}
    errors = {"a": 0.0, "b": 0.2, "c": 0.0}
    official = {"a": 1, "b": 2, "c": 3}
    results = {
        random_ties(errors, scores, official, repeats=1, seed=seed).kendall
        for seed in range(30)
    }
    # b a c has one of three pairs swapped, (2 - 1)/3; c never leaves the last place
    assert sorted(results) == pytest.approx([1 / 3, 1.0])


@pytest.mark.parametrize("errors", [{}, {**NO_ERROR, "a": None}])
def test_a_system_without_a_standard_error_is_named(errors):
    result = random_ties(errors)
    assert (result.spearman, result.kendall_sd) == (None, None)
    assert "'a'" in result.note


def test_a_negative_seed_is_refused():
    with pytest.raises(EvaluationError, match="seed is -1; expected 0 or more"):
        random_ties(NO_ERROR, seed=-1)
    with pytest.raises(EvaluationError):
        drawn_queries(3, samples=9, seed=-1)
