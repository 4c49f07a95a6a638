"""A kind of mark that is added later hides with its question, without code for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from curator.bank.changes import Change, EventKind, Mark
from curator.bank.edits import Propose
from curator.bank.edits.kinds import KINDS
from curator.bank.questions import Bank
from curator.snapshot.restricted import withheld_bank
from curator.snapshot.snapshot import Snapshot
from curator.workspace import Workspace
from tests.samples.proposals import topic_workspace


@dataclass(frozen=True)
class Tag:
    """A judge's tag on a question."""

    question_id: str
    tag: str


@dataclass(frozen=True)
class PassageTag:
    """A judge's tag on a passage, which names the question by its words."""

    item: str


@dataclass(frozen=True)
class Tagged(Mark):
    """A tag before and after; it declares nothing about hiding."""

    question_id: str
    before: str | None
    after: str | None


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model proposed a question, and judges write two questions first."""
    monkeypatch.setitem(KINDS, "tag", EventKind("tag", "tagged", Tagged))
    path = topic_workspace(tmp_path)
    with Workspace.open(path) as organizer:
        organizer.set_up(human_first=2)
        organizer.apply([Propose("rain", "Why?", '{"generation": 9}')], by="chat:some")
    return path


def state_with_tags(workspace: Workspace) -> tuple[Snapshot, str]:
    """The state with tags in its bank, and the id of the proposal."""
    snapshot = Snapshot.read(workspace.connection)
    (hidden,) = (one.question_id for one in snapshot.bank if one.state == "proposed")
    tags = (Tag("rain/a", "easy"), Tag(hidden, "hard"), PassageTag("Why?"))
    bank = snapshot.bank.with_marks("tag", {"rain": tags, "tides": tags[:1]})
    return replace(snapshot, bank=bank, _cached={}), hidden


def tags_of(bank: Bank) -> Mapping[str, tuple[Any, ...]]:
    return bank.marks["tag"]


def test_a_new_mark_on_a_hidden_proposal_is_hidden(path: Path) -> None:
    with Workspace.open(path) as workspace:
        snapshot, hidden = state_with_tags(workspace)
        seen = snapshot.for_viewer(workspace.connection, "ann", as_judge=True)
        shown = {"rain": (Tag("rain/a", "easy"),), "tides": (Tag("rain/a", "easy"),)}
        past = seen.viewer.visible_past(snapshot.bank, seen.bank)
        for bank in (seen.bank, seen.visible_marks.bank, past):
            assert tags_of(bank) == shown
        organizer = snapshot.for_viewer(workspace.connection, "bob")
        assert tags_of(organizer.bank) == tags_of(snapshot.bank)
        change = Change("tag", "rain", mark=Tagged(hidden, None, "hard"))
        (event, *_) = workspace.history()
        assert not seen.viewer.shows_event(replace(event, by="bob", change=change))


def test_a_new_mark_in_a_restricted_query_is_withheld(path: Path) -> None:
    with Workspace.open(path) as workspace:
        bank = state_with_tags(workspace)[0].bank
        withheld = withheld_bank(bank, {"rain"}, bank.questions_of)
        assert tags_of(withheld).keys() == {"tides"}
        assert tags_of(bank.without_queries({"rain"})).keys() == {"tides"}
