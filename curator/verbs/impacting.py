"""``impact``: what differs between two banks, before an edit is made or since one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.bank.edits import Edit, apply_edits
from curator.bank.questions import Bank
from curator.boards import Boards
from curator.evaluation.impact import Impact, LabelChange, changed_labels, impact_of
from curator.evaluation.settings import Settings
from curator.verbs.scoring import board

if TYPE_CHECKING:
    from grading.graders.embedding import Encoder


def preview(
    connection: sqlite3.Connection,
    boards: Boards,
    edits: Sequence[Edit],
    settings: Settings,
    *,
    judge: str,
    query_id: str | None = None,
    encoder: Encoder | None = None,
) -> Impact:
    """What would differ after these edits; the workspace stays as it is.

    A new text is graded in memory where the grader can; under an imported grader its
    grades are missing.
    """
    for edit in edits:
        boards.query_ids(getattr(edit, "query_id", None))  # refuses an unknown query
    after, changes = apply_edits(boards.bank, edits, judge=judge)
    if any(change.kind in ("add", "reword", "restore") for change in changes):
        # Behind this import stands the model; most previews have no use for it.
        from curator.verbs.supposing import with_supposed_grades

        boards = with_supposed_grades(
            connection, boards, settings.grader, after, encoder=encoder
        )
    return between(boards, boards.bank, after, settings, query_id=query_id)


def between(
    boards: Boards,
    before: Bank,
    after: Bank,
    settings: Settings,
    *,
    query_id: str | None = None,
) -> Impact:
    """What differs from one bank to the other under one grader.

    Labels are compared everywhere; with ``query_id`` scores and ranks are those of
    that query alone.
    """
    labels: list[LabelChange] = []
    for one in boards.query_ids():
        if before.of_query(one) is after.of_query(one):
            continue
        old = boards.sheet(settings.grader, one, before)
        new = boards.sheet(settings.grader, one, after)
        labels += changed_labels(
            old.graded if old.graded.item_ids else None,
            new.graded if new.graded.item_ids else None,
        )
    return impact_of(
        board(boards, settings, before, query_id=query_id),
        board(boards, settings, after, query_id=query_id),
        labels,
    )
