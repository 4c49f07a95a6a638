"""What is told of the languages of texts, and whose board is shown by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.errors import EvaluationError, NotGradableError
from curator.workspace import Workspace
from tests.samples.arabic import JUDGE, PASSAGES, arabic_files
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
    path = tmp_path / "w.db"
    assert "Queries: English." in run("import", path, "--bank", bank).stderr
    assert "English" not in run("import", path, "--bank", bank).stderr
    passages = arabic_files(tmp_path)["passages"]
    more = run("import", path, "--passages", passages)
    assert "Queries: English. Passages: Arabic." in more.stderr
    languages = json_of("status", path)["languages"]
    assert languages == {"queries": {"English": 1}, "passages": {"Arabic": 1}}
    assert ALONE in run("status", path).stderr


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
