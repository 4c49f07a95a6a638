"""The Export tab's words: what is missing, files, previews, releases."""

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
from curator.evaluation.impact import LabelChange, SystemMove
from curator.evaluation.releases import FrozenItem, ReleaseDifference
from curator.evaluation.settings import Settings
from curator.formats.registry import exports
from curator.formats.templates import macro
from curator.formats.text.output_files import first_lines, output_file
from curator.store.releases import ReleaseRecord
from curator.verbs.releases.readiness import Readiness
from curator.web.components import html
from curator.web.components.words import plain
from curator.web.pages.releases import chosen_file, words
from curator.web.pages.releases import release_words as releases
from curator.web.pages.releases.releases import TEMPLATE
from curator.web.pages.releases.words import Chosen
from tests.samples.hand_made import hand_made_workspace
from tests.samples.noted_tasks import finished

SETTINGS = Settings("embedding", "P@20", 4, 20)
WHOLE = Readiness(SETTINGS, queries=3, kept=5, needed=30, known=30)
LACKING = replace(
    WHOLE,
    known=27,
    ungraded={"a": 1, "b": 1},
    unreadable={"a": 1},
    undecided={"b": 3},
    not_done=("c",),
    marks_done=True,
)
NAMES = {"a": "Autumn", "b": "Bees", "c": "Clouds"}
HOSTILE = "<script>hurt()</script> --> ]]> v1"


def test_each_thing_missing_says_how_much_where_and_where_it_is_mended() -> None:
    rows = words.missing_rows(LACKING, "embedding", NAMES)
    assert [(said, where, pick) for said, where, _, pick in rows] == [
        (
            "2 of 30 pairs are not graded by embedding",
            "in 2 queries",
            "goto:Grading",
        ),
        (
            "1 response is unreadable: states no rating",
            "in 1 query",
            "unreadable:embedding",
        ),
        ("3 proposals are undecided", "Bees", "curate:b"),
        ("1 of 3 queries is not marked done", "Clouds", "curate:c"),
    ]
    assert words.missing_rows(WHOLE, "embedding", NAMES) == []


def test_the_tick_says_what_it_overrules() -> None:
    assert words.regardless_words(LACKING) == (
        "3 grades are missing, 3 proposals are undecided, 1 query is not done"
    )


@pytest.mark.parametrize(
    ("found", "regardless", "why"),
    [
        (WHOLE, False, ""),
        (LACKING, True, ""),
        (LACKING, False, "Closed: 3 grades are missing, 3 proposals are undecided, "),
        (replace(WHOLE, settings=None, needed=0, known=0), True, "Closed until there"),
        (replace(WHOLE, kept=0, needed=0, known=0), True, "No question is kept"),
        (
            replace(WHOLE, settings=Settings("", "rouge-1-f1")),
            True,
            "rouge-1-f1 compares texts",
        ),
    ],
)
def test_freezing_is_closed_with_one_sentence(
    found: Readiness, regardless: bool, why: str
) -> None:
    said = words.why_not_freeze(found, regardless=regardless)
    assert said.startswith(why)
    assert bool(said) == bool(why)


@pytest.mark.parametrize(
    ("name", "of_now", "refused"),
    [
        ("qrels", True, True),
        ("leaderboard", True, True),
        ("bundle", True, True),
        ("qrels", False, False),  # a release was frozen knowingly
        ("bank", True, False),
        ("report", True, False),  # it says itself what is missing
    ],
)
def test_files_of_numbers_are_refused_while_something_is_missing(
    name: str, of_now: bool, refused: bool
) -> None:
    for regardless in (False, True):
        said = words.why_not_export(
            exports()[name], LACKING, of_now=of_now, regardless=regardless
        )
        assert bool(said) == (refused and not regardless)


def test_what_a_judge_may_not_know_is_for_organizers() -> None:
    kinds = exports().values()
    blind = {one.kind for one in kinds if words.why_hidden(one, WHOLE, blind=True)}
    assert blind == {
        *("autograder", "runs", "reports", "judgments", "official"),
        *("grades", "bundle", "report", "paper"),
    }
    unseen = {
        one.kind
        for one in kinds
        if words.why_hidden(one, replace(WHOLE, unseen=1), blind=False)
    }
    assert unseen == {"bundle"}


def test_a_file_name_holds_nothing_that_a_file_system_minds() -> None:
    chosen = Chosen(of="v1/../<b>", binary=True, by_subtopic=True)
    assert words.file_name("dl 19", exports()["qrels"], chosen) == (
        "dl-19-v1-..--b-qrels-binary-by-subtopic.qrels"
    )
    chosen = Chosen().with_setting("labels", "graded")
    assert words.file_name("dl19", exports()["question_qrels"], chosen) == (
        "dl19-question-qrels-graded.qrels"
    )
    csv = Chosen(form="CSV for spreadsheets")
    assert words.file_name("dl19", exports()["bank"], csv) == "dl19-bank.csv"
    assert words.file_name("dl19", exports()["qrels"], csv) == "dl19-qrels.qrels"


def test_a_release_called_now_is_not_now() -> None:
    assert Chosen(of="v1").with_setting("bank", "now") == Chosen()
    assert Chosen().with_setting("bank", "=now") == Chosen(of="now")
    assert Chosen().with_setting("bank", "=a%2Fb%20--%3E") == Chosen(of="a/b -->")


def test_a_preview_cuts_long_lines_and_shows_controls_as_pictures() -> None:
    assert words.shown_lines(["a" * 201, "a" * 200, "\x00\u202eb\t\x1b"]) == (
        "a" * 200 + "…",
        "a" * 200,
        "␀b\t␛",
    )


@pytest.mark.parametrize(
    ("shown", "more", "said"),
    [
        (20, True, "the first 20 lines"),
        (1, True, "the first line"),
        (3, False, "all 3 lines"),
        (1, False, "its one line"),
        (0, False, "an empty file"),
    ],
)
def test_a_preview_says_how_much_it_shows(shown: int, more: bool, said: str) -> None:
    assert words.preview_words(shown, more=more) == said


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


def test_other_files_are_written_while_one_is_previewed(tmp_path: Path) -> None:
    with (
        first_lines(tmp_path / "one", 1) as seen,
        output_file(tmp_path / "two") as stream,
    ):
        stream.write("a\nb\n")
    assert (tmp_path / "two").read_text() == "a\nb\n"
    assert seen.lines() == []


def test_a_preview_shows_what_means_harm_and_lets_it_do_nothing() -> None:
    shown = chosen_file.preview_html(FileResult(lines=(HOSTILE,)))
    assert "<script>" not in shown
    assert "&lt;script&gt;hurt()" in shown


@pytest.mark.parametrize(
    ("size", "said"),
    [(1, "1 byte"), (999, "999 bytes"), (12_400, "12.4 KB"), (3_100_000, "3.1 MB")],
)
def test_sizes_are_rounded(size: int, said: str) -> None:
    assert words.size_words(size) == said


def difference() -> ReleaseDifference:
    """One question each way, ten labels, one system that overtook another."""
    old, new = (FrozenItem(one, "question", f"{one}?") for one in ("old", "new"))
    return ReleaseDifference(
        (SETTINGS, SETTINGS),
        (("a", new),),
        (("a", old),),
        (
            (
                "b",
                FrozenItem("x", "question", "Was?"),
                FrozenItem("x", "question", "Is?"),
            ),
        ),
        tuple(LabelChange("a", f"p{n}", 3, None) for n in range(10)),
        (SystemMove("one", 0.5, 0.4, 1, 2), SystemMove("two", 0.45, 0.45, 2, 1)),
    )


def test_what_differs_from_a_release_is_short_lists() -> None:
    questions, labels, systems = releases.changed_lists(difference(), NAMES)
    assert [(about, plain(said), where) for about, said, where in questions[1]] == [
        ("old?", "retired since", "Autumn"),
        ("Was?", "now: Is?", "Bees"),
        ("new?", "new since", "Autumn"),
    ]
    heading, lines, more, _ = labels
    assert (heading, len(lines), more) == ("10 labels", 8, 2)
    assert plain(lines[0][1]) == "3 → none"
    assert [plain(said) for _, said, _ in systems[1]] == [
        ".500 → .400 ▼1",
        ".450 → .450 ▲1",
    ]
    assert releases.changes_words(difference()) == (
        "3 questions, 10 labels and 2 systems differ."
    )


def test_restoring_says_what_it_would_change() -> None:
    assert releases.restore_words(difference()) == (
        "1 retired, 1 kept again, 1 set back to the words of then"
    )
    nothing = replace(difference(), added=(), removed=(), reworded=())
    assert releases.restore_words(nothing) == ""
    assert releases.changes_words(replace(nothing, labels=(), systems=())) == (
        releases.SAME
    )


def test_a_release_of_any_name_is_a_row_that_does_nothing_else() -> None:
    record = ReleaseRecord(
        HOSTILE, "2026-03-14T10:42", "ann", HOSTILE, 7, "abc", "embedding", "P@20",
        *(4, 20, 5, 9, 30, 30),
    )  # fmt: skip
    rows = [(record, "2026-03-14 10:42", "P@20", releases.drift_words(12))]
    shown = macro(TEMPLATE, "table")(rows, HOSTILE, html.encoded)
    assert "<script>" not in shown
    assert "-->" not in shown.partition('data-pick="release:')[2].partition('"')[0]
    assert "12 labels have changed since" in shown


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


def test_a_file_that_could_not_be_made_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = FileResult(line="There is no such grader.")
    monkeypatch.setattr(background_files, "write_file", lambda *_: refused)
    files = LatestFiles()
    finish(files, WANTED)
    assert files.get(WANTED) == refused
    assert not FileTask(WANTED, files).is_done  # it is tried again when asked for again
    monkeypatch.setattr(
        background_files, "write_file", lambda one, place: FileResult(place, 4)
    )
    finish(files, WANTED)
    assert FileTask(WANTED, files).is_done


def test_a_bug_in_the_making_is_one_line() -> None:
    files = LatestFiles()
    files.new_path = None  # type: ignore[assignment]
    finish(files, WANTED)
    found = files.get(WANTED)
    assert found is not None
    assert found.line == background_files.UNEXPECTED


def test_what_the_command_says_of_a_file_is_read(tmp_path: Path) -> None:
    path = hand_made_workspace(tmp_path)
    wanted = FileRequest(
        path, 1, "ann", "qrels", "it: 7.qrels", replace(SETTINGS, grader="")
    )
    made = write_file(wanted, tmp_path / wanted.name)
    assert (made.line, made.what, made.size) == ("", "3 labels", 30)
    assert made.sidecar == tmp_path / "it: 7.qrels.manifest.json"
    refused = write_file(replace(wanted, release="v9"), tmp_path / "other")
    assert refused.line.startswith("No release 'v9'")


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
