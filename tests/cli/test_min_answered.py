"""``--min-answered``: how many questions a relevant passage answers.

The hand-made workspace: p1 answers a and b, p2 answers c; of the two p1 is judged
relevant.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.bank.edits import Retire
from curator.workspace import Workspace
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


def test_comparisons_correlations_and_sweeps_take_it(hand_made: Path) -> None:
    compared = json_of("compare", hand_made, "-m", "P@1", "-m", "cover", *BY_TWO)
    assert [s["score"] for s in compared["measures"][0]["systems"]] == [0.5, 0.0]
    assert json_of("correlate", hand_made, "-m", "P@1", *BY_TWO)["kendall"] == 1.0
    swept = json_of("sweep", hand_made, "-m", "P@1", *BY_TWO)
    # By hand: no passage has two ratings of 5, and without one all systems tie.
    assert [one["kendall"] for one in swept[0]["points"]] == [1.0] * 4 + [None]
    assert swept[0]["min_answered"] == 2
    printed = run("sweep", hand_made, "-m", "P@1", *BY_TWO).stdout.splitlines()[0]
    assert printed == "P@1 · fake-llm/Rated · labels by 2 items · against official"
    usual = run("sweep", hand_made, "-m", "P@1").stdout.splitlines()[0]
    assert usual == "P@1 · fake-llm/Rated · against official"


@pytest.mark.parametrize("kind", ["sweep", "scatter", "bump", "topics"])
def test_a_figure_says_it_beneath(hand_made: Path, tmp_path: Path, kind: str) -> None:
    given = (
        "-m",
        "P@1",
        "-m",
        "cover",
        *(("--system", "one") if kind == "topics" else ()),
    )
    for name, options in (("one", ()), ("two", BY_TWO)):
        run("figure", hand_made, kind, tmp_path / f"{name}.svg", *given, *options)
    one, two = ((tmp_path / f"{name}.svg").read_text() for name in ("one", "two"))
    assert "labels by" not in one
    assert "labels by 2 items" in two


def test_exported_qrels_say_it_in_their_manifest_and_are_verified(
    hand_made: Path, tmp_path: Path
) -> None:
    file = tmp_path / "labels.qrels"
    run("export", hand_made, "--qrels", file, *BY_TWO)
    assert file.read_text() == "q1 0 p1 4\nq1 0 p2 0\nq2 0 p3 0\n"
    (manifest,) = tmp_path.glob("labels*.json")
    assert json.loads(manifest.read_text())["settings"]["min_answered"] == 2
    run("verify", hand_made, "--against", file)


def test_a_release_keeps_its_labels_by_two(hand_made: Path, tmp_path: Path) -> None:
    usual = json_of("release", hand_made, "one", "-m", "P@1")[0]
    assert "min_answered" not in usual["settings"]
    assert "labels by" not in run("release", hand_made).stdout
    (frozen,) = json_of("release", hand_made, "two", "-m", "P@1", *BY_TWO)
    assert frozen["settings"] == {**usual["settings"], "min_answered": 2}
    assert frozen["sha256"] != usual["sha256"]
    table = run("release", hand_made, "--format", "tsv").stdout.splitlines()
    by = table[0].split("\t").index("labels by")
    assert [line.split("\t")[by] for line in table[1:]] == ["2", "1"]

    with Workspace.open(hand_made) as workspace:
        (record, _) = workspace.releases()
        assert record.settings.min_answered == 2
        assert not any(one.labels for one in workspace.release_drifts())
        assert workspace.release_difference("two").is_empty
        workspace.apply(Retire("q1/b"))
        # By hand: without b p1 answers one question, so its second rating is c's 0.
        fell = workspace.release_difference("two").labels
        assert [(one.passage_id, one.before, one.after) for one in fell] == [
            ("p1", 4, 0)
        ]
        assert not any(one.labels for one in workspace.release_drifts())

    file, bundle, again = (tmp_path / x for x in ("two.qrels", "all.zip", "again.db"))
    run("export", hand_made, "--qrels", file, "--release", "two")
    assert file.read_text() == "q1 0 p1 4\nq1 0 p2 0\nq2 0 p3 0\n"
    run("verify", hand_made, "--against", file)
    refused = run(
        *("export", hand_made, "--qrels", file, "--release", "two", *BY_TWO), code=1
    )
    assert "and k 1, labels by 2 items. Leave out --min-answered." in refused.stderr
    run("export", hand_made, "--bundle", bundle)
    run("import", again, "--bundle", bundle)
    run("verify", again)
    assert json_of("release", again) == json_of("release", hand_made)


@pytest.mark.parametrize("number", [0, -1, 100_001])
def test_a_number_that_no_bank_has_is_refused(hand_made: Path, number: int) -> None:
    refused = run("leaderboard", hand_made, "--min-answered", number, code=1).stderr
    assert f"min-answered is {number}; expected 1 to 100000 items." in refused
