"""Graders whose answers others can check."""

from __future__ import annotations

from curator.engine.gradebook import GraderRecord
from curator.engine.state import State


def sources(state: State) -> tuple[GraderRecord, ...]:
    """The workspace's answering graders, of those that read one model's answers one."""
    first: dict[str, GraderRecord] = {}
    for record in state.gradebook.records:
        if record.spec.answers:
            first.setdefault(record.spec.responder.key, record)
    return tuple(first.values())


def source_of(record: GraderRecord) -> GraderRecord | None:
    """Whose answers the grader's ratings rest on: its own, or those that it checks.

    None for a grader that does not answer.
    """
    if record.spec.checks_answers:
        return record.parts[0] if record.parts else None
    return record if record.spec.answers else None
