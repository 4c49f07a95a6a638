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

from tests.samples.command_line import json_of, run


@pytest.mark.parametrize("line", ["keep 'x", "vote x maybe", "drop x", "retire x"])
def test_a_batch_names_the_line_that_it_cannot_read(line: str, demo_db: Path) -> None:
    edits = demo_db.with_name("edits.txt")
    edits.write_text(f"done pacemaker\n\n{line}\n")
    result = run("edit", demo_db, "batch", edits, code=2)
    assert f"{edits}, line 3: " in result.stderr
    assert json_of("status", demo_db)["queries_done"] == 0
    edits.write_bytes(b"\xff\xfe retire")
    assert "not UTF-8" in run("edit", demo_db, "batch", edits, code=1).stderr


ERRORS = {
    "no workspace": ("leaderboard", "none.db"),
    "not a workspace": ("status", "file.txt"),
    "unknown measure": ("leaderboard", "demo.db", "-m", "P20"),
    "unknown grader": ("leaderboard", "demo.db", "--grader", "flan"),
    "rating out of range": ("leaderboard", "demo.db", "--min-rating", "6"),
    "unknown query": ("leaderboard", "demo.db", "--query", "x"),
    "unknown question": ("edit", "demo.db", "retire", "x"),
    "empty question": ("edit", "demo.db", "add", "pacemaker", " "),
    "nothing to undo": ("edit", "demo.db", "undo"),
    "missing model": ("grade", "demo.db", "--grader", "embedding:/no/such/model"),
    "missing file": ("import", "demo.db", "--queries", "none.json"),
    "unknown job": ("jobs", "demo.db", "--pause", "7"),
    "guidelines that are no text": ("setup", "demo.db", "--guidelines", "demo.db"),
    "title too long": ("setup", "demo.db", "--title", "x" * 201),
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
        ("jobs", "demo.db", "--pause", "1", "--resume", "1"),
        ("grade", "demo.db", "--background", "--dry-run"),
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


def test_setup_says_how_models_are_asked(demo_db: Path) -> None:
    own = demo_db.parent / "facts.txt"
    own.write_text("State {count} facts about {query_title}.\n")
    options = ("--model", "m", "--temperature", 0.2, "--count", 5)
    found = json_of("setup", demo_db, *options, "--prompt", own, "--nuggets")
    assert found["generation"] == {
        **{"model": "m", "temperature": 0.2, "prompt": "facts", "count": 5},
        "template": "State {count} facts about {query_title}.",
        "asks_for": "nugget",
    }
    back = json_of("setup", demo_db, "--prompt", "automatic", "--temperature", "own")
    assert back["generation"]["temperature"] is None
    run("setup", demo_db, "--temperature", "warm", code=2)
    run("setup", demo_db, "--nuggets", "--prompt", "dl", code=2)


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


def test_an_export_never_writes_over_a_workspace(demo_db: Path) -> None:
    before = demo_db.read_bytes()
    result = run("export", demo_db, "--bank", demo_db, code=1)
    assert "SQLite" in result.stderr
    assert demo_db.read_bytes() == before
