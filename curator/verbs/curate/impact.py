"""``impact``: what differs between two banks, before an edit is made or since one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from curator.bank.edits import Edit, apply_edits
from curator.bank.questions import Bank
from curator.engine.scoring import board
from curator.engine.state import Boards
from curator.evaluation.impact import Impact, LabelChange, changed_labels, impact_of
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures.registry import rests_on_grades
from curator.evaluation.noise import moves_within_noise
from curator.evaluation.settings import Settings
from curator.verbs.history.reading import bank_at

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
    asks = any(one.kind in ("add", "keep", "reword", "restore") for one in changes)
    if asks and settings.grader:
        # Behind this import stands the model; most previews have no use for it.
        from curator.verbs.curate.preview_grades import with_supposed_grades

        boards = with_supposed_grades(
            connection, boards, settings.grader, after, encoder=encoder
        )
    return between(boards, boards.bank, after, settings, query_id=query_id)


def since(
    connection: sqlite3.Connection,
    boards: Boards,
    event: int,
    settings: Settings,
    *,
    query_id: str | None = None,
) -> Impact:
    """What differs from the bank right after this event to the bank as it is."""
    # Sheets are found by the tuples they were made from: one bank for every impact.
    before = boards.once(("bank", event), lambda: bank_at(connection, boards, event))
    return boards.once(
        ("since", event, settings, query_id),
        lambda: between(boards, before, boards.bank, settings, query_id=query_id),
    )


def between(
    boards: Boards,
    before: Bank,
    after: Bank,
    settings: Settings,
    *,
    query_id: str | None = None,
    noise: bool = True,
) -> Impact:
    """What differs from one bank to the other under one grader.

    Labels are compared everywhere; with ``query_id`` scores and ranks are those of
    that query alone. Without ``noise`` no move is said to be within it.
    """
    labels: list[LabelChange] = []
    edited: list[str] = []
    for one in boards.query_ids():
        if before.of_query(one) is after.of_query(one) or not settings.grader:
            continue
        edited.append(one)
        old = boards.sheet(settings.grader, one, before)
        new = boards.sheet(settings.grader, one, after)
        labels += changed_labels(
            old.graded if old.graded.item_ids else None,
            new.graded if new.graded.item_ids else None,
        )
    later = board(boards, settings, after, query_id=query_id)
    found = impact_of(board(boards, settings, before, query_id=query_id), later, labels)
    # Where grades are missing nobody knows what moved, so nothing is said of it.
    if not noise or found.missing or found.missing_before or not found.movers:
        return found
    if not rests_on_grades(boards.measure(settings)):
        return found
    within = within_noise(boards, found, later, after, edited, query_id)
    return replace(found, within_noise=within)


def within_noise(
    boards: Boards,
    found: Impact,
    later: Leaderboard,
    after: Bank,
    edited: Sequence[str],
    query_id: str | None,
) -> frozenset[str]:
    """The movers that one label of the later board, read differently, would undo."""
    settings = later.settings
    measure = boards.measure(settings)
    # Most moves are undone in the query that made them: look there first.
    looked_at = dict.fromkeys([*edited, *boards.query_ids()])
    queries = looked_at if query_id is None else (query_id,)
    sheets = boards.sheets(settings.grader, after, queries)
    score_of = later.scores()
    systems = boards.collection.systems
    return moves_within_noise(
        found.movers,
        systems,
        np.array([score_of[system] for system in systems]),
        (sheet.flips(settings, measure) for sheet in sheets.values()),
        later.queries,
    )


def solo(boards: Boards, question_id: str, settings: Settings) -> Impact:
    """This query's board, and the one under this question alone, in any state.

    The earlier board is that of every kept question of the query, the later one that
    of this question. Raises UnknownNameError.
    """
    question = boards.bank.question(question_id)
    alone = replace(question, state="kept")
    by_query = {**boards.bank.by_query, question.query_id: (alone,)}
    bank = replace(boards.bank, by_query=by_query)
    return between(
        boards, boards.bank, bank, settings, query_id=question.query_id, noise=False
    )
