"""``release --restore``: the kept bank of a release made the workspace's again."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from curator.bank.edits import Edit, Retire, SetBack
from curator.bank.questions import Question
from curator.engine.opened import OpenWorkspace
from curator.engine.state import State
from curator.errors import NothingToChangeError, ReleaseError
from curator.evaluation.releases import Difference, FrozenItem, Release, frozen_item
from curator.store import edits as store_edits
from curator.store import releases as store_releases
from curator.store.connection import exclusive
from curator.store.history import Batch

CHANGED = "Not restored: the bank has changed meanwhile. Look once more."


def restore_release(
    workspace: OpenWorkspace, name: str, *, seen: Difference | None = None
) -> Batch:
    """Make the kept bank that of a release again, as edits that undo as one.

    What is kept now and was not then is retired; what was kept is kept in the words it
    had. Proposals that were not kept stay proposed. ``seen`` is what somebody was shown
    of the difference, and nothing else is then changed. Raises NothingToChangeError
    where the bank is as it was, ReleaseError where it is no longer what was shown,
    UnknownNameError.
    """
    connection = workspace.connection
    _, frozen = store_releases.read_release(connection, name)
    with exclusive(connection):
        # Nobody can add or reword between the look at the bank and the write.
        state = workspace.state().whole
        edits = edits_to(state, frozen, f"release {name}")
        if not edits:
            raise NothingToChangeError(f"The bank is that of release '{name}' already.")
        if seen is not None and _differing(state, frozen) != _differing_in(seen):
            raise ReleaseError(CHANGED)
        return store_edits.apply(
            connection, _as_last_seen(connection, edits), by=workspace.judge
        )


def _as_last_seen(connection: sqlite3.Connection, edits: list[Edit]) -> list[Edit]:
    """The edits; what comes back to the bank comes as it went, a revision later."""
    gone = [
        one.question_id
        for one in edits
        if isinstance(one, SetBack) and one.based_on is None
    ]
    last = store_releases.last_seen(connection, gone)
    return [
        replace(
            one,
            question=replace(
                one.question,
                provenance=last[one.question_id].provenance,
                revision=last[one.question_id].revision + 1,
            ),
        )
        if isinstance(one, SetBack) and one.question_id in last
        else one
        for one in edits
    ]


def edits_to(state: State, frozen: Release, reason: str) -> list[Edit]:
    """The edits that make the kept bank the frozen one; none where it is that."""
    wanted = {
        item.item_id: (query.query_id, item)
        for query in frozen.queries
        for item in query.questions()
    }
    now = {question.question_id: question for question in state.bank}
    edits: list[Edit] = [
        Retire(one.question_id, reason, one.revision)
        for one in now.values()
        if one.state == "kept" and one.question_id not in wanted
    ]
    for question_id, (query_id, item) in wanted.items():
        old = now.get(question_id)
        if (
            old is None
            or old.state != "kept"
            or frozen_item(old, None).words != item.words
        ):
            target = as_question(query_id, item)
            edits.append(SetBack(target, old.revision if old else None, reason))
    return edits


def _differing(state: State, frozen: Release) -> dict[str, tuple[object, ...] | None]:
    """The questions that are other than frozen: their words, None where not kept."""
    then = {
        item.item_id: item.words
        for query in frozen.queries
        for item in query.questions()
    }
    now = {
        question.question_id: frozen_item(question, None).words
        for question in state.bank
        if question.state == "kept"
    }
    return {
        question_id: now.get(question_id)
        for question_id in then.keys() | now.keys()
        if then.get(question_id) != now.get(question_id)
    }


def _differing_in(seen: Difference) -> dict[str, tuple[object, ...] | None]:
    """The same, of a difference from the release to the bank as it was looked at."""
    return {
        **{item.item_id: item.words for _, item in seen.added},
        **{item.item_id: None for _, item in seen.removed},
        **{item.item_id: item.words for _, _, item in seen.reworded},
    }


def as_question(query_id: str, item: FrozenItem) -> Question:
    """A frozen item as the kept question that it was."""
    return Question(
        item.item_id,
        query_id,
        item.text,
        "nugget" if item.kind == "nugget" else "question",
        subtopic_id=item.subtopic_id,
        choices=item.choices,
        answers=item.answers,
    )
