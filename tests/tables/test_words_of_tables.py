"""What tables say of themselves: settings, singulars, and votes by their question."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import Vote
from curator.tables.files import counted_kind
from tests.samples.command_line import run
from tests.samples.workspaces import small_workspace
from tests.snapshot.test_gold_articles import gold_file, gold_grades


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The small workspace, on one question of which two judges differ."""
    with small_workspace(tmp_path) as workspace:
        workspace.apply(Vote("q1/a", "vital"), by="ann")
        workspace.apply(Vote("q1/a", "okay"), by="bob")
        return workspace.path


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("queries done", "1 query done"),
        ("gold articles", "1 gold article"),
        ("passages without text", "1 passage without text"),
        ("kept", "1 kept"),
    ],
)
def test_one_of_what_is_counted(many: str, one: str) -> None:
    assert counted_kind(1, many) == one
    assert counted_kind(1200, many) == f"1,200 {many}"


def test_an_exports_notes_name_their_measure_once(path: Path, tmp_path: Path) -> None:
    run("import", path, "--gold", gold_file(tmp_path))
    run("import", path, "--autograder", gold_grades(tmp_path))
    board = "--leaderboard", tmp_path / "board.tsv", "--measure", "cover"
    notes = run("export", path, *board, "--allow-partial").stderr.splitlines()
    name = "rouge-1-f1(joined,gold)"
    about_rouge = [note for note in notes if name in note]
    assert about_rouge
    assert {note.count(name) for note in about_rouge} == {1}
