from __future__ import annotations

import itertools
import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from curator.errors import EvaluationError
from curator.evaluation.correlation import (
    Correlation,
    correlate,
    correlate_random_ties,
    kendall_tau_b,
    named_coefficient,
    spearman_rho,
    tau_ap,
    tau_top,
)

TENTHS = st.integers(0, 10).map(lambda n: n / 10)

# Farzi & Dietz 2024, Table 3, the 16 systems with an official rank:
# TQA Cover, GenQ Cover, GenQ Qrels, official rank, rank under the EXAM of 2021
CAR_Y3 = {
    "dangnt-nlp": (0.300, 0.609, 0.555, 1, 2),
    "ReRnak3_BERT": (0.288, 0.620, 0.594, 2, 5),
    "ECNU_ReRank1": (0.285, 0.572, 0.512, 8, 12),
    "ReRnak2_BERT": (0.281, 0.623, 0.593, 3, 1),
    "IRIT1": (0.279, 0.569, 0.540, 5, 7),
    "IRIT2": (0.279, 0.569, 0.540, 5, 4),
    "IRIT3": (0.279, 0.569, 0.540, 5, 9),
    "ECNU_BM25_1": (0.278, 0.602, 0.586, 8, 11),
    "Bert-ConvKNRM-50": (0.277, 0.605, 0.571, 9, 6),
    "bm25-populated": (0.275, 0.547, 0.502, 10, 8),
    "UNH-bm25-ecmpsg": (0.267, 0.522, 0.487, 11, 10),
    "Bert-DRMMTKS": (0.247, 0.366, 0.251, 12, 3),
    "ICT-DRMMTKS": (0.237, 0.369, 0.247, 16, 13),
    "UvABottomUp2": (0.148, 0.251, 0.289, 15, 16),
    "UvABM25RM3": (0.147, 0.260, 0.300, 13, 15),
    "UvABottomUpCh.": (0.145, 0.255, 0.283, 14, 14),
}


@st.composite
def two_boards(draw, *, max_systems=12):
    count = draw(st.integers(2, max_systems))
    column = st.lists(TENTHS, min_size=count, max_size=count)
    return draw(column), draw(column)


def mean_tau_ap_over_all_tie_orders(scores, reference):
    """Yilmaz et al.'s tau_AP, averaged over every order of our and the true ties."""

    def orders(values):
        return [
            order
            for order in itertools.permutations(range(len(values)))
            if all(values[a] >= values[b] for a, b in itertools.pairwise(order))
        ]

    def without_ties(walked, true_order):
        place = {system: i for i, system in enumerate(true_order)}
        shares = [
            sum(place[above] < place[walked[i]] for above in walked[:i]) / i
            for i in range(1, len(walked))
        ]
        return 2 * sum(shares) / len(shares) - 1

    values = [
        without_ties(ours, true)
        for ours in orders(scores)
        for true in orders(reference)
    ]
    return math.fsum(values) / len(values)


def test_the_three_coefficients_of_one_swapped_pair_at_the_bottom():
    # by hand: d = 0, 0, 1, 1, so rho = 1 - 6*2/(4*15) = 0.8; 5 of 6 pairs agree,
    # so tau = (5-1)/6; tau_AP = 2/3 * (1/1 + 2/2 + 2/3) - 1 = 7/9
    result = correlate(
        {"a": 0.9, "b": 0.7, "c": 0.5, "d": 0.3},
        {"a": 1, "b": 2, "c": 4, "d": 3},
        reference_is="ranks",
    )
    assert result.systems == 4
    assert result.spearman == pytest.approx(0.8)
    assert result.kendall == pytest.approx(4 / 6)
    assert result.tau_ap == pytest.approx(7 / 9)
    assert result.note == ""


@pytest.mark.parametrize(
    ("column", "spearman", "kendall"),
    [(0, 0.937, 0.841), (1, 0.869, 0.687), (2, 0.865, 0.738)],
)
def test_the_leaderboard_correlations_of_farzi_dietz_2024_table_3_come_out(
    column, spearman, kendall
):
    result = correlate(
        {system: row[column] for system, row in CAR_Y3.items()},
        {system: row[3] for system, row in CAR_Y3.items()},
        reference_is="ranks",
    )
    # printed to three decimals
    assert result.spearman == pytest.approx(spearman, abs=0.0006)
    assert result.kendall == pytest.approx(kendall, abs=0.0006)


def test_only_systems_on_both_boards_count_and_the_others_are_named():
    result = correlate(
        {"a": 0.9, "b": 0.7, "ours": 0.1},
        {"a": 1, "b": 2, "y": 3, "x": 4},
        reference_is="ranks",
    )
    assert result == Correlation(
        systems=2,
        spearman=1.0,
        kendall=1.0,
        tau_ap=1.0,
        without_reference=("ours",),
        without_score=("x", "y"),
        tau_top10=1.0,
    )
    assert result.left_out == 3


@pytest.mark.parametrize(
    ("scores", "reference", "sentence"),
    [
        ({"a": 0.5, "b": 0.5}, {"a": 1, "b": 2}, "tie on this board"),
        ({"a": 0.5, "b": 0.4}, {"a": 1, "b": 1}, "tie in the reference"),
    ],
)
def test_boards_without_an_order_get_a_sentence_and_never_a_number(
    scores, reference, sentence
):
    result = correlate(scores, reference, reference_is="ranks")
    assert (result.spearman, result.kendall, result.tau_ap) == (None, None, None)
    assert re.search(sentence, result.note)


@settings(deadline=None)  # 120 x 120 orders where five systems tie on both sides
@given(two_boards(max_systems=5))
def test_tau_ap_with_ties_is_the_mean_over_all_orders_of_the_tied(boards):
    ours, truth = boards
    if len(set(ours)) > 1 and len(set(truth)) > 1:
        assert tau_ap(ours, truth) == pytest.approx(
            mean_tau_ap_over_all_tie_orders(ours, truth)
        )


@given(two_boards())
def test_spearman_and_kendall_agree_with_scipy(boards):
    ours, truth = boards
    if len(set(ours)) > 1 and len(set(truth)) > 1:
        assert spearman_rho(ours, truth) == pytest.approx(spearmanr(*boards)[0])
        assert kendall_tau_b(ours, truth) == pytest.approx(kendalltau(*boards)[0])
    else:
        assert spearman_rho(ours, truth) is None
        assert kendall_tau_b(ours, truth) is None


@given(two_boards(max_systems=20))
def test_tau_on_top_is_scipys_of_those_systems(boards) -> None:
    ours, truth = boards
    tenth = sorted(truth, reverse=True)[:10][-1]
    best = [i for i, score in enumerate(truth) if score >= tenth]
    found = kendalltau([ours[i] for i in best], [truth[i] for i in best]).statistic
    expected = None if math.isnan(found) else pytest.approx(found)
    assert tau_top(ours, truth) == expected


# Ties on both sides: b before a on our board, c and d tie there, b and c in the truth.
OURS, TRUTH = [0.5, 0.8, 0.3, 0.3, 0.2, 0.2], [0.9, 0.7, 0.7, 0.4, 0.1, 0.0]
ON_REQUEST = {
    # by hand: of five places beneath the first, a's is wrong by all of its gap and the
    # others agree: 2 * 4/5 - 1
    "tau_gap": 0.6,
    # by hand: 2 * (0 + 1/2 + 1 + 1 + 1) / 5 - 1 of our places and
    # 2 * (0 + 1 + 2/3 + 1 + 4/5) / 5 - 1 of the true ones, their mean
    "tauap_b": 59 / 150,
    # by hand, of a to d: 3 concordant pairs, 1 discordant, one tie on either side
    "kendall@4": 2 / 5,
    "kendall@5": 2 / 3,  # autojudge-evaluate 1.1.0
}


@pytest.mark.parametrize("name", ON_REQUEST)
def test_coefficients_on_request_are_those_of_autojudge_evaluate(name: str) -> None:
    """All four are what autojudge-evaluate 1.1.0 gives of these boards."""
    assert named_coefficient(name)(OURS, TRUTH) == pytest.approx(ON_REQUEST[name])
    board, truth = (dict(zip("abcdef", s, strict=True)) for s in (OURS, TRUTH))
    found = correlate(board | {"g": 1}, truth, reference_is="scores", also=[name])
    assert found.also == {name: pytest.approx(ON_REQUEST[name])}  # g is on one side
    none = correlate(dict.fromkeys("abc", 1), truth, reference_is="scores", also=[name])
    assert none.also == {name: None}


@pytest.mark.parametrize("name", ["kendall", "kendall@0", "tau_AP", "spearman@5"])
def test_a_coefficient_that_is_none_says_which_there_are(name: str) -> None:
    with pytest.raises(EvaluationError, match="tau_gap, tauap_b, kendall@K"):
        named_coefficient(name)


# Ties within the standard error at random: Sander & Dietz 2021, section 4.1.1

SCORES = {"a": 0.50, "b": 0.45, "c": 0.30, "d": 0.10}
OFFICIAL = {"a": 1, "b": 2, "c": 4, "d": 3}
NO_ERROR = dict.fromkeys(SCORES, 0.0)


def random_ties(standard_errors, scores=SCORES, reference=OFFICIAL, **options):
    return correlate_random_ties(
        scores, standard_errors, reference, reference_is="ranks", **options
    )


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


@pytest.mark.parametrize("errors", [{}, {**NO_ERROR, "a": None}])
def test_a_system_without_a_standard_error_is_named(errors):
    result = random_ties(errors)
    assert (result.spearman, result.kendall_sd) == (None, None)
    assert "'a'" in result.note
