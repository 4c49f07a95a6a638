"""``curator release`` and ``diff``, and releases wherever other commands name them."""

from __future__ import annotations

import hashlib
import json

import pytest

from tests.samples.command_line import json_of, run
from tests.samples.workspaces import small_workspace

RELEASE_KEYS = {
    "name",
    "sha256",
    "at",
    "by",
    "why",
    "event",
    "settings",
    "questions",
    "labels",
    "grades",
}


@pytest.fixture
def path(tmp_path, monkeypatch):
    small_workspace(tmp_path).close()
    monkeypatch.setenv("CURATOR_USER", "ann")
    return tmp_path / "small.db"


def freeze(path, name="v1", *options):
    return json_of("release", path, name, "--allow-partial", *options)


def test_without_a_release_the_list_says_how_to_make_one(path):
    assert json_of("release", path) == []
    assert "No releases yet. `curator release" in run("release", path).stdout


def test_a_board_that_cannot_be_made_now_is_told_and_not_shown(path):
    for question_id in ("q1/a", "q2/c"):
        run("edit", path, "vote", question_id, "vital")
    freeze(path, "v1", "--measure", "nugget-f")
    for question_id in ("q1/a", "q2/c"):
        run("edit", path, "vote", question_id, "none")
    result = run("diff", path, "v1")
    assert (
        "note: There is no board of nugget-f now. There are no votes" in result.stderr
    )
    assert "moved" not in result.stdout


def test_status_says_that_there_is_a_release_and_what_has_changed_since(path):
    step = json_of("status", path)["steps"][-1]
    assert (step["done"], step["state"]) == (False, "no release yet")
    (made,) = freeze(path)
    found = json_of("status", path)
    step = found["steps"][-1]
    assert step["done"]
    assert step["state"] == "1 release, the latest 'v1'; the bank is as it was then"
    assert step["command"] == "curator release"
    assert found["releases"] == [
        {
            "name": "v1",
            "sha256": made["sha256"],
            "at": made["at"],
            "by": "ann",
            "questions_differ": 0,
            "labels_differ": 0,
        }
    ]
    run("edit", path, "retire", "q1/b")
    found = json_of("status", path)
    assert found["releases"][0]["questions_differ"] == 1
    assert found["steps"][-1]["state"].endswith("1 question differs from it")


@pytest.mark.parametrize("kind", ["qrels", "question-qrels", "leaderboard"])
def test_what_is_exported_of_a_release_carries_its_hash_beside_it(path, tmp_path, kind):
    (made,) = freeze(path, "v1", "--why", "the pilot")
    run("edit", path, "retire", "q1/a")
    target = tmp_path / "out.txt"
    run("export", path, "--release", "v1", f"--{kind}", target)
    manifest = json.loads((tmp_path / "out.txt.manifest.json").read_text())
    assert manifest["sha256"] == hashlib.sha256(target.read_bytes()).hexdigest()
    assert manifest["bank_sha256"] == made["sha256"]
    assert manifest["release"] == {
        name: made[name] for name in ("name", "sha256", "at", "by", "why")
    }
    # The usual rule is said in no file: those of before have the same bytes.
    assert {**manifest["settings"], "label": "max"} == made["settings"]
    assert manifest["event"] == made["event"]
    # Of the workspace as it is, it is another bank and no release.
    run("export", path, f"--{kind}", target, "--allow-partial")
    manifest = json.loads((tmp_path / "out.txt.manifest.json").read_text())
    assert manifest["release"] is None
    assert manifest["bank_sha256"] != made["sha256"]


NOT_OF_A_RELEASE = {
    "another kind": (("--bank", "x"), "--bank writes the workspace as it is; a rel"),
    "a kind beside qrels": (("--qrels", "q", "--runs", "x"), "--runs writes the work"),
    "the report": (("--report", "x"), "A report is of the workspace as it is and lis"),
    "the bundle": (("--bundle", "x"), "A bundle holds the workspace with all of its"),
    "settings": (
        ("--qrels", "q", "--min-rating", "4", "-k", "3"),
        "Release 'v1' has its own settings: leave out min-rating, k.",
    ),
    "another measure": (("--leaderboard", "b", "-m", "cover"), "leave out measure."),
}


@pytest.mark.parametrize("case", NOT_OF_A_RELEASE)
def test_nothing_is_written_in_a_releases_name_that_is_not_its(
    path, tmp_path, monkeypatch, case
):
    freeze(path, "v1", "--measure", "P@2")
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.iterdir()}
    arguments, said = NOT_OF_A_RELEASE[case]
    result = run("export", path, "--release", "v1", *arguments, code=1)
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert {*tmp_path.iterdir()} == before


ERRORS = {
    "taken": ("v1", "--allow-partial"),
    "taken but for case": ("V1", "--allow-partial"),
    "number of an event": ("2025", "--allow-partial"),
    "empty": ("", "--allow-partial"),
    "control characters": ("v\x1b2", "--allow-partial"),
    "long": ("x" * 10_000, "--allow-partial"),
    "long why": ("v2", "--allow-partial", "--why", "x" * 10_000),
    "missing grades": ("v2",),
    "unknown grader": ("v2", "--grader", "nobody"),
    "unknown measure": ("v2", "--measure", "P"),
    "texts": ("v2", "--allow-partial", "--measure", "rouge-1-f1"),
    "no gold": ("v2", "--allow-partial", "--measure", "n-exam"),
    "rating": ("v2", "--min-rating", "9"),
    "restore of none": ("v2", "--restore"),
    "restore of what is": ("v1", "--restore"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_cannot_be_released_is_told_in_one_line(path, case):
    freeze(path)
    result = run("release", path, *ERRORS[case], code=1)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stderr) < 400
    assert len(json_of("release", path)) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("diff", "v2"),
        ("diff", "v1", "v2"),
        ("diff", "x" * 10_000),
        ("impact", "--since", "v2"),
        ("impact", "--since", "99"),
        ("passages", "--query", "q1", "--since", "v2"),
    ],
)
def test_an_unknown_release_is_told_in_one_line(path, arguments):
    freeze(path)
    command, *rest = arguments
    result = run(command, path, *rest, code=1)
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stderr) < 300


@pytest.mark.parametrize(
    "arguments",
    [
        ("--restore",),
        ("--why", "the pilot"),
        ("v1", "--restore", "--why", "the pilot"),
        ("v1", "--restore", "--allow-partial"),
    ],
)
def test_options_that_do_not_go_together_are_a_misuse(path, arguments):
    run("release", path, *arguments, code=2)
