"""Notes: a judge's own words on a question, which judge nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.bank.edits import WriteNote
from curator.bank.marks import Note
from curator.errors import EditError, NothingToChangeError
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def notes(workspace: Workspace) -> tuple[Note, ...]:
    return workspace.bank().notes_of("q1")


def test_each_judge_has_one_note_on_a_question_and_all_see_them(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        ann.apply(WriteNote("q1/a", "  Why now? "))
        ann.apply(WriteNote("q1/a", "Ask Bo.", flagged=True))
    with Workspace.open(path, judge="bo", as_judge=True) as bo:
        bo.apply(WriteNote("q1/a", flagged=True))
        assert notes(bo) == (
            Note("q1/a", "ann", "Ask Bo.", flagged=True),
            Note("q1/a", "bo", "", flagged=True),
        )
        (line,) = (q for q in bo.questions() if q.question.question_id == "q1/a")
        assert line.notes == notes(bo)


def test_no_words_and_no_flag_take_a_note_away(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        with pytest.raises(NothingToChangeError, match="no note by ann"):
            ann.apply(WriteNote("q1/a", " \n"))
        ann.apply(WriteNote("q1/a", "Why?"))
        with pytest.raises(NothingToChangeError, match="this note by ann"):
            ann.apply(WriteNote("q1/a", "Why?"))
        ann.apply(WriteNote("q1/a"))
        assert notes(ann) == ()
        ann.undo("q1")
        assert notes(ann) == (Note("q1/a", "ann", "Why?"),)


def test_a_note_of_many_words_is_refused(path: Path) -> None:
    with (
        Workspace.open(path, judge="ann") as ann,
        pytest.raises(EditError, match="at most 500 characters; this one has 501"),
    ):
        ann.apply(WriteNote("q1/a", "w" * 501))
