"""Scores of passages against judgments: by hand, against scipy, and their laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from curator.evaluation.passage_agreement import passage_agreement

PAIRS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=1, max_size=40
)


def agreement(scores, grades, relevant_from=2):
    return passage_agreement(
        "rouge-1-r",
        [np.array(scores, dtype=float)],
        [np.array(grades)],
        relevant_from=relevant_from,
    )


def test_four_passages_by_hand():
    found = agreement([0, 1 / 4, 1 / 4, 1 / 2], [0, 0, 2, 3])
    # r: scores less 1/4: −1, 0, 0, 1 quarters; grades less 5/4: −5, −5, 3, 7 quarters:
    # 12 / √(2 · 108)
    assert found.pearson == pytest.approx(12 / 216**0.5)
    # ranks less 2.5: −1.5, 0, 0, 1.5 and −1, −1, .5, 1.5: 3.75 / 4.5
    assert found.spearman == pytest.approx(3.75 / 4.5)
    # of six pairs one ties in scores, another in grades, and four agree: 4 / √(5 · 5)
    assert found.kendall == pytest.approx(4 / 5)
    # relevant are the last two: above 0 and ½ of ¼, above both: 3.5 of 4
    assert found.auc == 3.5 / 4
    low, middle, high = found.levels
    assert (low.judgment, low.passages, low.mean, low.median) == (0, 2, 1 / 8, 1 / 8)
    assert (low.first_quartile, low.third_quartile) == (1 / 16, 3 / 16)
    assert (middle.lowest, middle.highest, high.judgment) == (1 / 4, 1 / 4, 3)


@given(PAIRS)
def test_all_coefficients_and_p_values_are_those_of_scipy(pairs):
    scores, grades = (np.array(side) for side in zip(*pairs, strict=True))
    found = agreement(scores / 12, grades)
    if len(pairs) < 3 or len(set(scores)) == 1 or len(set(grades)) == 1:
        assert (found.pearson, found.spearman, found.kendall) == (None, None, None)
        assert (found.pearson_p, found.kendall_p) == (None, None)
    else:
        r = stats.pearsonr(scores / 12, grades)
        rho = stats.spearmanr(scores, grades)
        tau = stats.kendalltau(scores, grades, method="asymptotic")
        assert (found.pearson, found.pearson_p) == pytest.approx(
            (r.statistic, r.pvalue), abs=1e-7
        )
        assert (found.spearman, found.spearman_p) == pytest.approx(
            (rho.statistic, rho.pvalue), abs=1e-7
        )
        assert (found.kendall, found.kendall_p) == pytest.approx(
            (tau.statistic, tau.pvalue), abs=1e-9
        )
        assert found.kendall_by_query == found.kendall
    relevant = grades >= 2
    if 0 < relevant.sum() < len(pairs):
        u = stats.mannwhitneyu(scores[relevant], scores[~relevant]).statistic
        assert found.auc == pytest.approx(
            u / (relevant.sum() * (~relevant).sum()), abs=1e-12
        )
    else:
        assert found.auc is None


def test_within_queries_the_mean_is_over_those_that_have_an_order():
    scores = [np.array([0, 1, 2.0]), np.array([2, 1, 0.0]), np.array([1, 1, 1.0])]
    found = passage_agreement(
        "rouge-1-r", scores, [np.array([0, 1, 2])] * 3, relevant_from=None
    )
    # by hand: 1, −1 and none
    assert (found.kendall_by_query, found.queries, found.auc) == (0, 2, None)
