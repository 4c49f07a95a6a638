"""Which measure a name means, and what wrong names get."""

import pytest

from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.measures import measure_for
from curator.evaluation.measures.labels import (
    Precision,
)
from curator.evaluation.settings import Settings
from tests.samples.tiny_exams import graded_on, measure_named, scores_of


@pytest.mark.parametrize("reading", ["answered", "keyed"])
def test_graders_without_ratings_are_correct_from_1(reading):
    settings = Settings("tiny", "P@5", min_rating=4)
    assert measure_for(settings, reading) == Precision("P@5", 1, 5)
    settings = Settings("tiny", "P(rel=2)@5", min_rating=4)
    assert measure_for(settings, reading) == Precision("P(rel=2)@5", 2, 5)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ndcg@10", "Did you mean nDCG"),
        ("map", "Did you mean MAP or AP"),
        ("nDCG(rel=2)@10", "Did you mean nDCG"),
        ("RBP(p=2)", "Unknown measure"),
        ("", "Unknown measure ''"),
    ],
)
def test_an_unknown_measure_is_one_line_with_what_there_is(name, said):
    with pytest.raises(UnknownNameError) as error:
        measure_named(name)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["P@0", "R@0", "P@1000000"])
def test_a_cut_off_out_of_range_is_refused(name):
    # trec_eval ends the whole process where a cut-off is 0.
    with pytest.raises(EvaluationError, match="expected 1 to 999,999"):
        measure_named(name)


def test_at_min_rating_0_every_graded_passage_is_relevant():
    # by hand: the passage at rank 1 is graded, that at rank 2 is not
    assert scores_of(graded_on([[0, None]], [[0, 1]]), "P@2", 0) == [0.5]


def test_a_threshold_of_0_is_beyond_ir_measures_and_says_so():
    with pytest.raises(EvaluationError, match=r"AP\(rel=0\) cannot be computed here"):
        measure_named("AP", 0)
