"""A page that had no answer sends its save again; it is saved once."""

from __future__ import annotations

import time

import pytest

from curator.bank.edits import Add, Done, JudgeAnswer, Retire, Reword, Vote
from curator.errors import UndoError
from curator.workspace import Workspace
from tests.samples.workspaces import dump, in_processes, small_workspace


def test_an_edit_sent_twice_is_saved_once_and_answers_the_same(ann):
    edits = [Add("q1", "Where is it?"), Reword("q1/a", "Why so?"), Done("q1")]
    edits += [Vote("q1/b", "vital"), JudgeAnswer("q1/b", "so", "right")]
    saved = ann.apply(edits, nonce="n1")
    before = dump(ann.path)
    assert ann.apply(edits, nonce="n1") == saved
    assert dump(ann.path) == before
    assert [change.kind for change in saved.changes] == [
        *("add", "reword", "done", "vote", "verdict")
    ]


def test_a_resend_is_answered_whatever_was_saved_since(ann):
    saved = ann.apply(Reword("q1/a", "Why so?", based_on=1), nonce="n1")
    ann.apply(Reword("q1/a", "Why then?", based_on=2), nonce="n2")
    assert ann.apply(Reword("q1/a", "Why so?", based_on=1), nonce="n1") == saved
    assert ann.bank().question("q1/a").text == "Why then?"


def test_an_undo_of_an_event_sent_twice_is_not_refused_the_second_time(ann):
    (event,) = ann.apply(Retire("q1/a")).event_ids
    undone = ann.undo(event=event, nonce="u1")
    assert ann.undo(event=event, nonce="u1") == undone
    with pytest.raises(UndoError, match="already"):
        ann.undo(event=event, nonce="u2")


def test_a_save_that_was_refused_is_made_when_it_is_sent_again(ann):
    with pytest.raises(UndoError):
        ann.undo(nonce="n1")
    ann.apply(Retire("q1/a"))
    ann.undo(nonce="n1")
    assert ann.bank().question("q1/a").state == "kept"


def test_processes_that_send_one_nonce_at_once_save_it_once(tmp_path):
    """Every process sends the same edit, undo and redo; each is saved once."""
    with small_workspace(tmp_path) as workspace:
        workspace.apply(Retire("q1/b"))
        before = len(workspace.history())
    path = tmp_path / "small.db"
    start = time.time() + 0.5

    def send(i: int) -> None:
        with Workspace.open(path, judge="ann") as mine:
            while time.time() < start:
                time.sleep(0.001)
            for round_ in range(20):
                text = f"Why, round {round_}?"
                batches = [
                    mine.apply(Reword("q1/a", text), nonce=f"edit {round_}"),
                    mine.undo("q1", nonce=f"undo {round_}"),
                    mine.redo("q1", nonce=f"redo {round_}"),
                ]
                said = [(b.batch_id, b.event_ids, len(b.changes)) for b in batches]
                (tmp_path / f"{round_} {i}").write_text(repr(said))

    in_processes(4, send)
    for round_ in range(20):
        said = {(tmp_path / f"{round_} {i}").read_text() for i in range(4)}
        assert len(said) == 1
    with Workspace.open(path) as workspace:
        # by hand: 20 rounds of an edit, an undo and a redo
        assert len(workspace.history()) == before + 60
        assert workspace.bank().question("q1/a").text == "Why, round 19?"
        assert workspace.bank().question("q1/b").state == "retired"
