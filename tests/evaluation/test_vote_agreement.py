"""Agreement of judges: Cohen for two, Krippendorff for more, sentences for neither."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.evaluation.votes import vote_agreement

VITAL, OKAY = "vital", "okay"


def votes_of(table):
    """Votes by question from rows of judges' votes: v, o, or . for none."""
    words = {"v": VITAL, "o": OKAY}
    return [
        tuple(
            (judge, words[row[column]])
            for judge, row in sorted(table.items())
            if row[column] in words
        )
        for column in range(len(next(iter(table.values()))))
    ]


def alpha_by_coincidences(votes):
    """Krippendorff's alpha from its coincidence matrix (2004, 11.3)."""
    coincidences = {(a, b): 0.0 for a in (VITAL, OKAY) for b in (VITAL, OKAY)}
    for one in votes:
        values = [vote for _, vote in one]
        for a, b in permutations(values, 2):
            coincidences[a, b] += 1 / (len(values) - 1)
    vital = coincidences[VITAL, VITAL] + coincidences[VITAL, OKAY]
    okay = coincidences[OKAY, OKAY] + coincidences[OKAY, VITAL]
    observed = coincidences[VITAL, OKAY]
    return 1 - (vital + okay - 1) * observed / (vital * okay)


def test_two_judges_have_cohens_kappa_over_what_both_voted_on():
    found = vote_agreement(votes_of({"ann": "vvvoov", "bob": "vvoov."}))
    # by hand: 3 of 5 alike; margins 3/5 and 3/5 vital: expected 13/25; (15-13)/(25-13)
    assert found.coefficient == "Cohen's kappa"
    assert found.value == pytest.approx(2 / 12)
    assert (found.questions, found.same) == (5, 3)
    (pair,) = found.pairs
    assert pair.table == ((1, 1), (1, 2))
    assert (pair.questions, pair.same, pair.kappa) == (5, 3, found.value)


def test_three_judges_have_krippendorffs_alpha_where_votes_may_be_missing():
    votes = votes_of({"ann": "vvoo.v", "bob": "vooov.", "cy": "v.oo.."})
    found = vote_agreement(votes)
    # by hand: pairs of votes in questions 1-4: v,v,v: 3; v,o: 2; o,o,o: 3; o,o,o: 3.
    # 4 coincide as vital (3 + 1), 7 as okay, 2 differ: 1 − 10 · 1 / (4 · 7)
    assert found.coefficient == "Krippendorff's alpha"
    assert found.value == pytest.approx(1 - 10 / 28)
    assert (found.questions, found.same) == (4, 3)
    assert len(found.pairs) == 3


@settings(max_examples=40)
@given(
    st.lists(
        st.lists(st.sampled_from("vo."), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    )
)
def test_alpha_is_that_of_the_coincidence_matrix_or_a_sentence(columns):
    names = ("ann", "bob", "cy")
    table = {name: [c[i] for c in columns] for i, name in enumerate(names)}
    votes = votes_of(table)
    found = vote_agreement(votes)
    several = [one for one in votes if len(one) > 1]
    if len({vote for one in several for _, vote in one}) < 2:
        assert found.value is None
        assert found.note
    elif len(found.judges) == 3:
        assert found.value == pytest.approx(alpha_by_coincidences(several), abs=1e-9)
        assert not found.note


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"ann": "vvo"}, "No question has votes of two judges"),
        ({"ann": "v.", "bob": ".v"}, "No question has votes of two judges"),
        ({"ann": "vv", "bob": "vv"}, "Every vote says vital"),
        ({"ann": "oo", "bob": "oo", "cy": "oo"}, "Every vote says okay"),
    ],
)
def test_where_agreement_is_undefined_a_sentence_says_why(table, said):
    found = vote_agreement(votes_of(table))
    assert found.value is None
    assert said in found.note


def test_two_who_never_voted_on_the_same_question_say_so_among_three():
    found = vote_agreement(votes_of({"ann": "vo.", "bob": "v.o", "cy": ".ov"}))
    by_pair = {(one.first, one.second): one for one in found.pairs}
    assert by_pair["ann", "bob"].kappa is None
    assert "always gave the same vote" in by_pair["ann", "bob"].note
    assert found.value is not None
