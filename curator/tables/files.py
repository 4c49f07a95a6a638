"""What was read, written and verified."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.store.bundles.integrity import Verification
    from curator.verbs.files.export_request import ExportSummary
    from curator.verbs.files.imports import ImportSummary

PLURAL = re.compile(r"(ies|s)\b")


def import_json(summaries: Sequence[ImportSummary]) -> list[dict[str, object]]:
    """One object per file."""
    return [
        {
            "file": summary.source,
            "taken_for": summary.taken_for,
            "new": summary.new,
            "notices": list(summary.notices),
        }
        for summary in summaries
    ]


def export_json(summaries: Sequence[ExportSummary]) -> list[dict[str, object]]:
    """One object per file; ``sidecar`` is the manifest beside it, or null."""
    return [
        {
            "file": str(one.target),
            "kind": one.kind,
            "written": one.written,
            "what": one.what,
            "notices": list(one.notices),
            "lost": list(one.lost),
            "sidecar": str(one.sidecar) if one.sidecar else None,
        }
        for one in summaries
    ]


def counted_kind(count: int, plural: str) -> str:
    """``2 queries done``, ``1 query done``: the number before what it counts."""
    if count == 1:
        plural = PLURAL.sub(lambda end: "y" if end[0] == "ies" else "", plural, 1)
    return f"{count:,} {plural}"


def verification_table(verification: Verification) -> Table:
    """What was checked and computed again, and what is wrong."""
    problems = len(verification.problems)
    caption = (
        f"{counted_kind(verification.texts, 'texts')}, "
        f"{counted_kind(verification.items, 'items')} "
        f"and {counted_kind(verification.vectors, 'rating vectors')} checked; "
        f"{counted_kind(problems, 'problems') if problems else 'all as stored'}"
    )
    if verification.files:
        numbers = sum(one.numbers for one in verification.files)
        unequal = sum(not one.equal for one in verification.files)
        caption += (
            f"\n{counted_kind(len(verification.files), 'files')} with "
            f"{counted_kind(numbers, 'exported numbers')} computed again; "
            f"{f'{unequal:,} not equal' if unequal else 'equal'}"
        )
    files = [asdict(one) | {"equal": one.equal} for one in verification.files]
    columns = [Column("problem", str)] if problems else []
    value = asdict(verification) | {"files": files}
    return Table(columns, verification.problems, caption, verification.notes, value)
