"""``curator export`` refuses what would not be what its options or file name say."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.errors import EvaluationError
from curator.formats.registry import exports
from curator.verbs.files.export import FOREIGN_ENDINGS, refuse
from tests.samples.command_line import run


@pytest.mark.parametrize(
    ("kind", "name", "right"),
    [
        ("bank", "b.xlsx", ".jsonl or .csv"),
        ("runs", "r.csv.gz", ".run"),
    ],
)
def test_an_ending_that_promises_another_format_is_refused(
    workspace, tmp_path, kind, name, right
):
    target = tmp_path / name
    said = f"'{target}': --{kind} does not write .* files. Name a file in {right}\\.$"
    with pytest.raises(EvaluationError, match=said):
        workspace.export(kind, target)
    bank = tmp_path / "x.jsonl"
    result = run(
        "export", workspace.path, "--passages", bank, f"--{kind}", target, code=1
    )
    assert len(result.stderr.splitlines()) == 1
    assert not target.exists()
    assert not bank.exists()  # refused before anything is written


def test_every_kind_has_an_ending_and_the_app_writes_no_other():
    for one in exports().values():
        release = "v1" if one.only_released else None
        for ending in (*(ending for _, ending in one.forms), ".txt", "", *one.endings):
            refuse(one.kind, Path(f"x{ending}"), release)
        for ending in set(FOREIGN_ENDINGS) - set(one.endings):
            with pytest.raises(EvaluationError, match=f"does not write {ending} files"):
                refuse(one.kind, Path(f"x{ending}"), release)


def test_grades_of_our_own_go_out_in_the_same_bytes_again(
    demo_db, demo_folder, tmp_path
):
    first, again = tmp_path / "first.jsonl", tmp_path / "again.jsonl"
    run("export", demo_db, "--autograder", first)
    copy = tmp_path / "copy.db"
    given = (demo_folder / "queries.jsonl", demo_folder / "questions.jsonl", first)
    run("import", copy, *given)
    run("export", copy, "--autograder", again)
    assert again.read_bytes() == first.read_bytes()
