"""Where grades are missing no command says a rank, a move or a label for certain.

The hand-made workspace with a fourth question in q1, which nobody has graded. By hand,
Cover at rating 4 over q1 and q2: system one answers 2 or 3 of 4 and none, so from
2/8 to 3/8; system two 1 or 2 of 4 and none, so from 1/8 to 2/8. One is first whatever
comes; two is second, or shares the first rank.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.samples.command_line import json_of, run
from tests.samples.hand_made import hand_made_workspace

COVER = ("-m", "cover")
OPEN = {"rank": None, "rank_range": [1, 2], "lower": 1 / 8, "upper": 2 / 8}
CLOSED = {"rank": 1, "rank_range": [1, 1], "lower": 2 / 8, "upper": 3 / 8}
NOTE = (
    "note: 2 grades are missing; they count as not answered, and a rank is known only "
    "as a range.\n"
)


@pytest.fixture(scope="module")
def partly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = hand_made_workspace(tmp_path_factory.mktemp("partly"))
    run("edit", path, "add", "q1", "Where is it?", "--judge", "ann")
    return path


def of_system(lines: list[dict[str, Any]], system: str, *names: str) -> dict[str, Any]:
    (line,) = (one for one in lines if one["system"] == system)
    return {name: line[name] for name in names}


def test_a_board_has_ranges_and_bounds(partly: Path) -> None:
    found = json_of("leaderboard", partly, *COVER)["systems"]
    assert of_system(found, "one", *CLOSED) == CLOSED
    assert of_system(found, "two", *OPEN) == OPEN
    printed = run("leaderboard", partly, *COVER)
    assert "1     one     0.2500  0.2500  0.2500  0.3750" in printed.stdout
    assert "1–2   two     0.1250  0.1250  0.1250  0.2500" in printed.stdout
    assert NOTE in printed.stderr


def test_an_impact_names_no_mover_and_no_open_label(partly: Path) -> None:
    reworded = json_of(
        "impact", partly, "--reword", "q1/c", "Since when is it?", *COVER
    )
    # By hand: p2's 5 was for the old words, and its label is now anything from 0 to 5;
    # p1 keeps its 5, which nothing can raise.
    assert reworded["labels"] == [
        {"query_id": "q1", "passage_id": "p2", "before": 5, "after": None}
    ]
    assert reworded["grades"] == {"missing": 4, "missing_before": 2}
    two = {f"{name}_before": value for name, value in OPEN.items()}
    assert of_system(reworded["systems"], "two", *two) == two
    printed = run(
        "impact", partly, "--reword", "q1/c", "Since when is it?", *COVER
    ).stdout
    assert "4 grades are missing, so ranks are not certain yet." in printed
    assert "▲" not in printed
