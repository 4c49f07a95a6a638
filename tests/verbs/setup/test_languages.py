"""What is told of the languages of texts, and whose board is shown by default."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from curator.errors import EvaluationError, NotGradableError
from curator.workspace import Workspace
from grading.languages import language_shares
from tests.samples.arabic import JUDGE, PASSAGES, arabic_files, arabic_workspace
from tests.samples.command_line import json_of, run
from tests.samples.workspaces import FakeEncoder, graded_file, graded_passage

ALONE = "read only English"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A collection in Arabic that nobody has graded."""
    with Workspace.open(tmp_path / "w.db", create=True, judge=JUDGE) as workspace:
        imported = workspace.import_(**arabic_files(tmp_path))
        (note,) = imported.notes
        assert note.startswith("Texts: Arabic.")
        assert ALONE in note
    return tmp_path / "w.db"


def instant(path: Path, grader: str = "instant") -> None:
    """Have an instant grader grade all of it."""
    with Workspace.open(path) as workspace:
        workspace.grade(grader, encoder=FakeEncoder())


def test_import_tells_the_languages_once_for_what_it_brings(tmp_path: Path) -> None:
    bank = tmp_path / "bank.jsonl"
    bank.write_text(
        '{"query_id": "q", "query_text": "Why do leaves fall?", "items": [{"query_id": '
        '"q", "question_id": "q/a", "question_text": "What do trees save in winter?"}]}'
    )
    first = run("import", tmp_path / "w.db", "--bank", bank)
    assert first.stderr.strip().endswith("Queries: English.")
    assert "English" not in run("import", tmp_path / "w.db", "--bank", bank).stderr
    more = run("import", tmp_path / "w.db", "--passages", *_passages(tmp_path))
    assert "Queries: English. Passages: Arabic." in more.stderr
    found = json_of("status", tmp_path / "w.db")["languages"]
    assert found == {"queries": {"English": 1}, "passages": {"Arabic": 1}}
    assert ALONE in run("status", tmp_path / "w.db").stderr


def _passages(folder: Path) -> list[Path]:
    folder = folder / "arabic"
    folder.mkdir()
    return [arabic_files(folder)["passages"]]


def test_no_grader_of_english_grades_or_ranks_by_default(path: Path) -> None:
    with Workspace.open(path) as workspace:
        with pytest.raises(NotGradableError, match=f"{ALONE}.*chat:MODEL.*--grader"):
            workspace.grade()
        with pytest.raises(EvaluationError, match="--grader chat:MODEL"):
            workspace.settings()
        dry = workspace.grade("instant", dry_run=True)
        assert ALONE in dry.languages
    for grader in ("instant", "embedding", "lexical"):
        instant(path, grader)
    instant(path, "both:instant+embedding")
    with Workspace.open(path) as workspace:
        assert workspace.default_grader() is None
        with pytest.raises(EvaluationError, match=f"{ALONE}.*name it"):
            workspace.leaderboard()
        for grader in ("instant", "embedding", "both:instant+embedding"):
            board = workspace.leaderboard(grader=grader)
            assert ALONE in board.notes[0]
        assert workspace.overview().settings is None
        assert workspace.overview(grader="instant").settings
        workspace.next_steps()
        workspace.next_checks(1)
        workspace.open_norming(count=1)


def test_another_grader_is_the_default_whatever_came_first(path: Path) -> None:
    instant(path)
    passage = graded_passage("p3", "heart", {"heart/d": 5}, text=PASSAGES["p3"])
    graded = graded_file(path.with_suffix(".jsonl"), {"heart": [passage]})
    with Workspace.open(path) as workspace:
        workspace.import_(autograder=graded)
        assert workspace.default_grader() == "fake-llm/Rated"
        assert not any(ALONE in note for note in workspace.leaderboard().notes)


def test_the_report_says_what_is_not_read_and_directs_each_text(tmp_path: Path) -> None:
    path = arabic_workspace(tmp_path / "whole")
    target = tmp_path / "report.html"
    with Workspace.open(path) as workspace:
        workspace.export("report", target)
    assert ALONE in target.read_text()
    assert undirected(target.read_text()) == []
    bare = tmp_path / "bare"
    bare.mkdir()
    with Workspace.open(bare / "w.db", create=True) as workspace:
        workspace.import_(**arabic_files(bare))
        workspace.grade("instant", encoder=FakeEncoder())
        workspace.export("report", target)
        page = target.read_text()
        assert "No grader is selected that can read these texts" in page
        assert undirected(page) == []


def undirected(page: str) -> list[str]:
    """Arabic texts whose nearest element with a direction takes it from others."""

    class Directions(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.opened: list[tuple[str, str]] = []
            self.found: list[str] = []

        def handle_starttag(
            self, tag: str, attrs: list[tuple[str, str | None]]
        ) -> None:
            if tag not in ("meta", "br", "img", "input"):
                self.opened.append((tag, dict(attrs).get("dir") or ""))

        def handle_endtag(self, tag: str) -> None:
            while self.opened and self.opened.pop()[0] != tag:
                pass

        def handle_data(self, data: str) -> None:
            tags = [tag for tag, _ in self.opened]
            nearest = next((own for _, own in reversed(self.opened) if own), "")
            arabic = "Arabic" in language_shares([data])
            if arabic and nearest != "auto" and not {"title", "svg"} & {*tags}:
                self.found.append(data)

    parser = Directions()
    parser.feed(page)
    return parser.found
