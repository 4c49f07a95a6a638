import pytest

from curator.evaluation.answer_checking import Confusion
from curator.verbs.answers.ava_evaluation import evaluate
from grading.ava import open_ava
from grading.ava.examples import AnsweredQuestion
from tests.samples.ava_samples import KnownScores, write_linear

PAINTER = AnsweredQuestion(
    "who painted it?",
    ("Vermeer painted it", "it was Johannes Vermeer"),
    ("nobody knows", "it is blue", "it is a painting"),
)
ONE_ANSWER = AnsweredQuestion("when?", ("in 1665",), ("today",))


def likes_vermeer(triple):
    return {"nobody knows": 0.6}.get(
        triple.candidate, 0.9 if "Johannes" in triple.candidate else 0.5
    )


def test_every_pair_counts_and_questions_with_one_answer_are_left_out():
    found = evaluate(KnownScores(likes_vermeer), [PAINTER, ONE_ANSWER])
    assert (found.questions, found.left_out) == (1, 1)
    # by hand: two references, each with the other one and three wrong ones
    assert (found.positives, found.negatives) == (2, 6)
    # by hand: Johannes hit, the other one missed at exactly .5, nobody called twice
    assert found.ava == Confusion(1, 2, 1, 4)
    # No two of these are nearly the same string.
    assert found.strings == Confusion(0, 0, 2, 6)
    assert found.pairs == ()


def test_the_threshold_is_the_cards_unless_given():
    model = KnownScores(likes_vermeer, threshold=0.7)
    assert evaluate(model, [PAINTER]).ava == Confusion(1, 0, 1, 6)
    assert evaluate(model, [PAINTER], threshold=0.4).ava == Confusion(2, 6, 0, 0)


def test_pairs_of_a_linear_model_come_with_what_each_feature_adds(tmp_path):
    write_linear(tmp_path)
    found = evaluate(open_ava(tmp_path), [PAINTER], pairs=True)
    assert len(found.pairs) == 8
    first = found.pairs[0]
    assert first.triple.candidate == "it was Johannes Vermeer"
    # by hand: "it" and "vermeer" of three and of four tokens: 2 * 2 / 7, times 1
    assert first.contributions["sim-text(r,t)"] == pytest.approx(4 / 7)
    assert sum(first.contributions.values()) == pytest.approx(4 / 7)
    assert first.called_right
    assert not first.matched
