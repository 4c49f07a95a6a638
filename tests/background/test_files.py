"""Files made in the background and their first lines."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from curator.background import files as background_files
from curator.background.files import (
    FileRequest,
    FileResult,
    FileTask,
    LatestFiles,
    export_arguments,
    write_file,
)
from curator.background.service import Service
from curator.evaluation.settings import Settings
from curator.formats.text.output_files import first_lines, output_file
from tests.samples.hand_made import hand_made_workspace
from tests.samples.noted_tasks import finished

SETTINGS = Settings("embedding", "P@20", 4, 20)


def test_no_more_is_written_for_a_preview_than_it_shows(tmp_path: Path) -> None:
    target, written = tmp_path / "large.run", 0
    with first_lines(target, 3) as seen, output_file(target) as stream:
        for number in range(1_000_000):
            stream.write(f"{number}\n")
            written += 1
    assert (seen.lines(), seen.cut, written) == (["0", "1", "2"], True, 3)
    with first_lines(target, 3) as seen, output_file(target) as stream:
        stream.write("one line")
    assert (seen.lines(), seen.cut) == (["one line"], False)
    with first_lines(target, 3) as seen, output_file(target) as stream:
        stream.writelines(["x" * 50_000, "y"])
    assert (seen.lines(), seen.cut) == (["x" * 50_000], True)
    assert list(tmp_path.iterdir()) == []


WANTED = FileRequest(
    Path("/x/--w.db"), 7, "ann", "bundle", "w.zip", SETTINGS, partial=True
)


def finish(files: LatestFiles, wanted: FileRequest) -> None:
    """Have it made, and wait for it."""
    service = Service()
    service.send(FileTask(wanted, files))
    finished(service)


def test_what_is_made_beside_is_what_a_person_would_type() -> None:
    assert export_arguments(WANTED, Path("/t/w.zip")) == [
        *("export", "--bundle=/t/w.zip", "--format=json", "--grader=embedding"),
        *("--measure=P@20", "--min-rating=4", "-k", "20", "--allow-partial"),
        *("--", "/x/--w.db"),
    ]
    by_two = replace(WANTED, settings=replace(SETTINGS, min_answered=2))
    assert "--min-answered=2" in export_arguments(by_two, Path("/t/w.zip"))
    by_mean = replace(WANTED, settings=replace(SETTINGS, label="mean"))
    assert export_arguments(by_mean, Path("/t/w.zip")).count("--label=mean") == 1
    graded = replace(WANTED, kind="question_qrels", graded=True)
    assert export_arguments(graded, Path("/t/q"))[1] == "--question-qrels=/t/q"
    assert "--graded" in export_arguments(graded, Path("/t/q"))


def test_a_file_made_beside_is_there_until_six_others_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def run(wanted: FileRequest, target: Path) -> FileResult:
        target.write_text("made")
        return FileResult(target, 4)

    monkeypatch.setattr(background_files, "write_file", run)
    files = LatestFiles()
    finish(files, replace(WANTED, judge="ben"))
    made = []
    for number in range(7):
        one = replace(WANTED, pulse=number)
        finish(files, one)
        found = files.get(one)
        assert found is not None
        assert found.path is not None
        made.append(found.path)
    assert [path.exists() for path in made] == [False, *[True] * 6]
    assert files.get(replace(WANTED, pulse=0)) is None
    assert files.get(replace(WANTED, judge="ben")) is not None
    folder = files.folder
    del files
    assert not folder.exists()


def test_an_export_ends_when_its_server_is_gone(tmp_path: Path) -> None:
    path, pipe = hand_made_workspace(tmp_path), tmp_path / "pipe"
    os.mkfifo(pipe)  # nobody reads it, so what writes to it goes on for ever
    wanted = FileRequest(path, 1, "ann", "bank", "pipe")
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "curator.background.commands",
            *export_arguments(wanted, pipe),
        ],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    child.stdin.close()
    try:
        assert child.wait(30) == 1
    finally:
        child.kill()
    assert child.stderr is not None
    assert child.stderr.read() == b""
    child.stderr.close()


def test_what_the_command_says_of_a_file_is_read(tmp_path: Path) -> None:
    path = hand_made_workspace(tmp_path)
    wanted = FileRequest(
        path, 1, "ann", "qrels", "7.qrels", replace(SETTINGS, grader="")
    )
    made = write_file(wanted, tmp_path / wanted.name)
    assert (made.line, made.what, made.size) == ("", "3 labels", 30)
    assert made.sidecar == tmp_path / "7.qrels.manifest.json"
    refused = write_file(replace(wanted, release="v9"), tmp_path / "other")
    assert refused.line.startswith("No release 'v9'")
