"""String matching, an AVA model and people on the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import JudgeAnswer
from curator.evaluation.answer_checking import Confusion
from curator.verbs.answers.answer_checks import PEOPLE, STRING
from curator.workspace import Workspace
from tests.samples.checked_answers import (
    ELDER,
    SOURCE,
    answered_workspace,
    judged,
    scored,
)


@pytest.fixture
def answered(tmp_path: Path) -> Path:
    return answered_workspace(tmp_path / "answered")


def test_string_matching_needs_no_model(answered: Path) -> None:
    with Workspace.open(answered) as workspace:
        found = workspace.answer_checks()
    assert found.source == SOURCE
    assert (found.questions, found.kept, found.answers) == (2, 3, 4)
    (strings,) = found.checks
    assert (strings.name, strings.checked, strings.right) == (STRING, 4, 2)
    assert not found.pairs
    assert not found.differing()
    assert ["curator ava train" in note for note in found.notes] == [True, False]
    assert "No answer has a majority" in found.notes[1]


def test_a_model_is_held_against_strings_on_the_same_answers(answered: Path) -> None:
    name = scored(answered)
    with Workspace.open(answered) as workspace:
        found = workspace.answer_checks()
    ((first, second, counts),) = found.pairs
    assert (first.name, second.name) == (STRING, name)
    assert (first.label, second.label) == ("strings", "by-hand")
    # by hand: the model alone takes the elder Bush; "a <b>house</b>" is nobody's
    assert counts == Confusion(2, 0, 1, 1)
    assert counts.agreement == 0.75
    assert counts.kappa == pytest.approx(0.5)  # by hand: (.75 - .5) / (1 - .5)
    (one,) = found.differing()
    assert (one.answer, one.passages, one.passage_id) == (ELDER, 2, "p2")
    assert one.right == (False, True)
    # by hand: 4 of 4 and 6 words in common: 1 / (1 + exp(4 - 10 * .8))
    assert one.scores == (None, pytest.approx(0.9820138))
    assert one.people is None


def test_people_are_the_truth_for_each_check_and_for_systems(answered: Path) -> None:
    name = scored(answered)
    judged(answered)
    with Workspace.open(answered) as workspace:
        found = workspace.answer_checks()
    strings, model = found.checks
    # by hand: strings find 2 of the 3 right answers, the model all, neither another
    assert (strings.people.precision, strings.people.recall) == (1, 2 / 3)
    assert strings.people.f1 == pytest.approx(0.8)
    assert (model.people.f1, model.people.kappa) == (1, 1)
    by_system = {one.system: one for one in found.systems}
    # by hand: of s3's first passage one question has no answer, so it is wrong
    assert by_system["s1"].accuracy == {STRING: 1, name: 1, PEOPLE: 1}
    for system in ("s2", "s3"):
        assert by_system[system].accuracy == {STRING: 0, name: 0.5, PEOPLE: 0.5}
    assert (by_system["s4"].questions, by_system["s4"].accuracy[PEOPLE]) == (0, None)
    of_strings, of_model = found.agreements
    assert of_strings.measure == STRING
    assert (of_strings.systems, of_strings.kendall) == (3, pytest.approx(1))
    # by hand: errors 0, .5, .5: root of .5 / 3, and sd about their mean of 1 / 3
    assert of_strings.rmse == pytest.approx((0.5 / 3) ** 0.5)
    assert of_strings.sigma == pytest.approx((0.5 / 3 - 1 / 9) ** 0.5)
    assert (of_model.measure, of_model.rmse) == (name, 0)
    assert len(found.differing((STRING, PEOPLE))) == 1
    assert not found.differing((name, PEOPLE))


def test_a_tie_of_verdicts_is_none_and_a_judge_sees_others_after_their_own(
    answered: Path,
) -> None:
    judged(answered)
    with Workspace.open(answered, judge="bob", as_judge=True) as workspace:
        assert workspace.answer_checks().judged == 0
        workspace.apply(JudgeAnswer("q/a", ELDER, "wrong"))
        assert workspace.answer_checks().judged == 0  # one says right, one wrong
        workspace.apply(JudgeAnswer("q/b", "in the White House", "right"))
        assert workspace.answer_checks().judged == 1
