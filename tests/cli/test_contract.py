"""The command line's contract: JSON shapes, exit statuses, one clear line for errors.

- results on stdout, notes and progress on stderr
- exit 0; 1 for a user's error in one line; 2 for a misuse of the command line
- `--format json` has the keys named in each test, whatever else it has
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from curator.workspace import Workspace
from tests.samples.command_line import json_of, run


def some_question(demo_db: Path, words: str) -> str:
    (found,) = [q for q in json_of("questions", demo_db) if words in q["text"]]
    return str(found["question_id"])


def test_an_edit_is_saved_undone_and_redone(demo_db: Path) -> None:
    question = some_question(demo_db, "MRI")

    def state() -> str:
        lines = json_of("questions", demo_db)
        return str(next(q["state"] for q in lines if q["question_id"] == question))

    assert json_of("edit", demo_db, "retire", question)["events"][0]["kind"] == "retire"
    assert state() == "retired"
    json_of("edit", demo_db, "undo")
    assert state() == "kept"
    json_of("edit", demo_db, "redo")
    assert state() == "retired"


def test_an_export_tells_of_every_file(demo_db: Path, tmp_path: Path) -> None:
    labels, bank = tmp_path / "labels: 3.qrels", tmp_path / "bank.jsonl"
    found = json_of("export", demo_db, "--qrels", labels, "--bank", bank)
    assert [(one["file"], one["kind"], one["what"]) for one in found] == [
        (str(bank), "bank", "kept items"),
        (str(labels), "qrels", "labels"),
    ]
    assert found[1]["written"] == len(labels.read_text().splitlines())
    assert found[1]["sidecar"] == f"{labels}.manifest.json"
    assert set(found[0]) == {
        *("file", "kind", "written", "what", "notices", "lost", "sidecar")
    }


@pytest.mark.parametrize(
    "line",
    [
        *("keep 'x", "vote x maybe", "key x --choice ''", "drop x", "done a --judge b"),
        "retire x",
    ],
)
def test_a_batch_names_the_line_that_it_cannot_read(line: str, demo_db: Path) -> None:
    edits = demo_db.with_name("edits.txt")
    edits.write_text(f"done pacemaker\n\n{line}\n")
    result = run("edit", demo_db, "batch", edits, code=2)
    assert f"{edits}, line 3: " in result.stderr
    assert json_of("status", demo_db)["queries_done"] == 0


def test_a_batch_that_is_not_utf8_is_refused_in_a_line(demo_db: Path) -> None:
    edits = demo_db.with_name("edits.txt")
    edits.write_bytes(b"\xff\xfe retire")
    result = run("edit", demo_db, "batch", edits, code=1)
    assert "not UTF-8" in result.stderr


def test_help_needs_no_workspace(demo_db: Path) -> None:
    for words in (("edit", "vote", "--help"), ("edit", demo_db, "vote", "--help")):
        assert "{vital|okay|none}" in run(*words).stdout
    assert "COMMAND" in run("edit", demo_db, "--help").stdout


def test_edits_given_together_undo_as_one(demo_db: Path) -> None:
    ids = [q["question_id"] for q in json_of("questions", demo_db)][:3]
    json_of("edit", demo_db, "retire", *ids)
    assert json_of("status", demo_db)["retired"] == 3

    json_of("edit", demo_db, "undo")

    assert json_of("status", demo_db)["retired"] == 0


ERRORS = {
    "no workspace": ("leaderboard", "none.db"),
    "not a workspace": ("status", "file.txt"),
    "unknown measure": ("leaderboard", "demo.db", "-m", "P20"),
    "unknown grader": ("leaderboard", "demo.db", "--grader", "flan"),
    "rating out of range": ("leaderboard", "demo.db", "--min-rating", "6"),
    "k out of range": ("leaderboard", "demo.db", "-k", "0"),
    "unknown query": ("leaderboard", "demo.db", "--query", "x"),
    "unknown subtopic": ("leaderboard", "demo.db", "--subtopic", "x"),
    "unknown question": ("edit", "demo.db", "retire", "x"),
    "unknown question in impact": ("impact", "demo.db", "--retire", "x"),
    "unknown query to add to": ("edit", "demo.db", "add", "x", "why?"),
    "empty question": ("edit", "demo.db", "add", "pacemaker", " "),
    "nothing to undo": ("edit", "demo.db", "undo"),
    "nothing to redo": ("edit", "demo.db", "redo"),
    "unknown event": ("impact", "demo.db", "--since", "999"),
    "unknown reference": ("correlate", "demo.db", "--against", "nobody"),
    "unknown grader to grade with": ("grade", "demo.db", "--grader", "embeding"),
    "missing model": ("grade", "demo.db", "--grader", "embedding:/no/such/model"),
    "missing file": ("import", "demo.db", "--queries", "none.json"),
    "unknown job": ("jobs", "demo.db", "--pause", "7"),
    "unknown grader for a job": (
        "grade",
        "demo.db",
        "--grader",
        "embeding",
        "--background",
    ),
    "missing guidelines": ("setup", "demo.db", "--guidelines", "none.md"),
    "guidelines that are no text": ("setup", "demo.db", "--guidelines", "demo.db"),
    "title too long": ("setup", "demo.db", "--title", "x" * 201),
    "too many questions to write first": ("setup", "demo.db", "--human-first", "21"),
    "no model to ask as usual": ("setup", "demo.db", "--count", "5"),
    "too warm": ("setup", "demo.db", "--model", "m", "--temperature", "2.5"),
    "no such prompt": ("setup", "demo.db", "--model", "m", "--prompt", "none"),
    "nothing to import": ("import", "demo.db"),
    "unwritable export": ("export", "demo.db", "--qrels", "no/such/folder/q.qrels"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_a_users_error_is_one_line_and_exit_status_1(
    case: str, demo_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo_db.parent)
    Path("file.txt").write_text("not a database, and long enough to be read as one" * 9)
    before = demo_db.read_bytes()

    result = run(*ERRORS[case], code=1)
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: ")
    assert "Traceback" not in line
    assert demo_db.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("leaderboard",),
        ("leaderboard", "demo.db", "--no-such-option"),
        ("leaderboard", "demo.db", "--min-rating", "high"),
        ("correlate", "demo.db", "--ties", "random", "--seed", "-1"),
        ("impact", "demo.db"),
        ("edit", "demo.db"),
        ("edit", "demo.db", "retire"),
        ("edit", "demo.db", "done", "pacemaker", "--reason", "off topic"),
        ("jobs", "demo.db", "--pause", "1", "--resume", "1"),
        ("grade", "demo.db", "--background", "--dry-run"),
        ("grade", "demo.db", "--reparse", "--unreadable"),
        ("jobs", "demo.db", "--stop", "1", "--resume", "1"),
        ("export", "demo.db"),
    ],
)
def test_a_misuse_of_the_command_line_is_exit_status_2(
    arguments: tuple[str, ...], demo_db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo_db.parent)
    run(*arguments, code=2)


def test_a_failed_first_import_leaves_no_workspace_behind(tmp_path: Path) -> None:
    broken = tmp_path / "queries.json"
    broken.write_text("{")
    run("import", tmp_path / "new.db", "--queries", broken, code=1)
    assert [p.name for p in tmp_path.iterdir()] == ["queries.json"]


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from curator.cli import main;"
        "CliRunner().invoke(main, ['--help']);"
        "print([m for m in ('numpy', 'scipy', 'torch', 'streamlit', 'ir_measures',"
        " 'sqlite_utils', 'sentence_transformers', 'ray') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_a_leaderboard_loads_no_parser_and_no_statistics(demo_db: Path) -> None:
    code = (
        "import sys; from click.testing import CliRunner; from curator.cli import main;"
        f"r = CliRunner().invoke(main, ['leaderboard', {str(demo_db)!r}]);"
        "print(r.exit_code, [m for m in ('scipy', 'torch', 'streamlit', 'ir_measures',"
        " 'sqlite_utils', 'curator.formats.trec.runs') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "0 []"


def test_an_export_never_writes_over_a_workspace(demo_db: Path) -> None:
    before = demo_db.read_bytes()
    result = run("export", demo_db, "--bank", demo_db, code=1)
    assert "SQLite" in result.stderr
    assert demo_db.read_bytes() == before


def test_the_history_says_why_and_what_the_judge_could_see(demo_db: Path) -> None:
    question = some_question(demo_db, "MRI")
    json_of("edit", demo_db, "retire", question, "--reason", "off topic")
    with Workspace.open(demo_db) as workspace:
        workspace.undo(shown="leaderboard hidden")

    undone, retired = json_of("history", demo_db)

    assert (retired["reason"], retired["shown"]) == ("off topic", None)
    assert (undone["reason"], undone["shown"]) == (None, "leaderboard hidden")
    lines = run("history", demo_db, "--format", "tsv").stdout.splitlines()
    assert lines[0].split("\t")[-2:] == ["reason", "shown"]
    assert lines[1].split("\t")[-2:] == ["", "leaderboard hidden"]
    assert lines[2].split("\t")[-2:] == ["off topic", ""]
    assert "off topic" in run("history", demo_db).stdout


def test_setup_sets_what_is_named_and_prints_what_is_set(demo_db: Path) -> None:
    guidelines = demo_db.parent / "guidelines.md"
    guidelines.write_text("# Facts only\n")

    found = json_of("setup", demo_db, "--guidelines", guidelines, "--blind")

    assert found == {
        "title": "Curator demo",
        "guidelines": "# Facts only",
        "blind": True,
        "min_relevance": 2,
        "human_first": 0,
        "generation": None,
    }
    status = json_of("status", demo_db)
    assert (status["blind"], status["guidelines"]) == (True, True)
    assert "blind" in run("status", demo_db).stdout
    assert json_of("setup", demo_db, "--no-blind") == {**found, "blind": False}
    assert "12 characters" in run("setup", demo_db).stdout


def test_setup_says_how_models_are_asked_and_what_judges_write_first(
    demo_db: Path,
) -> None:
    asked = ("--model", "some-model", "--temperature", 0.2, "--count", 5)
    found = json_of("setup", demo_db, "--human-first", 3, *asked)

    assert found["human_first"] == json_of("status", demo_db)["human_first"] == 3
    assert found["generation"] == {
        "model": "some-model",
        "temperature": 0.2,
        "prompt": "automatic",
        "count": 5,
    }
    assert "judges write 3 questions before they see" in run("status", demo_db).stdout

    # What is not named stays; a prompt of one's own is kept with its words.
    own = demo_db.parent / "facts.txt"
    own.write_text("State {count} facts about {query_title}.\n")
    found = json_of("setup", demo_db, "--prompt", own, "--nuggets")
    assert found["generation"] == {
        "model": "some-model",
        "temperature": 0.2,
        "prompt": "facts",
        "count": 5,
        "template": "State {count} facts about {query_title}.",
        "asks_for": "nugget",
    }
    (said, *_) = json_of("generate", demo_db, "--query", "pacemaker", "--dry-run")[
        "texts"
    ]
    assert said["text"].startswith("State 5 facts about ")
    back = ("--prompt", "automatic", "--temperature", "own", "--human-first", 0)
    found = json_of("setup", demo_db, *back)
    assert found["generation"]["prompt"] == "automatic"
    assert found["generation"]["temperature"] is None
    assert found["human_first"] == 0
    assert "some-model" in run("setup", demo_db).stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--temperature", "warm"),
        ("--nuggets",),
        ("--nuggets", "--prompt", "dl"),
        ("--human-first", "some"),
    ],
)
def test_setup_refuses_options_that_mean_nothing(
    demo_db: Path, options: tuple[str, ...]
) -> None:
    run("setup", demo_db, "--model", "m", *options, code=2)
