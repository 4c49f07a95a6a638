"""``release``: a bank frozen with its settings and grades, compared and restored."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from curator.bank.edits import Edit, Retire, SetBack
from curator.bank.questions import Question
from curator.boards import Boards
from curator.errors import EvaluationError, NothingToChangeError, ReleaseError
from curator.evaluation.impact import LabelChange
from curator.evaluation.releases import (
    RATINGS,
    Difference,
    FrozenItem,
    FrozenQuery,
    FrozenScore,
    Release,
    difference,
    frozen_item,
    label_changes,
)
from curator.evaluation.settings import Settings
from curator.exchange.notices import counted
from curator.store import releases as store_releases
from curator.store.connection import exclusive, snapshot
from curator.store.releases import ReleaseRecord
from curator.verbs.editing import Batch, apply
from curator.verbs.export_orders import refuse_partial
from curator.verbs.scoring import board
from grading.ratings import NOT_ASKED, UNREADABLE

LONGEST_NAME = 100
LONGEST_WHY = 2000

_CODES = np.zeros(256, dtype=np.uint8)
_CODES[:6] = np.frombuffer(RATINGS[:6].encode(), dtype=np.uint8)
_CODES[NOT_ASKED & 255], _CODES[UNREADABLE & 255] = RATINGS[6:].encode()


@dataclass(frozen=True)
class Drift:
    """How the labels of a release differ from what the grades here say by now.

    Of the questions that were frozen, in the words that were frozen: what people have
    made of the bank since is no drift.
    """

    record: ReleaseRecord
    labels: tuple[LabelChange, ...]


def freeze(boards: Boards, settings: Settings, *, scores: bool = True) -> Release:
    """The kept bank with its grades under these settings, and with the board.

    Raises EvaluationError for settings without a grader, and where the measure has no
    board, unless without ``scores``.
    """
    if not settings.grader:
        raise EvaluationError(
            f"'{settings.measure}' compares texts and gives no labels to freeze; name "
            "a measure that rests on grades."
        )
    standings: Iterable[FrozenScore] = ()
    if scores and boards.collection.systems:
        standings = (
            FrozenScore(one.system, one.rank, one.score, one.stderr)
            for one in board(boards, settings).standings
        )
    queries = (_frozen_query(boards, settings.grader, q) for q in boards.query_ids())
    return Release(
        settings,
        boards.grader(settings.grader).spec.reading.kind,
        boards.threshold(settings),
        tuple(query for query in queries if query.items),
        tuple(standings),
    )


def _frozen_query(boards: Boards, grader: str, query_id: str) -> FrozenQuery:
    graded = boards.sheet(grader, query_id, boards.bank).graded
    pool = boards.collection.pools[query_id]
    columns = np.setdiff1d(np.arange(pool.size), pool.gold_only)
    codes = _CODES[graded.ratings[:, columns].astype(np.uint8)]
    said = {
        item_id: row.tobytes().decode("ascii")
        for item_id, row in zip(graded.item_ids, codes, strict=True)
    }
    items = [
        frozen_item(question, said.pop(question.question_id, None))
        for question in boards.bank.of_query(query_id)
        if question.state == "kept"
    ]
    for item_id, ratings in said.items():  # a direct grader's one item, the query
        title = boards.queries[query_id].title
        items.append(FrozenItem(item_id, "query", title, ratings=ratings))
    return FrozenQuery(query_id, pool.without_gold, tuple(items))


def release(
    connection: sqlite3.Connection,
    fresh: Callable[[], Boards],
    name: str,
    settings: Settings,
    *,
    by: str,
    why: str = "",
    allow_partial: bool = False,
) -> ReleaseRecord:
    """Freeze the kept bank, its settings and its labels under a name.

    ``fresh`` gives the boards as they are by now. Raises ReleaseError for a name that
    is taken or none and where nothing is kept, EvaluationError where grades are
    missing, unless ``allow_partial``.
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise ReleaseError(
            f"A release needs a name of 1 to {LONGEST_NAME} characters on one line."
        )
    if len(why) > LONGEST_WHY:
        raise ReleaseError(
            f"Why a release was made is said in up to {LONGEST_WHY:,} characters, not "
            f"{len(why):,}."
        )
    with exclusive(connection):
        # The grades and the bank as they are under the write lock, and no others.
        boards = fresh()
        frozen = freeze(boards, settings)
        if not frozen.questions and not frozen.needed:
            raise ReleaseError("No question is kept, so there is nothing to release.")
        refuse_partial(frozen.known, frozen.needed, allow_partial)
        return store_releases.write_release(
            connection, name, frozen, by=by, why=why.strip()
        )


def compared(
    connection: sqlite3.Connection, boards: Boards, name: str, other: str | None = None
) -> Difference:
    """What differs from a release to another, or to the workspace as it is.

    The workspace is looked at under the settings of the release. Raises
    UnknownNameError.
    """
    with snapshot(connection):
        _, before = store_releases.read_release(connection, name)
        if other is not None:
            return difference(before, store_releases.read_release(connection, other)[1])
    return difference(before, freeze(boards, before.settings))


def restore(
    connection: sqlite3.Connection, boards: Boards, name: str, *, by: str
) -> Batch:
    """Make the kept bank that of a release again, as one batch that undoes as one.

    What is kept now and was not then is retired; what was kept is kept in the words it
    had. Proposals that were not kept stay proposed. Raises NothingToChangeError where
    the bank is as it was, UnknownNameError.
    """
    _, frozen = store_releases.read_release(connection, name)
    edits = edits_to(boards, frozen, f"release {name}")
    if not edits:
        raise NothingToChangeError(f"The bank is that of release '{name}' already.")
    return apply(connection, edits, by=by)


def edits_to(boards: Boards, frozen: Release, reason: str) -> list[Edit]:
    """The edits that make the kept bank the frozen one."""
    reason = reason[:100]
    wanted = {
        item.item_id: (query.query_id, item)
        for query in frozen.queries
        for item in query.items
        if item.kind != "query"
    }
    now = {question.question_id: question for question in boards.bank}
    edits: list[Edit] = [
        Retire(one.question_id, reason, one.revision)
        for one in now.values()
        if one.state == "kept" and one.question_id not in wanted
    ]
    for question_id, (query_id, item) in wanted.items():
        target = Question(
            question_id,
            query_id,
            item.text,
            "nugget" if item.kind == "nugget" else "question",
            "kept",
            item.subtopic_id,
            item.choices,
            item.answers,
        )
        old = now.get(question_id)
        if (
            old is None
            or old.state != "kept"
            or frozen_item(old, None).words != (item.words)
        ):
            edits.append(SetBack(target, old.revision if old else None, reason))
    return edits


def drifts(connection: sqlite3.Connection, boards: Boards) -> tuple[Drift, ...]:
    """Each release with the labels that its grader gives otherwise by now."""
    with snapshot(connection):
        names = [one.name for one in store_releases.read_releases(connection)]
        found = [store_releases.read_release(connection, name) for name in names]
    return tuple(
        Drift(record, label_changes(frozen.labels(), _labels_now(boards, frozen)))
        for record, frozen in found
    )


def _labels_now(boards: Boards, frozen: Release) -> dict[tuple[str, str], int]:
    """What the frozen questions' grades say today, of the passages of then."""
    by_query = {
        query.query_id: tuple(
            Question(
                item.item_id,
                query.query_id,
                item.text,
                "nugget" if item.kind == "nugget" else "question",
                subtopic_id=item.subtopic_id,
                choices=item.choices,
                answers=item.answers,
            )
            for item in query.items
            if item.kind != "query"
        )
        for query in frozen.queries
    }
    record = boards.grader(frozen.settings.grader)
    labels = {}
    for query in frozen.queries:
        graded = boards.graded(record, query.query_id, by_query[query.query_id])
        best = graded.ratings.max(axis=0, initial=-1)
        known = dict(zip(graded.pool.passage_ids, best.tolist(), strict=True))
        for passage_id in query.passage_ids:
            if known.get(passage_id, -1) >= 0:
                labels[query.query_id, passage_id] = int(known[passage_id])
    return labels


def drift_sentence(drift: Drift) -> str:
    """``release 'v1': 3 labels are others by now; its qrels stay as they were.``"""
    number = len(drift.labels)
    be = "is another" if number == 1 else "are others"
    return (
        f"release '{drift.record.name}': {counted(number, 'label')} {be} by now "
        "(grades came, or were read otherwise); its qrels stay as they were."
    )
