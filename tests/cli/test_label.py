"""``--label``: what a passage's ratings make its label.

The hand-made workspace: of q1 p1 is rated by a and b, p2 by c; of the two p1 is judged
relevant.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.errors import EvaluationError
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def hand_made(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def ratings_of(path: Path) -> dict[str, list[int]]:
    """The ratings of q1's passages, by passage."""
    with Workspace.open(path) as workspace:
        rows = workspace.ratings("q1").values()
    return {one: [row[one] or 0 for row in rows] for one in ("p1", "p2")}


def test_settings_say_it_in_every_json_and_in_words_where_it_is_another(
    hand_made: Path,
) -> None:
    for command in (
        ["leaderboard", hand_made],
        ["topics", hand_made, "one"],
        ["scores", hand_made],
        ["impact", hand_made, "--retire", "q1/b"],
        ["passages", hand_made, "--query", "q1"],
        ["coverage", hand_made],
        ["agreement", hand_made],
    ):
        assert json_of(*command)["settings"]["label"] == "max"
        assert json_of(*command, "--label", "mean")["settings"]["label"] == "mean"
    assert json_of("sweep", hand_made, "--label", "top3")[0]["label"] == "top3"
    tables = json_of("agreement", hand_made, "--tables", "--label", "mean")
    assert tables["label"] == "mean"
    printed = run("leaderboard", hand_made, "-m", "P@1", "--label", "answered").stdout
    assert "rating ≥ 4 · label: how many answered" in printed
    assert "label:" not in run("leaderboard", hand_made, "-m", "P@1").stdout


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
        assert manifest["settings"].get("label", "max") == label
        scale = {"rule": "each label times 3, rounded down", "scale": 3}
        levels = scale | {"relevant_from": 12}
        assert manifest.get("levels") == (levels if said else None)
        assert ("P(rel=12)@20 in ir_measures" in printed.stderr) == said
        run("verify", hand_made, "--against", file)
    assert (
        "label"
        not in json.loads((tmp_path / "max.qrels.manifest.json").read_text())[
            "settings"
        ]
    )


@pytest.mark.parametrize("label", ["mean", "top3", "answered"])
def test_a_release_keeps_its_rule_out_and_in_again(
    hand_made: Path, tmp_path: Path, label: str
) -> None:
    usual = json_of("release", hand_made, "one", "-m", "nDCG@1")[0]
    (frozen,) = json_of("release", hand_made, "two", "-m", "nDCG@1", "--label", label)
    assert frozen["settings"] == {**usual["settings"], "label": label}
    assert frozen["sha256"] != usual["sha256"]
    with Workspace.open(hand_made) as workspace:
        qrels = workspace.qrels(label=label)
        assert workspace.qrels(release="two") == qrels
        assert workspace.release_difference("two").is_empty
        assert not any(one.labels for one in workspace.release_drifts())
    bundle, again = tmp_path / "all.zip", tmp_path / "again.db"
    run("export", hand_made, "--bundle", bundle, "--label", label)
    run("import", again, "--bundle", bundle)
    run("verify", again)
    assert json_of("release", again) == json_of("release", hand_made)


@pytest.mark.parametrize("label", ["mean", "top3"])
def test_a_mean_counts_no_items(hand_made: Path, label: str) -> None:
    refused = run(
        *("leaderboard", hand_made, "--label", label, "--min-answered", 2), code=1
    )
    assert f"min-answered is 2, but the label '{label}' is a mean" in refused.stderr


def test_a_rule_there_is_not_is_refused_in_python_too(hand_made: Path) -> None:
    run("leaderboard", hand_made, "--label", "median", code=2)
    one_of = pytest.raises(EvaluationError, match="one of max, mean, top3, answered")
    with Workspace.open(hand_made) as workspace, one_of:
        workspace.settings(label="median")


def test_labels_of_a_model_have_a_name_of_their_own(
    hand_made: Path, tmp_path: Path
) -> None:
    (tmp_path / "labels.qrels").write_text("q1 0 p1 1\n")
    given = f"people={tmp_path / 'labels.qrels'}"
    refused = run("import", hand_made, "--labels", given, code=1)
    assert "Give these labels another name" in " ".join(refused.stderr.split())


@pytest.mark.parametrize("number", [0, -1, 100_001])
def test_a_number_that_no_bank_has_is_refused(hand_made: Path, number: int) -> None:
    refused = run("leaderboard", hand_made, "--min-answered", number, code=1).stderr
    assert f"min-answered is {number}; expected 1 to 100000 items." in refused
