"""``--min-answered``: how many questions a relevant passage answers.

The hand-made workspace: p1 answers a and b, p2 answers c; of the two p1 is judged
relevant.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.samples.command_line import json_of, run
from tests.samples.hand_made import hand_made_workspace

BY_TWO = ("--min-answered", 2)


@pytest.fixture
def hand_made(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def test_settings_say_it_only_where_it_is_not_one(hand_made: Path) -> None:
    found = json_of("leaderboard", hand_made, "-m", "P@1", *BY_TWO)
    assert found["settings"]["min_answered"] == 2
    # By hand: one retrieves p1, which two questions make relevant, two p2.
    assert [(s["system"], s["score"]) for s in found["systems"]] == [
        ("one", 0.5),
        ("two", 0.0),
    ]
    printed = run("leaderboard", hand_made, "-m", "P@1", *BY_TWO).stdout
    assert "rating ≥ 4 · labels by 2 items" in printed
    usual = run("leaderboard", hand_made, "-m", "P@1", "--format", "json").stdout
    assert "min_answered" not in usual
    given = ("--min-answered", 1, "--format", "json")
    assert run("leaderboard", hand_made, "-m", "P@1", *given).stdout == usual


def test_agreement_is_of_these_labels(hand_made: Path) -> None:
    # By hand: p1 is relevant by both; p2, relevant by one question, is by neither now.
    assert json_of("agreement", hand_made)["table"] == [[0, 0], [1, 1]]
    found = json_of("agreement", hand_made, *BY_TWO)
    assert (found["table"], found["kappa"]) == ([[1, 0], [0, 1]], 1.0)
    assert found["settings"]["min_answered"] == 2
    tables = json_of("agreement", hand_made, "--tables", *BY_TWO)
    assert (tables["min_answered"], tables["strict"]["counts"]) == (2, [[1, 0], [0, 1]])


@pytest.mark.parametrize("number", [0, -1, 100_001])
def test_a_number_that_no_bank_has_is_refused(hand_made: Path, number: int) -> None:
    refused = run("leaderboard", hand_made, "--min-answered", number, code=1).stderr
    assert f"min-answered is {number}; expected 1 to 100000 items." in refused
