"""Leaving one system out, as rows: its own questions, and the ranks without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from curator.ui.shared import words
from curator.verbs.curate.leave_one_out import LeftOut

LISTED = 6  # movers named; the others are counted


@dataclass(frozen=True, slots=True)
class LeftOutRow:
    """One system: its questions, its rank with and without them, and who moves."""

    system: str
    questions: int
    rank: str
    others: str


def left_out_rows(found: Sequence[LeftOut]) -> tuple[LeftOutRow, ...]:
    """A row for each, in the order given."""
    return tuple(map(_row, found))


def rests_on(found: Sequence[LeftOut], grounded: int) -> str:
    """How many questions came from passages, and how many of them favour one system."""
    own = sum(len(one.questions) for one in found)
    return (
        f"{words.count(grounded, 'kept question was', 'kept questions were')} proposed "
        f"from a passage; {own:,} of them from one that a single system has "
        f"{where(found)}. Without a system’s own questions:"
    )


def where(found: Sequence[LeftOut]) -> str:
    """``in its top 20``, as deep as the measure looks."""
    depth = found[0].depth if found else None
    return "in its ranking" if depth is None else f"in its top {depth}"


def _row(found: LeftOut) -> LeftOutRow:
    before, after = found.rank
    moved = [move for move in found.impact.movers if move.system != found.system]
    named = [
        f"{move.system} {move.rank_before} → {move.rank_after}"
        for move in moved[:LISTED]
    ]
    more = len(moved) - len(named)
    others = ", ".join(named) + (f" and {more:,} more" if more else "")
    return LeftOutRow(
        system=found.system,
        questions=len(found.questions),
        rank=f"{before} → {after}" if before != after else str(before),
        others=others or ("" if before != after else "no rank changes"),
    )
