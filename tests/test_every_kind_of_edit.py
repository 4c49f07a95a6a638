"""Every kind of edit through all that happens to one, from its preview to a bundle.

Whoever adds a kind adds how it is made to MADE; a step that was forgotten fails here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest
from click.testing import CliRunner

from curator.bank.edits import (
    Add,
    AddSubtopic,
    CheckPair,
    Decide,
    Dismiss,
    Done,
    Edit,
    JudgeAnswer,
    Keep,
    MarkIdeal,
    Move,
    Propose,
    Restore,
    Retire,
    SetBack,
    SetKey,
    SetTitle,
    Vote,
    WriteNote,
    apply_edits,
)
from curator.bank.edits.kinds import KINDS, base_kind
from curator.bank.marks import Ideal
from curator.bank.marks.norming import AnswerItem, CommentItem
from curator.bank.questions import Bank
from curator.cli import main
from curator.errors import UndoError
from curator.store import versions
from curator.store.history import Event
from curator.web.pages.releases.history.event_rows import EventRow, event_rows
from curator.workspace import Workspace
from tests.samples.hand_made import hand_made_workspace

FROM = '{"generation": 1}'
CHOICES = (("A", "Because"), ("B", "Why not"))
PROPOSED = Propose("q1", "Where is it?", FROM)


def proposed(bank: Bank) -> str:
    (found,) = (one.question_id for one in bank if one.text == PROPOSED.text)
    return found


def set_back(bank: Bank) -> SetBack:
    return SetBack(replace(bank.question("q1/a"), text="Why was it?"))


# By kind of event: what comes before, and the edit that makes one. An import has no
# edit, and is not taken back.
MADE: dict[str, tuple[list[Edit], Callable[[Bank], Edit]]] = {
    "add": ([], lambda bank: Add("q1", "How is it?")),
    "propose": ([], lambda bank: PROPOSED),
    "keep": ([PROPOSED], lambda bank: Keep(proposed(bank))),
    "reword": ([], set_back),
    "key": ([SetKey("q1/a", ("No",))], lambda bank: SetKey("q1/a", ("B",), CHOICES)),
    "move": ([AddSubtopic("q1", "s", "S")], lambda bank: Move("q1/a", "s")),
    "title": ([], lambda bank: SetTitle("q1", "What is that?")),
    "subtopic": ([], lambda bank: AddSubtopic("q1", "s", "Where")),
    "retire": ([], lambda bank: Retire("q1/c", "too easy")),
    "drop": ([PROPOSED], lambda bank: Retire(proposed(bank))),
    "restore": ([Retire("q1/c")], lambda bank: Restore("q1/c")),
    "done": ([], lambda bank: Done("q1")),
    "reopen": ([Done("q1")], lambda bank: Done("q1", done=False)),
    "vote": ([Vote("q1/a", "okay")], lambda bank: Vote("q1/a", "vital")),
    "verdict": ([], lambda bank: JudgeAnswer("q1/a", "so", "right")),
    "check": (
        [CheckPair("q1", "q1/a", "p1", "unsure")],
        lambda bank: CheckPair("q1", "q1/a", "p1", "yes", 0.25, 2, 1.5),
    ),
    "dismiss": (
        [Dismiss("q1", "no-answer q1/a", "0", "not yet")],
        lambda bank: Dismiss("q1", "no-answer q1/a", "1", "as it should be"),
    ),
    "decide": (
        [Decide("q1", "vote q1/a", "okay", "0")],
        lambda bank: Decide("q1", "vote q1/a", "vital", "1", "as the guidelines say"),
    ),
    "note": (
        [WriteNote("q1/c", "Why?")],
        lambda bank: WriteNote("q1/c", "Ask Bo.", flagged=True),
    ),
    "ideal": ([], lambda bank: MarkIdeal("q1", Ideal("p1", 0, 4))),
    "norming": (
        [AnswerItem("q1", 1, 0, "no")],
        lambda b: AnswerItem("q1", 1, 0, "yes"),
    ),
    "comment": ([], lambda bank: CommentItem("q1", 2, 0, "Why?")),
}
if "tag" in KINDS:
    from curator.bank.marks.tag import TagQuestion  # type: ignore[import-not-found]

    MADE["tag"] = ([], lambda bank: TagQuestion("q1/a", "hard", "Ask Bo."))


def test_every_kind_is_walked() -> None:
    assert MADE.keys() == KINDS.keys() - {"import"}


def workspace_with_rounds(folder: Path) -> Path:
    """The hand-made workspace with two norming rounds; the second is revealed."""
    path = hand_made_workspace(folder)
    with Workspace.open(path, judge="olga") as workspace:
        workspace.open_norming(items=[("q1", "q1/a", "p1")])
        workspace.open_norming(items=[("q1", "q1/a", "p1")])
        workspace.reveal_norming(2)
    return path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return workspace_with_rounds(tmp_path_factory.mktemp("made"))


@pytest.mark.parametrize("kind", MADE)
def test_a_kind_of_edit_from_its_preview_to_a_bundle(
    kind: str, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CURATOR_USER", "ann")
    path = Path(copy(made, tmp_path))
    first, make = MADE[kind]
    with Workspace.open(path, judge="ann") as workspace:
        if first:
            workspace.apply(first)
        start = workspace.bank()
        edit = make(start)
        previewed, (change,) = apply_edits(start, [edit], judge="ann")
        assert change.kind == kind
        workspace.impact([edit])  # changes nothing
        assert workspace.bank() == start

        with changes_version(path):
            batch = workspace.apply(edit)
        assert batch.changes == (change,)
        assert workspace.bank() == previewed != start
        may_undo = not (change.mark and change.mark.no_undo)
        if may_undo:
            with changes_version(path):
                workspace.undo("q1")
            assert as_read(workspace.bank()) == as_read(start)
            with changes_version(path):
                workspace.redo("q1")
            assert as_read(workspace.bank()) == as_read(previewed)
        else:
            for event in (None, batch.event_ids[0]):
                with pytest.raises(
                    UndoError, match=r"nothing to undo|cannot be undone"
                ):
                    workspace.undo(event=event)
            assert workspace.bank() == previewed

        bank, events = workspace.bank(), workspace.history()
        before = batch.event_ids[0] - 1
        assert as_read(workspace.bank_at(before)) == as_read(start)
        saved = events[: 3 if may_undo else 1]
        said_by_page(workspace, *reversed(saved))
        said_by_command(path, saved)
        bundle = tmp_path / "all.zip"
        workspace.export("bundle", bundle, allow_partial=True)

    rebuilt = tmp_path / "rebuilt.db"
    assert ran("import", rebuilt, "--bundle", bundle)
    assert ran("verify", rebuilt)
    with Workspace.open(rebuilt, judge="ann") as workspace:
        assert (workspace.bank(), workspace.history()) == (bank, events)
        assert as_read(workspace.bank_at(before)) == as_read(start)
        if may_undo:
            workspace.undo("q1")


def said_by_page(workspace: Workspace, *events: Event) -> None:
    """The History page says what was done, and on what, in words of the kind's own."""
    rows: Iterable[EventRow] = event_rows(
        events, workspace.collection(), None, bank=workspace.bank()
    )
    done, *reversals = rows
    kind = base_kind(events[0].change.kind)
    assert done.what
    assert done.what != kind or KINDS[kind].past == kind
    assert done.undoable == bool(reversals)
    for row, reversal in zip(reversals, ("undone: ", "redone: "), strict=False):
        assert row.what.removeprefix(reversal) in (done.what, KINDS[kind].past)
    assert done.after or kind in ("done", "reopen")


def said_by_command(path: Path, events: tuple[Event, ...]) -> None:
    """``curator history`` has the events, as a table and as JSON."""
    found = json.loads(ran("history", path, "--limit", len(events), "--format", "json"))
    assert [one["kind"] for one in found] == [one.change.kind for one in events]
    assert [one["question_id"] for one in found] == [
        one.change.subject_id for one in events
    ]
    done = events[-1].change
    if done.kind not in ("done", "reopen"):
        assert done.question_id is None or found[-1]["after"] or found[-1]["before"]
        assert found[-1]["before"] != found[-1]["after"] or done.mark is None
        assert ran("history", path, "--limit", 3, "--format", "tsv").count("q1") >= len(
            events
        )


def as_read(bank: Bank) -> Bank:
    """The bank without revisions, which an undo makes new, and without empty places."""
    return replace(
        bank,
        by_query={
            query_id: tuple(replace(one, revision=1) for one in questions)
            for query_id, questions in bank.by_query.items()
        },
        marks={
            kind: {query_id: many for query_id, many in of.items() if many}
            for kind, of in bank.marks.items()
        },
    )


@contextmanager
def changes_version(path: Path) -> Iterator[None]:
    """A block that moves the query's version, so that whoever is open reads again."""
    before = query_version(path)
    yield
    assert query_version(path) != before


def query_version(path: Path) -> int | None:
    with closing(sqlite3.connect(path)) as connection:
        return versions.read_versions(connection).get(versions.bank_scope("q1"))


def ran(*arguments: object) -> str:
    result = CliRunner().invoke(main, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout
