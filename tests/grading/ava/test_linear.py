"""The linear model and its features, Vu & Moschitti 2020, sections 4.1 and 6.2."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.ava.card import Card, Data
from grading.ava.examples import AnsweredQuestion, Example, examples_of, split
from grading.ava.linear import (
    FEATURES,
    WEIGHTS,
    LinearAva,
    features,
    question_folds,
    sim_text,
    sim_token,
    token_run,
    tokens,
    train_linear,
)
from grading.ava.model import Triple

DATA = Data(("answers.tsv",), 30, 360, 360, 0, 0, 0)
# x1 to x4, bias, Platt's A and B
BY_HAND = dict(zip(WEIGHTS, (3.0, 4.0, 2.0, -1.0, -1.0, -2.0, 0.0), strict=True))
TRIPLE = Triple(question="c d", reference="a b", candidate="A c")


def model(weights=BY_HAND, *, name="by hand", **settings):
    return LinearAva(Card(name, "linear", DATA, settings=settings, weights=weights))


@pytest.fixture(scope="module")
def questions(demo_folder):
    """The demo's thirty questions with their answers."""
    text = (demo_folder / "answers.tsv").read_text("utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    answers: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        by_label = answers.setdefault(row["Question"], {"1": [], "0": []})
        by_label[row["Label"]].append(row["Sentence"])
    return [
        AnsweredQuestion(question, tuple(by_label["1"]), tuple(by_label["0"]))
        for question, by_label in answers.items()
    ]


@pytest.fixture(scope="module")
def trained(questions):
    """A model trained on half of the demo's questions, and the other half's pairs."""
    pytest.importorskip("sklearn")
    ours, theirs = split(questions, (0.5, 0.5), seed=0)
    train, dev = examples_of(ours), examples_of(theirs)
    return train_linear(train, dev, name="half", data=DATA), train, dev


def test_its_numbers_are_scikit_learns_own(trained):
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.model_selection import PredefinedSplit
    from sklearn.svm import SVC

    ours, train, dev = trained
    matrix = [features(one.triple) for one in train]
    labels = [one.correct for one in train]
    svm = SVC(kernel="linear").fit(matrix, labels)
    weights = [ours.card.weights[name] for name in FEATURES]
    assert weights == pytest.approx(svm.coef_[0])

    triples = [one.triple for one in dev]
    new = [features(triple) for triple in triples]
    decisions = [ours.explained(triple).decision for triple in triples]
    assert decisions == pytest.approx(svm.decision_function(new))

    platt = CalibratedClassifierCV(
        SVC(kernel="linear"),
        ensemble=False,
        cv=PredefinedSplit(question_folds(train, seed=0)),
    ).fit(matrix, labels)
    assert ours.scores(triples) == pytest.approx(platt.predict_proba(new)[:, 1])


def test_the_card_holds_what_training_used_and_how_dev_went(trained):
    from sklearn.metrics import precision_recall_fscore_support

    ours, train, dev = trained
    accepted = ours.scores([one.triple for one in dev]) > 0.5
    expected = precision_recall_fscore_support(
        [one.correct for one in dev], accepted, average="binary"
    )
    best = ours.card.best
    assert (best.precision, best.recall, best.f1) == pytest.approx(expected[:3])
    assert ours.card.settings == {
        "inclusion": "printed",
        "C": 1.0,
        "folds": 5,
        "pairs": len(train),
        "drawn": False,
    }
    assert ours.card.configuration == "linear"
    assert set(ours.card.weights) == set(WEIGHTS)


def test_a_score_is_explained_by_a_sum():
    # by hand: x2 = x4 = 2 * 1 / (2 + 2), x1 = x3 = 0
    # 4 * .5 - 1 * .5 - 1 = .5, and 1 / (1 + e^(-2 * .5)) = .7310586
    told = model().explained(TRIPLE)
    assert [term.value for term in told.features] == [0, 0.5, 0, 0.5]
    assert [term.weight for term in told.features] == [3, 4, 2, -1]
    assert list(told.contributions) == list(FEATURES)
    assert list(told.contributions.values()) == [0, 2, 0, -0.5]
    assert told.bias == -1
    assert told.decision == 0.5
    assert told.score == pytest.approx(0.7310586)


@pytest.mark.parametrize("name", WEIGHTS)
def test_the_fingerprint_changes_with_every_number(name):
    assert model(BY_HAND | {name: 0.25}).fingerprint != model().fingerprint


def pairs(*labels_by_question):
    """Examples of question 0, 1 …: a right or wrong one for each R or W."""
    return [
        Example(Triple(f"question {number}", "a b", f"{label} {at}"), label == "R")
        for number, labels in enumerate(labels_by_question)
        for at, label in enumerate(labels)
    ]


@pytest.mark.parametrize(
    ("labels", "count"),
    [
        (("RW",) * 7, 5),
        (("RW", "RRW", "WWR"), 3),
        (("R", "R", "R", "RW", "RW"), 2),
        (("RW", "RW"), 2),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_no_fold_calibrates_a_question_it_learned_from(labels, count, seed):
    examples = pairs(*labels)
    folds = question_folds(examples, seed)
    assert set(folds.tolist()) == set(range(count))
    fold_of = {(one.triple.question, n) for one, n in zip(examples, folds, strict=True)}
    assert len(fold_of) == len(labels)
    for fold in range(count):
        learned = [one for one, n in zip(examples, folds, strict=True) if n != fold]
        assert {one.correct for one in learned} == {True, False}


# The paper's Table 2, word for word.
CALIFORNIA = Triple(
    question="What is the population of California?",
    reference=(
        "With slightly more than 39 million people (according to 2016 estimates), "
        "California is the nation’s most populous state—its population is almost one "
        "and a half times that of second-place Texas (28 million)."
    ),
    candidate=(
        "The resident population of California has been steadily increasing over the "
        "past few decades and has increased to 39.56 million people in 2018."
    ),
    short_answer="39 million",
)


def test_the_papers_example_has_the_features_one_counts_by_hand():
    # by hand: q has 6 tokens, r 33 and t 22; r and t share the, population, of,
    # california, and, to, 39, million, people; r and q share is, the, population, of,
    # california; q and t share the, population, of, california
    assert len(tokens(CALIFORNIA.question)) == 6
    assert len(tokens(CALIFORNIA.reference)) == 33
    assert len(tokens(CALIFORNIA.candidate)) == 22
    assert features(CALIFORNIA) == pytest.approx((0, 18 / 55, 10 / 39, 8 / 28))


@pytest.mark.parametrize(
    ("short", "reference", "printed", "reverse"),
    [
        ("39 million people", "39 Million.", 1, 0),
        ("39 million", "39 million people", 0, 1),
        ("39 million", "139 million people", 0, 0),
        ("39 million", "million 39", 0, 0),
        ("39 million", "39 or 40 million", 0, 0),
        (None, "39 million", 0, 0),
        ("", "39 million", 0, 0),
        ("39 million", "...", 0, 0),
    ],
)
def test_inclusion_is_of_a_run_of_whole_tokens(short, reference, printed, reverse):
    assert sim_token(short, reference) == printed
    assert sim_token(short, reference, inclusion="reverse") == reverse


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("George W. Bush", ("george", "w", "bush")),
        ("39.56 %", ("39", "56")),
        ("snake_case isn't", ("snake", "case", "isn", "t")),
        ("Åke Senning, ÉTÉ", ("åke", "senning", "été")),
        ("e\u0301te\u0301", ("été",)),
    ],
)
def test_tokens_are_lower_cased_runs_of_letters_and_digits(text, run):
    assert token_run(text) == run


def test_a_word_that_stands_twice_counts_once():
    # by hand: {to, be, or, not} and {to, be}: 2 * 2 / (4 + 2)
    assert sim_text("to be or not to be", "To be") == pytest.approx(2 / 3)


@given(st.text(max_size=20), st.text(max_size=20))
def test_similarity_is_symmetric_and_1_only_for_the_same_tokens(a, b):
    assert sim_text(a, b) == sim_text(b, a)
    assert 0 <= sim_text(a, b) <= 1
    assert (sim_text(a, b) == 1) == (tokens(a) == tokens(b) != frozenset())
