"""A number that a reader takes is one that everything after it takes too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.samples.command_line import run
from tests.samples.workspaces import graded_file, graded_passage


def graded(folder: Path, grade: int = 2) -> Path:
    passages = [
        graded_passage("p1", "q1", {"q1/a": 5}, ranks={"one": 1}, judgment=grade),
        graded_passage("p2", "q1", {"q1/a": 0}, ranks={"two": 1}, judgment=0),
    ]
    return graded_file(folder / "graded.jsonl", {"q1": passages})


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("option", "content"),
    [
        ("runs", "q1 Q0 p1 1000000 1 three\nq1 Q0 p2 1 -1.79769e308 three\n"),
        ("official", json.dumps({"one": 1e308, "two": 1.7e308})),
        ("official", json.dumps({"one": 1, "two": 1.0000000000000002})),
    ],
)
def test_extreme_numbers_make_a_board_and_come_back_whole(tmp_path, option, content):
    file, bundle = tmp_path / "file", tmp_path / "x.zip"
    file.write_text(content)
    path, new = tmp_path / "w.db", tmp_path / "new.db"
    run("import", path, "--autograder", graded(tmp_path), f"--{option}", file)
    run("leaderboard", path)
    if option == "official":
        run("correlate", path)
    run("export", path, "--bundle", bundle)
    run("import", new, "--bundle", bundle)
    run("verify", new)
