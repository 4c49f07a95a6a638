"""``history``: whose events, of which kind, and from when to when."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from curator.bank.edits import (
    Add,
    CheckPair,
    Done,
    Propose,
    Restore,
    Retire,
    Reword,
    Vote,
    WriteNote,
)
from curator.errors import SettingError, UnknownNameError
from curator.store.history import _bank_before as rebuilt
from curator.store.history import read_events
from curator.tables.figures import history_figure
from curator.verbs import history
from curator.workspace import Workspace
from tests.samples.command_line import json_of, run
from tests.samples.hand_made import hand_made_workspace

HUGE = 10**30  # no whole number of SQLite's


@pytest.fixture
def edited(workspace: Workspace) -> Workspace:
    """Three days: ann retires a, ben votes on b, ann undoes; then both write."""
    for day, by, edit in (
        (1, "ann", Retire("q1/a")),
        (2, "ben", Vote("q1/b", "vital")),
        (3, "ann", None),
        (3, "ben", Reword("q1/a", "What else?")),
    ):
        batch = workspace.undo("q1") if edit is None else workspace.apply(edit, by=by)
        workspace.connection.execute(
            "UPDATE batch SET at = ? WHERE batch_id = ?",
            (f"2026-03-0{day}T12:00:00.000+00:00", batch.batch_id),
        )
    return workspace


@pytest.mark.parametrize(
    ("asked", "kinds"),
    [
        ({}, "reword, undo retire, vote, retire"),
        ({"by": "ann"}, "undo retire, retire"),
        ({"kind": "retire"}, "undo retire, retire"),
        ({"kind": "retire", "limit": 1}, "undo retire"),
        ({"since": date(2026, 3, 2)}, "reword, undo retire, vote"),
        ({"since": "2026-03-02", "before": "2026-03-03"}, "vote"),
        ({"before": "2026-03-02T13:00:00+01:00"}, "retire"),  # noon UTC
        ({"since": datetime(2026, 3, 3, 12, tzinfo=UTC), "by": "ben"}, "reword"),
        ({"query_id": "q2", "by": "ann"}, ""),
    ],
)
def test_events_are_those_asked_for(
    edited: Workspace, asked: dict[str, object], kinds: str
) -> None:
    found = edited.history(**asked)
    assert ", ".join(one.kind for one in found) == kinds


def test_what_is_no_time_is_named(edited: Workspace) -> None:
    with pytest.raises(SettingError, match="'spring' is neither a day nor a time"):
        edited.history(since="spring")


def test_the_command_asks_likewise(edited: Workspace) -> None:
    found = json_of("history", edited.path, "--kind", "retire", "--by", "ann")
    assert [one["kind"] for one in found] == ["undo retire", "retire"]
    assert "retire" in run("history", edited.path, "--kind", "eat", code=1).stderr


def test_a_limit_is_of_what_a_judge_may_see_and_of_what_moves_the_board(
    workspace: Workspace,
) -> None:
    workspace.apply(Add("q1", "First?"))
    workspace.apply(Add("q1", "Second?"))
    for vote in ("vital", "okay") * 4:  # hidden from ann, and moving no mean
        workspace.apply(Vote("q1/b", vote), by="ben")
    settings = workspace.settings()
    with Workspace.open(workspace.path, judge="ann", as_judge=True) as ann:
        for asked in ({}, {"query_id": "q1"}, {"settings": settings}):
            every = ann.history(**asked)
            assert [one.kind for one in every] == ["add", "add"]
            for limit in (0, 1, 3, HUGE):
                assert ann.history(limit=limit, **asked) == every[:limit]
    for by in ({}, {"since": "2020-01-01"}):
        found = workspace.history(limit=1, settings=settings, **by)
        assert [one.kind for one in found] == ["add"]


def test_numbers_no_file_holds_are_refused_in_a_line(workspace: Workspace) -> None:
    workspace.apply(Retire("q1/a"))
    with pytest.raises(UnknownNameError, match=f"No event {HUGE}"):
        workspace.undo(event=HUGE)
    assert workspace.history(after=-HUGE, until=HUGE) == workspace.history()
    assert workspace.history(after=HUGE) == workspace.history(until=-HUGE) == ()
    with pytest.raises(SettingError, match="-5 events: expected 0 or more"):
        workspace.history(limit=-5)
    run("history", workspace.path, "--limit", -5, code=2)


def test_a_past_bank_is_the_same_from_first_changes_as_from_all(
    workspace: Workspace,
) -> None:
    for edit in (Retire("q1/a"), Vote("q1/b", "vital"), Restore("q1/a")):
        workspace.apply(edit)
    workspace.apply(Add("q1", "Why not?"))
    workspace.undo("q1")
    workspace.redo("q1")
    for edit in (Vote("q1/b", None), Reword("q1/a", "What else?")):
        workspace.apply(edit)
    workspace.undo("q1")
    bank, connection = workspace.bank(), workspace.connection
    first, last = workspace.baselines().imported, workspace.baselines().latest
    for event in range(first, last + 1):
        every = read_events(connection, after=event)
        assert workspace.bank_at(event) == rebuilt(connection, bank, every)
    banks = [workspace.bank_at(event) for event in range(first, last + 1)]
    assert all(one != other for one, other in pairwise(banks))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return hand_made_workspace(tmp_path)


def test_boards_follow_the_history(path: Path) -> None:
    with Workspace.open(path, judge="ann") as ann:
        assert ann.board_history(measure="cover") == ()
        ann.apply(CheckPair("q1", "q1/a", "p1", "yes"))  # moves no board
        assert ann.board_history(measure="cover") == ()
        (first,) = ann.apply(Retire("q1/a")).event_ids
        ann.release("v1", measure="cover")
        (last,) = ann.apply(Restore("q1/a")).event_ids
        past = ann.board_history(measure="cover")
        assert [board.label for board in past] == ["imported", "v1", f"#{last}"]
        # By hand: without a both answer half of q1, with it one has 2 of 3.
        assert [board.board.ranks()["two"] for board in past] == [2, 1, 2]
        assert [board.event_id for board in past] == [first - 1, first, last]
        assert past.frame()["two"].tolist() == [2, 1, 2]
        assert b"v1" in history_figure(past).svg()


def test_many_edits_have_boards_at_even_distances(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MAX_EVENTS", 2)
    with Workspace.open(path, judge="ann") as ann:
        ids = [
            ann.apply(edit("q1/a")).event_ids[0]
            for _ in range(3)
            for edit in (Retire, Restore)
        ]
        past = ann.board_history()
        assert [board.event_id for board in past] == [ids[0] - 1, ids[3], ids[5]]


def changed_by(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    return {one.judge: one.changed_by for one in workspace.done_marks()["q1"]}


def test_what_others_change_since_stands_beside_a_mark(path: Path) -> None:
    with (
        Workspace.open(path, judge="ann") as ann,
        Workspace.open(path, judge="bo") as bo,
    ):
        bo.apply(Reword("q1/a", "Why so?"))
        ann.apply(Done("q1"))
        # A proposal that is dropped, votes and notes change nothing.
        (change,) = bo.apply(Propose("q1", "Where is it?", "{}")).changes
        bo.apply([Vote("q1/a", "vital"), WriteNote("q1/a", "Why?")])
        bo.apply(Retire(change.question_id or ""))
        assert changed_by(ann) == {"ann": ()}
        bo.apply(Retire("q1/c"))
        bo.apply(Done("q1"))
        ann.apply(Reword("q1/b", "How so?"))  # what one changes oneself one knows of
        assert changed_by(ann) == {"ann": ("bo",), "bo": ("ann",)}
        ann.apply([Done("q1", done=False), Done("q1")])
        assert changed_by(ann) == {"ann": (), "bo": ("ann",)}
        bo.undo("q1")  # of the mark, which is no change of a question
        bo.undo("q1")  # of the retirement
        assert changed_by(ann) == {"ann": ("bo",)}
