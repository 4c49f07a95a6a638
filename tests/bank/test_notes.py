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
