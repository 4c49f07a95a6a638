"""Tables of imports, exports, verifications and backups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from curator.results import to_json
from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.store.bundles.integrity import Verification
    from curator.verbs.files.backup import Repaired

PLURAL = re.compile(r"(ies|s)\b")


def counted_kind(count: int, plural: str) -> str:
    """``2 queries done``, ``1 query done``: the number before what it counts."""
    if count == 1:
        plural = PLURAL.sub(lambda end: "y" if end[0] == "ies" else "", plural, 1)
    return f"{count:,} {plural}"


def verification_table(verification: Verification) -> Table:
    """Make a table of the problems that a verification found."""
    problems, files = verification.problems, verification.files
    caption = (
        f"{counted_kind(verification.texts, 'texts')}, "
        f"{counted_kind(verification.items, 'items')} "
        f"and {counted_kind(verification.vectors, 'rating vectors')} checked; "
        f"{counted_kind(len(problems), 'problems') if problems else 'all as stored'}"
    )
    if files:
        numbers = counted_kind(sum(row.numbers for row in files), "exported numbers")
        unequal = sum(not row.equal for row in files)
        caption += (
            f"\n{counted_kind(len(files), 'files')} with {numbers} computed again; "
            f"{f'{unequal:,} not equal' if unequal else 'equal'}"
        )
    columns = [Column("problem", str)] if problems else []
    return Table(columns, problems, caption, verification.notes, to_json(verification))


def repair_table(repaired: Repaired) -> Table:
    """Make a table of repaired and of remaining problems."""
    rows = [("mended", row) for row in repaired.mended]
    rows += [("left", row) for row in repaired.remaining]
    notes = (
        [f"The file as it was is kept as '{repaired.copy}'."] if repaired.copy else []
    )
    caption = "nothing to repair: all as stored"
    if rows:
        mended, remaining = len(repaired.mended), len(repaired.remaining)
        caption = f"{mended:,} repaired, {remaining:,} left: restore a backup"
    found_columns = [Column("state", [0]), Column("what", [1])] if rows else []
    return Table(found_columns, rows, caption, notes, to_json(repaired))
