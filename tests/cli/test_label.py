"""``--label``: what a passage's ratings make its label.

The hand-made workspace: of q1 p1 is rated by a and b, p2 by c; of the two p1 is judged
relevant.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def hand_made(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def ratings_of(path: Path) -> dict[str, list[int]]:
    """The ratings of q1's passages, by passage."""
    with Workspace.open(path) as workspace:
        rows = workspace.ratings("q1").values()
    return {one: [row[one] or 0 for row in rows] for one in ("p1", "p2")}


def test_labels_of_the_library_are_fractional_and_qrels_are_scaled(
    hand_made: Path,
) -> None:
    rated = ratings_of(hand_made)
    with Workspace.open(hand_made) as workspace:
        mean = {one: sum(r) / len(r) for one, r in rated.items()}
        assert workspace.labels(label="mean")["q1"] == mean
        # q1 has three questions and q2 one
        levels = {passage: round(3 * value) for passage, value in mean.items()}
        assert workspace.qrels(label="mean")["q1"] == levels
        count = {one: sum(x >= 4 for x in r) for one, r in rated.items()}
        assert workspace.labels(label="answered")["q1"] == count
        assert workspace.qrels(label="answered", min_answered=2, binary=True)["q1"] == {
            one: int(number >= 2) for one, number in count.items()
        }


def test_qrels_say_in_their_manifest_how_levels_came_about_and_are_verified(
    hand_made: Path, tmp_path: Path
) -> None:
    for label, said in (("max", False), ("mean", True), ("answered", False)):
        file = tmp_path / f"{label}.qrels"
        printed = run("export", hand_made, "--qrels", file, "--label", label)
        (path,) = tmp_path.glob(f"{label}.qrels.*json")
        manifest = json.loads(path.read_text())
        assert manifest["settings"].get("label") == (label if label != "max" else None)
        scale = {"rule": "each label times 3, rounded down", "scale": 3}
        levels = scale | {"relevant_from": 12}
        assert manifest.get("levels") == (levels if said else None)
        assert ("P(rel=12)@20 in ir_measures" in printed.stderr) == said
        run("verify", hand_made, "--against", file)
