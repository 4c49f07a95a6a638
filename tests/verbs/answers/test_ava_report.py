"""A report on a made collection: three systems, and every number by hand."""

import math

import pytest

from curator.evaluation.answer_checking import MEASURES, Confusion
from curator.formats.answer_selection import Candidate, SelectionQuestion
from curator.tables.answers import report_tables
from curator.verbs.answers.ava_report import (
    check_candidates,
    report,
    save_threshold,
    usable_questions,
)
from grading.ava.card import read_card
from tests.samples.ava_samples import KnownScores, question, write_linear, write_run

TEST = (
    question("t1", "good fine", "bad"),
    question("t2", "good fine", "bad poor"),
    question("t3", "good", ""),  # one-sided
    question("t4", "good", "bad"),  # has no other reference
)
DEV = (question("d1", "good fine", "bad"), question("d2", "good fine", "bad"))

# The model takes every "bad" for right, a bit more than "fine"; "poor" for wrong.
SCORES = {"good": 0.95, "fine": 0.6, "bad": 0.7, "poor": 0.1}
MODEL = KnownScores(lambda triple: SCORES[triple.candidate.split()[0]])


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for system, rankings in {
        "ada": {"t1": "good fine bad", "t2": "good bad fine poor"},
        "bob": {"t1": "bad good fine", "t2": "poor good bad fine"},
        "cy": {"t1": "fine bad good"},
    }.items():
        write_run(folder / system, system, rankings)
    return folder


@pytest.fixture
def dev_runs(tmp_path):
    folder = tmp_path / "dev-runs"
    folder.mkdir()
    write_run(folder / "ada", "ada", {"d1": "good bad", "d2": "good bad"})
    write_run(folder / "bob", "bob", {"d1": "bad good", "d2": "fine bad"})
    return folder


def test_systems_by_both_labels_and_how_well_the_model_sees_them(runs):
    found = report([MODEL], TEST, runs=[runs])
    (model,) = found.models
    (split,) = model.splits
    assert model.threshold == 0.5
    rows = {row.system: row for row in split.systems}
    # by hand, gold: ada is right first; t1's two right ones at 1, 2, t2's at 1, 3
    assert rows["ada"].gold["P@1"] == 1
    assert rows["ada"].gold["MAP"] == pytest.approx((1 + (1 + 2 / 3) / 2) / 2)
    assert rows["ada"].gold["MRR"] == 1
    # by hand, AVA: good, fine and bad are right, so all of t1 and t2's first three
    assert rows["ada"].ava == dict.fromkeys(MEASURES, 1)
    # by hand, gold: t1 (1/2 + 2/3) / 2, t2 (1/2 + 2/4) / 2
    assert rows["bob"].gold["P@1"] == 0
    assert rows["bob"].gold["MAP"] == pytest.approx((7 / 12 + 1 / 2) / 2)
    assert rows["bob"].gold["MRR"] == pytest.approx(1 / 2)
    # by hand, AVA: t1 all three, t2 (1/2 + 2/3 + 3/4) / 3
    assert rows["bob"].ava["P@1"] == 1 / 2
    assert rows["bob"].ava["MAP"] == pytest.approx((1 + 23 / 36) / 2)
    assert rows["bob"].ava["MRR"] == pytest.approx((1 + 1 / 2) / 2)
    # cy skipped t2, which counts 0. by hand, gold: t1 (1 + 2/3) / 2
    assert rows["cy"].gold == pytest.approx({"P@1": 0.5, "MAP": 5 / 12, "MRR": 0.5})
    assert rows["cy"].ava == dict.fromkeys(MEASURES, 0.5)

    accuracy, *_, mrr = split.agreements
    assert accuracy.measure == "P@1"
    # by hand: gold 1, 0, .5 and AVA 1, .5, .5: two pairs agree, one ties on one side
    assert accuracy.kendall == pytest.approx(2 / math.sqrt(3 * 2))
    assert accuracy.rmse == pytest.approx(math.sqrt(0.25 / 3))
    # by hand: |errors| 0, .5, 0, mean 1/6
    assert accuracy.sigma == pytest.approx(math.sqrt(0.25 / 3 - 1 / 36))
    # by hand: 1, .5, .5 and 1, .75, .5
    assert mrr.rmse == pytest.approx(math.sqrt(1 / 16 / 3))


def test_a_candidate_is_never_its_own_reference_whatever_its_case():
    one = SelectionQuestion(
        "q",
        "who?",
        (
            Candidate("a", "Jan Vermeer.", True),
            Candidate("b", "jan  vermeer", True),
            Candidate("c", "Johannes", True),
            Candidate("d", "Rembrandt", False),
        ),
    )
    used = usable_questions([one], "others", name="test")
    assert used.questions[0][1] == (
        ("Johannes",),
        ("Johannes",),
        ("Jan Vermeer.",),
        ("Jan Vermeer.", "Johannes"),
    )
    both = usable_questions([one], "all", name="test")
    assert set(both.questions[0][1]) == {("Jan Vermeer.", "Johannes")}


def test_scores_are_averaged_over_references_before_the_threshold():
    used = usable_questions([TEST[0]], "others", name="test")
    model = KnownScores(lambda triple: 0.9 if "good" in triple.reference else 0.3)
    scored = {one.candidate_id: one.score for one in check_candidates(model, used)}
    # by hand: "bad" has both references, the others one each
    assert scored == pytest.approx({"t1-good": 0.3, "t1-fine": 0.9, "t1-bad": 0.6})


def test_the_threshold_is_tuned_on_dev_and_saved(tmp_path, runs, dev_runs):
    found = report([MODEL], TEST, dev=DEV, runs=[runs, dev_runs], names=("T", "D"))
    (model,) = found.models
    # by hand: gold ada 2, bob 1. ada's tops are .95 twice, bob's .7 and .6: one of
    # bob's is above from .6 to .7
    assert model.threshold == pytest.approx(0.65)
    assert model.splits[0].agreements[0].rmse == 0
    assert any(note.startswith("D: the tuned threshold") for note in found.notes)
    dev, test = model.splits
    assert dev.agreements[0].rmse == 0
    assert (dev.data, test.data) == ("D", "T")
    assert {one.question_id[0] for one in model.disagreements} == {"t"}  # test's alone
    write_linear(tmp_path / "model")
    save_threshold(tmp_path / "model", model)
    card = read_card(tmp_path / "model")
    assert (card.threshold, card.tuned_on) == (model.threshold, "D")


def test_answers_on_which_strings_and_the_model_differ_come_surest_first():
    found = report([MODEL], TEST, examples=2)
    (model,) = found.models
    # No candidate matches another one: the model differs on all it takes for right.
    assert model.disagreeing == 6
    assert [one.candidate_id for one in model.disagreements] == ["t1-good", "t2-good"]
    first = model.disagreements[0]
    assert (first.other_check, first.correct, first.score) == (False, True, 0.95)
    assert first.reference == "fine of t1"
    assert model.splits == ()


def test_a_systems_own_score_stands_beside_the_models(tmp_path):
    run = tmp_path / "tanda.run"
    run.write_text(
        "t1 Q0 t1-fine 1 0.2 tanda\nt1 Q0 t1-bad 2 0.1 tanda\n"
        "t2 Q0 t2-poor 1 0.9 tanda\nt4 Q0 t4-good 1 0.9 tanda\n"
    )
    found = report([MODEL], TEST, runs=[run], baseline="tanda")
    baseline = found.models[0].baseline
    # By hand: "fine" is right, which the model says (.6) and the system does not (.2);
    # "poor" is wrong (.1 against .9). t4 does not count.
    assert baseline.own_counts == Confusion(0, 1, 1, 0)
    assert baseline.model_counts == Confusion(1, 0, 0, 1)
    assert [
        (one.candidate, one.other_check, one.score) for one in baseline.differing
    ] == [("poor of t2", 0.9, 0.1), ("fine of t1", 0.2, 0.6)]
    checks, differing = report_tables(found)[-2:]
    assert [row[:4] for row in checks.cells] == [
        ["tanda's own score", 0, 0, 0],
        ["known", 1, 1, 1],
    ]
    assert differing.headings[2:5] == ["tanda", "reference", "known"]
    assert differing.cells[1][3:] == ["good of t1", 0.6, "right"]
