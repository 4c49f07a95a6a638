"""Tables of imports, exports, verifications and backups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from operator import itemgetter
from typing import TYPE_CHECKING

from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.store.bundles.integrity import Verification
    from curator.verbs.files.backup import BackedUp
    from curator.verbs.files.export_request import ExportSummary
    from curator.verbs.files.imports import ImportSummary
    from curator.verbs.files.repair import Repaired

PLURAL = re.compile(r"(ies|s)\b")


def import_json(summaries: Sequence[ImportSummary]) -> list[dict[str, object]]:
    """Return one JSON object per file."""
    return [
        {"file": one.source} | record(one, "taken_for", "new", "notices")
        for one in summaries
    ]


def export_json(summaries: Sequence[ExportSummary]) -> list[dict[str, object]]:
    """Return one JSON object per file; ``sidecar`` is its manifest, or null."""
    return [
        {"file": str(one.target)}
        | record(one, "kind", "written", "what", "notices", "lost")
        | {"sidecar": str(one.sidecar) if one.sidecar else None}
        for one in summaries
    ]


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
        numbers = counted_kind(sum(one.numbers for one in files), "exported numbers")
        unequal = sum(not one.equal for one in files)
        caption += (
            f"\n{counted_kind(len(files), 'files')} with {numbers} computed again; "
            f"{f'{unequal:,} not equal' if unequal else 'equal'}"
        )
    checked = [asdict(one) | {"equal": one.equal} for one in files]
    value = asdict(verification) | {"files": checked}
    columns = [Column("problem", str)] if problems else []
    return Table(columns, problems, caption, verification.notes, value)


def repair_table(found: Repaired) -> Table:
    """Make a table of repaired and of remaining problems."""
    rows = [("mended", one) for one in found.mended]
    rows += [("left", one) for one in found.remaining]
    columns = [Column("state", itemgetter(0)), Column("what", itemgetter(1))]
    notes = [f"The file as it was is kept as '{found.copy}'."] if found.copy else []
    caption = "nothing to repair: all as stored"
    if rows:
        mended, remaining = len(found.mended), len(found.remaining)
        caption = f"{mended:,} repaired, {remaining:,} left: restore a backup"
    value = {
        "mended": found.mended,
        "left": found.remaining,
        "copy": str(found.copy) if found.copy else None,
    }
    return Table(columns if rows else [], rows, caption, notes, value)


def backup_table(found: BackedUp) -> Table:
    """The copy, its size, how long it took, and where what it replaced is."""
    columns = [
        Column("file", lambda one: str(one.file)),
        Column("MB", lambda one: round(one.size / 1e6, 1)),
        Column("seconds", lambda one: round(one.seconds, 2)),
    ]
    kept = found.replaced
    notes = [f"The replaced workspace is kept as '{kept}'."] if kept else []
    value = record(found, "size", "seconds") | {
        "file": str(found.file),
        "replaced": str(kept) if kept else None,
    }
    return Table(columns, [found], notes=notes, value=value)
