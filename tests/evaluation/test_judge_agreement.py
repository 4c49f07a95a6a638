"""Agreement of judges: Cohen for two, Krippendorff for more, sentences for neither."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from curator.evaluation.agreement import judge_agreement

VITAL, OKAY = "vital", "okay"


def votes_of(table):
    """Votes by judge of each question, from rows of votes: v, o, or . for none."""
    words = {"v": VITAL, "o": OKAY}
    columns = range(len(next(iter(table.values()))))
    return [
        {judge: words[row[c]] for judge, row in table.items() if row[c] in words}
        for c in columns
    ]


def vote_agreement(votes):
    return judge_agreement(votes, order=(OKAY, VITAL))


def test_two_judges_have_cohens_kappa_over_what_both_voted_on():
    found = vote_agreement(votes_of({"ann": "vvvoov", "bob": "vvoov."}))
    # by hand: 3 of 5 alike; margins 3/5 and 3/5 vital: expected 13/25; (15-13)/(25-13)
    assert found.coefficient == "Cohen's kappa"
    assert found.value == pytest.approx(2 / 12)
    assert (found.items, found.same) == (5, 3)
    (pair,) = found.pairs
    assert pair.table == ((1, 1), (1, 2))
    assert (pair.items, pair.same, pair.kappa) == (5, 3, found.value)


def test_three_judges_have_krippendorffs_alpha_where_votes_may_be_missing():
    votes = votes_of({"ann": "vvoo.v", "bob": "vooov.", "cy": "v.oo.."})
    found = vote_agreement(votes)
    # by hand: pairs of votes in questions 1-4: v,v,v: 3; v,o: 2; o,o,o: 3; o,o,o: 3.
    # 4 coincide as vital (3 + 1), 7 as okay, 2 differ: 1 − 10 · 1 / (4 · 7)
    assert found.coefficient == "Krippendorff's alpha"
    assert found.value == pytest.approx(1 - 10 / 28)
    assert (found.items, found.same) == (4, 3)
    assert len(found.pairs) == 3


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"ann": "vvo"}, "No item has been judged by two judges"),
        ({"ann": "vv", "bob": "vv"}, "Every judgment is vital"),
        ({"ann": "oo", "bob": "oo", "cy": "oo"}, "Every judgment is okay"),
    ],
)
def test_where_agreement_is_undefined_a_sentence_says_why(table, said):
    found = vote_agreement(votes_of(table))
    assert found.value is None
    assert said in found.note


def test_kappa_of_more_than_two_values_is_scikit_learns():
    ann, bob = "abcabcaab", "abcbbcaca"
    items = [{"ann": a, "bob": b} for a, b in zip(ann, bob, strict=True)]
    found = judge_agreement(items)
    assert found.value == pytest.approx(cohen_kappa_score([*ann], [*bob]), abs=1e-12)
    assert (found.items, found.same, found.values, found.differ) == (9, 6, 18, 3)


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["ann", "bob", "cy", "dee"]), st.sampled_from("0123")
        ),
        max_size=6,
    )
)
def test_alpha_is_that_of_the_package_on_the_whole_table(items):
    judges = ("ann", "bob", "cy", "dee")
    table = np.array(
        [[float(item.get(judge, "nan")) for item in items] for judge in judges]
    ).reshape(4, len(items))
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    for scale in ("ordinal", "nominal"):
        found = judge_agreement(items, scale, always_alpha=True)
        if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
            assert found.value is None
            assert found.note
        else:
            expected = krippendorff.alpha(table, level_of_measurement=scale)
            assert found.value == pytest.approx(expected)
