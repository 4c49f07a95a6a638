"""How far a board can be trusted: what moves it, when it is stale, and the gate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from curator.bank.edits import Reword
from curator.cli import main
from curator.errors import EvaluationError
from curator.verbs.checks.trust import board_trust
from curator.workspace import Workspace

COUNT = 60


@pytest.fixture
def demo(instant_demo: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "demo.db"
    copy.write_bytes(instant_demo.read_bytes())
    return copy


def check(path: Path, answer: Callable[[int], bool], count: int = COUNT) -> None:
    """Answer drawn pairs; ``answer`` is a function of the grader's rating."""
    with Workspace.open(path, judge="ann") as ann:
        drawn = ann.next_checks(count, seed=1)
        with ann.snapshot() as snapshot:
            lines = []
            for pair in drawn:
                graded = snapshot.matrix("instant", pair.query_id, snapshot.bank)
                row = graded.item_ids.index(str(pair.item_id))
                place = graded.pool.passage_ids.index(pair.passage_id)
                rating = int(graded.ratings[row, place])
                lines.append(
                    {
                        "query_id": pair.query_id,
                        "item_id": pair.item_id,
                        "passage_id": pair.passage_id,
                        "answer": "yes" if answer(rating) else "no",
                        "probability": pair.probability,
                    }
                )
        ann.record_checks(lines)


def test_a_board_is_unverified_until_somebody_checks(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        found = workspace.trust()
        assert (found.state, found.checks, found.exit_code) == ("unverified", 0, 2)
        assert found.sentence.startswith("Unverified: no checks yet.")
        with workspace.snapshot() as snapshot:
            at_once = board_trust(snapshot, workspace.settings())
        assert at_once is not None
        assert (at_once.state, at_once.expected_tau) == ("unverified", None)
        assert at_once.key == found.key


def test_answers_that_agree_with_the_grader_raise_what_is_expected(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        before = workspace.trust().expected_tau
    other = demo.with_name("other.db")
    other.write_bytes(demo.read_bytes())
    check(demo, lambda rating: rating >= 3)
    check(other, lambda rating: rating < 2)
    with Workspace.open(demo) as agreeing, Workspace.open(other) as contrary:
        high, low = agreeing.trust(), contrary.trust()
    assert high.checks == high.all_checks == COUNT
    assert high.expected_tau is not None
    assert low.expected_tau is not None
    assert before is not None
    assert low.expected_tau < min(before, high.expected_tau)
    assert high.low is not None
    assert low.low is not None
    assert low.low < 0 < high.low
    assert low.state != "trusted"
    assert (high.state == "trusted") == (
        high.probability is not None and (high.probability >= 0.95)
    )
    assert f"from {COUNT} checks" in high.sentence


def test_an_answer_that_decides_nothing_does_not_count(demo: Path) -> None:
    with Workspace.open(demo, judge="ann") as ann:
        pair = next(iter(ann.next_checks(1, seed=1)))
        line = {
            "query_id": pair.query_id,
            "item_id": pair.item_id,
            "passage_id": pair.passage_id,
            "answer": "unsure",
        }
        ann.record_checks([line])
        assert ann.trust().state == "unverified"


def test_checks_of_reworded_questions_no_longer_count(demo: Path) -> None:
    check(demo, lambda rating: rating >= 3, 30)
    with Workspace.open(demo, judge="ann") as ann:
        before = ann.trust()
        ann.apply(
            [
                Reword(question.question_id, f"{question.text} Why?")
                for question in ann.bank()
                if question.state == "kept"
            ]
        )
        ann.grade("instant")
        found = ann.trust()
        assert (found.state, found.checks, found.all_checks) == ("stale", 0, 30)
        assert found.sentence.startswith("Stale: 0 of 30 checks still count")
        assert found.key != before.key
        ann.undo()
        assert ann.trust().sentence == before.sentence


def test_what_can_be_asked_for_is_checked(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        for wrong in ({"tau": 1.0}, {"confidence": 0.4}, {"confidence": 0.999}):
            with pytest.raises(EvaluationError, match="expected"):
                workspace.trust(**wrong)
        of_texts = workspace.settings(measure="rouge-1-r")
        with pytest.raises(EvaluationError, match="not made of a grader's labels"):
            workspace.trust(of_texts)
        with workspace.snapshot() as snapshot:
            assert board_trust(snapshot, of_texts) is None


@pytest.mark.parametrize(("tau", "code"), [("-.9", 0), (".999", 1), (".6", 2)])
def test_a_pipeline_learns_it_by_the_exit_code(demo: Path, tau: str, code: int) -> None:
    check(demo, lambda rating: rating % 2 == 0, 30)
    result = CliRunner().invoke(
        main, ["gate", str(demo), f"--tau={tau}", "--format", "json"]
    )
    assert result.exit_code == code, result.output
    printed = json.loads(result.stdout)
    assert printed["checks"] == 30
    assert printed["least_tau"] == float(tau)
    assert {"state", "sentence", "deciding", "key"} <= printed.keys()


def test_an_error_is_no_verdict(demo: Path) -> None:
    for words in (["none.db"], [str(demo), "--tau", "2"], [str(demo), "--tau", "x"]):
        assert CliRunner().invoke(main, ["gate", *words]).exit_code == 3


def test_new_checks_decide_beside_many_that_no_longer_count(demo: Path) -> None:
    check(demo, lambda rating: rating >= 3, 70)
    with Workspace.open(demo, judge="ann") as ann:
        ann.apply(
            [
                Reword(question.question_id, f"{question.text} Why?")
                for question in ann.bank()
                if question.state == "kept"
            ]
        )
        ann.grade("instant")
    check(demo, lambda rating: rating >= 3, 30)
    with Workspace.open(demo) as workspace:
        found = workspace.trust(tau=-0.9)
        assert (found.state, found.checks, found.all_checks) == ("trusted", 30, 100)
        assert workspace.trust().state == "stale"


def test_a_judge_is_told_that_others_checks_are_hidden(demo: Path) -> None:
    check(demo, lambda rating: rating >= 3, 30)
    with Workspace.open(demo, judge="bob", as_judge=True) as bob:
        assert bob.trust().sentence.startswith("Unverified here: others' checks")
