"""A query's passages, one a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.tables.table import Cell, Shown, said, settings_json

if TYPE_CHECKING:
    from curator.evaluation.settings import Settings
    from curator.verbs.passages.pool_rows import PooledPassage


def passages(
    found: Sequence[PooledPassage],
    settings: Settings,
    *,
    total: int,
    since: int | None,
) -> Shown:
    """The passages found, of ``total``; labels before only where they are compared."""
    value = {
        "settings": settings_json(settings),
        "since": since,
        "pool": total,
        "passages": [asdict(one) for one in found],
    }
    before = ["before"] if since is not None else []
    rows: list[list[Cell]] = [
        [
            one.passage_id,
            *([one.label_before] if before else []),
            one.label,
            one.judgment,
            _listed(one.answers),
            _listed(one.ranks),
        ]
        for one in found
    ]
    headings = ["passage", *before, "label", "judgment", "answers", "retrieved by"]
    of = "passage" if total == 1 else "passages"
    notes = []
    if any(one.missing for one in found):
        missing = sum(one.missing for one in found)
        notes.append(f"{missing:,} grades are missing; labels rest on the others.")
    caption = f"{said(settings)} · {len(found):,} of {total:,} {of}"
    return Shown(value, headings, rows, caption, notes)


def _listed(numbers: Mapping[str, int]) -> str:
    """``run-a 3, run-b 7``; nothing for none."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items())
