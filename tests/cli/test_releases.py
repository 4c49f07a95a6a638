"""``curator release`` and ``diff``, and releases wherever other commands name them."""

from __future__ import annotations

import hashlib
import json

import pytest

from curator.errors import EvaluationError
from curator.workspace import Workspace
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


def test_a_release_is_made_with_its_settings_and_listed(path):
    (made,) = freeze(path, "v1", "--measure", "P@2", "--why", "the pilot")
    assert made.keys() == RELEASE_KEYS
    assert made["settings"] == {
        "measure": "P@2",
        "grader": "fake-llm/Rated",
        "min_rating": 4,
        "k": 2,
        "label": "max",
    }
    # by hand: three questions, 8 pairs of which p0's two are unknown, four labels
    assert (made["questions"], made["labels"]) == (3, 4)
    assert made["grades"] == {"known": 6, "needed": 8}
    assert (made["by"], made["why"], made["event"]) == ("ann", "the pilot", 3)
    (other,) = freeze(path, "v2")
    assert json_of("release", path) == [other, made]
    table = run("release", path).stdout
    assert made["sha256"][:12] in table
    assert "the pilot" in table


def test_without_a_release_the_list_says_how_to_make_one(path):
    assert json_of("release", path) == []
    assert "No releases yet. `curator release" in run("release", path).stdout


def test_a_difference_has_questions_labels_and_systems(path):
    freeze(path, "v1", "--measure", "cover")
    run("edit", path, "retire", "q1/b")
    run("edit", path, "reword", "q1/a", "Why was it?")
    run("edit", path, "add", "q2", "Where is it?")
    found = json_of("diff", path, "v1")
    assert found.keys() == {"notes", "settings", "questions", "labels", "systems"}
    assert [(q["change"], q["before"], q["after"]) for q in found["questions"]] == [
        ("added", None, "Where is it?"),
        ("removed", "How is it?", None),
        ("reworded", "Why is it?", "Why was it?"),
    ]
    assert found["questions"][1]["question_id"] == "q1/b"
    # by hand: in q1 nothing is known of the new words; q2's labels stand by q2/c
    assert found["labels"] == [
        {"query_id": "q1", "passage_id": "p1", "before": 5, "after": None},
        {"query_id": "q1", "passage_id": "p2", "before": 4, "after": None},
    ]
    assert {one["system"]: one["score_before"] for one in found["systems"]} == {
        "one": 0.25,
        "two": 1.0,
    }
    rest = "grades are missing in {}; labels and scores use only the others."
    # by hand: p0's two; now the new words on q1's three passages, and Where? on two
    assert found["notes"] == [
        f"2 of 8 {rest}".format("v1"),
        f"5 of 7 {rest}".format("the workspace"),
    ]
    assert found["systems"][0].keys() == {
        "system",
        "score_before",
        "score_after",
        "rank_before",
        "rank_after",
    }
    table = run("diff", path, "v1").stdout
    assert "from v1 to the workspace: 3 questions" in table
    assert "2 labels" in table


def test_under_other_settings_only_the_questions_are_shown(path):
    freeze(path)
    freeze(path, "v2", "--measure", "P@2")
    result = run("diff", path, "v1", "v2")
    assert result.stderr == (
        "note: Labels and boards are not compared, because the settings differ: v1 has "
        "nDCG@10 · fake-llm/Rated · rating ≥ 4, v2 P@2 · fake-llm/Rated "
        "· rating ≥ 4.\n"
    )
    assert "from v1 to v2: 0 questions" in result.stdout
    assert "label" not in result.stdout
    found = json_of("diff", path, "v1", "v2")
    assert len(found["notes"]) == 1
    assert (found["labels"], found["systems"]) == ([], [])


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


def test_a_release_is_restored_as_an_edit_that_undoes(path):
    freeze(path)
    run("edit", path, "retire", "q1/a", "q2/c")
    table = run("release", path, "v1", "--restore").stdout
    assert table.count("restore ") == 2
    assert json_of("diff", path, "v1")["questions"] == []
    assert {e["reason"] for e in json_of("history", path)[:2]} == {"release v1"}
    run("edit", path, "undo")
    assert json_of("status", path)["retired"] == 2


def test_what_changed_since_a_release_is_asked_by_its_name(path):
    freeze(path)
    run("edit", path, "retire", "q1/b")
    by_name = json_of("impact", path, "--since", "v1", "-m", "cover")
    # its last event
    assert by_name == json_of("impact", path, "--since", "3", "-m", "cover")
    # by hand: without b, one's Cover of q1 is 1 of 1
    moved = {m["system"]: m["score_after"] for m in by_name["systems"]}
    assert moved == {"one": 0.5, "two": 1.0}
    named = json_of("passages", path, "--query", "q1", "--since", "v1")
    assert named == json_of("passages", path, "--query", "q1", "--since", "3")


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
        "Release 'v1' has its own settings: P@2, fake-llm/Rated, rating from 4 and k "
        "2. Leave out --min-rating, -k.",
    ),
    "another measure": (("--leaderboard", "b", "-m", "cover"), "Leave out --measure."),
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


def test_settings_beside_a_release_are_refused_in_python_too(path, tmp_path):
    freeze(path)
    with Workspace.open(path) as workspace:
        for given, named in (
            ((workspace.settings(),), "the settings"),
            ((), "--min-rating"),
        ):
            options = {} if given else {"min_rating": 5}
            with pytest.raises(EvaluationError, match=f"Leave out {named}"):
                workspace.export(
                    "qrels", tmp_path / "q", *given, release="v1", **options
                )


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


def test_what_python_gives_is_what_the_command_prints(path):
    (made,) = freeze(path)
    with Workspace.open(path) as workspace:
        (record,) = workspace.releases()
        assert record.sha256 == made["sha256"]
        assert workspace.release_named("v1")[1].sha256 == made["sha256"]
