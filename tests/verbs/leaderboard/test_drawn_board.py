"""The board of a grader that was learned from checks, with what they leave open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from curator.bank.edits import CheckPair
from curator.workspace import Workspace
from tests.samples.command_line import json_of

LEFT_OPEN = {"corrected", "rank_high", "rank_low"}


@pytest.fixture(scope="module")
def checked(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo with 60 pairs checked as its grader has them, but for every fifth."""
    path = Path(shutil.copy(built_demo, tmp_path_factory.mktemp("demo") / "demo.db"))
    with Workspace.open(path, judge="ann") as ann:
        drawn = list(ann.next_checks(60, of="pairs", seed=1))
        with ann.snapshot() as snapshot:
            said = []
            for number, one in enumerate(drawn):
                graded = snapshot.matrix("embedding", one.query_id, snapshot.bank)
                row = graded.item_ids.index(str(one.item_id))
                place = graded.pool.passage_ids.index(one.passage_id)
                yes = (graded.ratings[row, place] >= 4) != (number % 5 == 0)
                said.append("yes" if yes else "no")
        ann.record_checks(
            [
                {
                    "query_id": one.query_id,
                    "item_id": one.item_id,
                    "passage_id": one.passage_id,
                    "probability": one.probability,
                    "answer": answer,
                }
                for one, answer in zip(drawn, said, strict=True)
            ]
        )
    return path


@pytest.mark.parametrize("measure", ["cover", "nDCG@10", "P@10", "AP"])
def test_every_measure_has_intervals_ranges_and_a_sentence(
    checked: Path, measure: str
) -> None:
    with Workspace.open(checked) as workspace:
        board = workspace.leaderboard(grader="checked", measure=measure)
        drawn = workspace.drawn_board(board.settings)
        assert drawn.checks == 60
        assert "settled" in drawn.sentence.lower()
        assert {one.system: one.score for one in drawn} == pytest.approx(board.scores())
        for one in drawn:
            assert one.lower <= one.corrected <= one.upper
            assert 1 <= one.rank_low <= one.rank_high <= len(board.standings)


def test_another_graders_board_has_none(checked: Path) -> None:
    with Workspace.open(checked) as workspace:
        drawn = workspace.drawn_board(grader="embedding")
        assert not drawn.standings
        assert "embedding is not learned from checks" in drawn.sentence
        assert not workspace.drawn_board(measure="judgments:nDCG@10").standings


def test_the_command_has_them_by_system(checked: Path) -> None:
    said = json_of("leaderboard", checked, "--grader=checked")
    with Workspace.open(checked) as workspace:
        drawn = workspace.drawn_board(grader="checked")
    of_system = drawn.by_system()
    for line in said["systems"]:
        one = of_system[line["system"]]
        for name in (*LEFT_OPEN, "lower", "upper", "score"):
            assert line[name] == getattr(one, name)
    assert said["drawn"] == {"checks": 60, "sentence": drawn.sentence}


def test_too_few_checks_say_nothing(built_demo: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(built_demo, tmp_path / "demo.db"))
    with Workspace.open(path, judge="ann") as ann:
        (one,) = ann.next_checks(1, of="pairs")
        ann.apply(
            CheckPair(one.query_id, str(one.item_id), one.passage_id, "yes"), by="ann"
        )
        drawn = ann.drawn_board(grader="checked")
        assert not drawn.standings
        assert drawn.sentence == (
            "Fewer than 30 checks are too few to estimate its error."
        )
