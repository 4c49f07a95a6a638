"""Table of next steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.verbs.next.next_steps import NextStep


def next_table(steps: Sequence[NextStep]) -> Table:
    """A line per step, with its key; its edits are in JSON alone."""
    columns = [
        *(Column("query", "query_id"), Column("kind"), Column("weight")),
        *(Column("why"), Column("remedy"), Column("key")),
    ]
    if any(step.dismissed for step in steps):
        columns += [
            Column("dismissed by", "dismissed.judge"),
            Column("because", "dismissed.reason"),
        ]
    return Table(columns, steps, value=[_json(step) for step in steps])


def _json(step: NextStep) -> dict[str, Any]:
    about = ("query_id", "question_ids", "passage_id", "subtopic_id")
    words = record(step, "kind", *about, "why", "weight", "remedy", "key", "state")
    words["edits"] = [type(edit).__name__ for edit in step.edits]
    if step.dismissed:
        words["dismissed"] = record(step.dismissed, "judge", "reason")
    return words
