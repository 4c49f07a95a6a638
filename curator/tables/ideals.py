"""Ideal answers, one a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.tables.table import Cell, Shown

if TYPE_CHECKING:
    from curator.engine.ideals import IdealAnswer

SOURCES = {"marked": "marked", "answers": "gold answer", "gold": "gold article"}


def ideals(found: Sequence[IdealAnswer], query_id: str | None) -> Shown:
    """Where each ideal answer is from, and its words."""
    rows: list[list[Cell]] = [
        [one.query_id, SOURCES[one.source], _place(one), one.text] for one in found
    ]
    queries = len({one.query_id for one in found})
    many = f"{len(found):,} ideal {'answer' if len(found) == 1 else 'answers'}"
    where = f"query {query_id}" if query_id else counted(queries, "query", "queries")
    notes = []
    if not found:
        from curator.engine.ideals import NO_IDEALS

        notes.append(NO_IDEALS)
    return Shown(
        {"query": query_id, "ideals": [asdict(one) for one in found]},
        ["query", "source", "from", "text"],
        rows,
        f"{many} · {where}",
        notes,
    )


def _place(one: IdealAnswer) -> str | None:
    """``d01 [12:40]``, or the id of the question."""
    if one.passage_id is None:
        return one.question_id
    if one.end is None:
        return one.passage_id
    return f"{one.passage_id} [{one.start}:{one.end}]"
