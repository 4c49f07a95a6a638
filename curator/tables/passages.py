"""A query's passages and its ideal answers, one a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.engine.ideals import NO_IDEALS
from curator.formats.text.notices import counted
from curator.tables.settings import settings_json, settings_words
from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.engine.ideals import IdealAnswer
    from curator.evaluation.settings import Settings
    from curator.verbs.passages.pool_rows import PooledPassage

SOURCES = {"marked": "marked", "answers": "gold answer", "gold": "gold article"}


def passage_table(
    passages: Sequence[PooledPassage],
    settings: Settings,
    *,
    total: int,
    since: int | None,
) -> Table:
    """The passages, of ``total``; labels before only where they are compared."""
    value = {
        "settings": settings_json(settings),
        "since": since,
        "pool": total,
        "passages": [asdict(one) for one in passages],
    }
    columns = [
        Column("passage", "passage_id"),
        *([Column("before", "label_before")] if since is not None else []),
        *(Column("label"), Column("judgment")),
        Column("answers", lambda one: _listed(one.answers)),
        Column("retrieved by", lambda one: _listed(one.ranks)),
    ]
    notes = []
    if missing := sum(one.missing for one in passages):
        notes.append(f"{missing:,} grades are missing; labels rest on the others.")
    of = counted(total, "passage")
    caption = f"{settings_words(settings)} · {len(passages):,} of {of}"
    return Table(columns, passages, caption, notes, value)


def _listed(numbers: Mapping[str, int]) -> str:
    """``run-a 3, run-b 7``; nothing for none."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def ideal_table(ideals: Sequence[IdealAnswer], query_id: str | None) -> Table:
    """Where each ideal answer is from, and its words."""
    queries = len({one.query_id for one in ideals})
    where = f"query {query_id}" if query_id else counted(queries, "query", "queries")
    return Table(
        [
            Column("query", "query_id"),
            Column("source", lambda one: SOURCES[one.source]),
            *(Column("from", _place), Column("text")),
        ],
        ideals,
        f"{counted(len(ideals), 'ideal answer')} · {where}",
        [] if ideals else [NO_IDEALS],
        {"query": query_id, "ideals": [asdict(one) for one in ideals]},
    )


def _place(one: IdealAnswer) -> str | None:
    """``d01 [12:40]``, or the id of the question."""
    if one.passage_id is None:
        return one.question_id
    if one.end is None:
        return one.passage_id
    return f"{one.passage_id} [{one.start}:{one.end}]"
