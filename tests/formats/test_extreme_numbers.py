"""A number that a reader takes is one that everything after it takes too."""

from __future__ import annotations

import json

import pytest

from curator.formats.autograder.grades import read_autograder_grades
from curator.formats.trec.qrels import read_qrels
from curator.workspace import Workspace
from tests.samples.command_line import run
from tests.samples.workspaces import graded_file, graded_passage

READERS = {
    "autograder": lambda folder, grade: read_autograder_grades(graded(folder, grade)),
    "judgments": lambda folder, grade: read_qrels(qrels(folder, grade)),
}


def graded(folder, grade=2):
    passages = [
        graded_passage("p1", "q1", {"q1/a": 5}, ranks={"one": 1}, judgment=grade),
        graded_passage("p2", "q1", {"q1/a": 0}, ranks={"two": 1}, judgment=0),
    ]
    return graded_file(folder / "graded.jsonl", {"q1": passages})


def qrels(folder, grade):
    path = folder / "judgments.qrels"
    path.write_text(f"q1 0 p1 {grade}\n")
    return path


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("grade", [-30000, 30000])
def test_the_highest_and_the_lowest_judgments_are_taken_whole(tmp_path, reader, grade):
    assert READERS[reader](tmp_path, grade).judgments["q1", "p1"] == grade
    with Workspace.open(tmp_path / "w.db", create=True) as workspace:
        workspace.import_(autograder=graded(tmp_path, grade), min_relevance=1)
        pool = workspace.collection().pools["q1"]
        assert pool.judgments.tolist() == [grade, 0]
        assert workspace.verify().problems == ()


EXTREMES = {
    "the last rank": ("runs", "q1 Q0 p1 1000000 1 three\n"),
    "the least score": ("runs", "q1 Q0 p1 1 -1.7976931348623157e308 three\n"),
    "large official ranks": ("official", json.dumps({"one": 1e308, "two": 1.7e308})),
    "ranks hardly apart": (
        "official",
        json.dumps({"one": 1, "two": 1.0000000000000002}),
    ),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("what", EXTREMES)
def test_extreme_numbers_make_a_board_and_come_back_whole(tmp_path, what):
    option, content = EXTREMES[what]
    file, bundle = tmp_path / "file", tmp_path / "x.zip"
    file.write_text(content)
    path, new = tmp_path / "w.db", tmp_path / "new.db"
    for arguments in (
        ("import", path, "--autograder", graded(tmp_path), f"--{option}", file),
        ("leaderboard", path),
        ("correlate", path),
        ("status", path),
        ("verify", path),
        ("export", path, "--bundle", bundle),
        ("import", new, "--bundle", bundle),
        ("verify", new),
    ):
        if arguments[0] != "correlate" or option == "official":
            run(*arguments)
