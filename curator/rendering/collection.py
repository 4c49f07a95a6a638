"""What stands in the workspace: imports, status, checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.rendering.shown import Cell, Shown

if TYPE_CHECKING:
    from curator.verbs.importing import ImportSummary
    from curator.verbs.setting_up import Setup
    from curator.verbs.stating import Status
    from curator.verbs.verifying import Verification


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


def status(found: Status) -> Shown:
    """The six steps, then counts and graders."""
    rows: list[list[Cell]] = [
        [f"{'✓' if step.done else '·'} {step.name}", step.state, step.command]
        for step in found.steps
    ]
    value = {
        **found.counts,
        "title": found.title,
        "blind": found.blind,
        "guidelines": found.guidelines,
        "steps": [asdict(step) for step in found.steps],
        "graders": [
            {
                "name": g.name,
                "kind": g.kind,
                "item_kind": g.item_kind,
                "model": g.model,
                "known": g.known,
                "needed": g.needed,
                "can_grade": g.can_grade,
            }
            for g in found.graders
        ],
    }
    counts = ", ".join(
        f"{count:,} {name.replace('_', ' ')}"
        for name, count in found.counts.items()
        if count
    )
    rows += [
        [f"  {g.name}", f"{g.known:,} of {g.needed:,} grades", g.kind]
        for g in found.graders
    ]
    set_up = [f"{'with' if found.guidelines else 'no'} guidelines for judges"]
    if found.blind:
        set_up.append("judges are blind to systems and scores")
    caption = f"{found.title or found.path}\n{counts or 'empty'}\n{', '.join(set_up)}"
    return Shown(value, ["step or grader", "state", "command or kind"], rows, caption)


def setup(found: Setup) -> Shown:
    """What the organizer has set, a line each."""
    guidelines = found.guidelines
    rows: list[list[Cell]] = [
        ["title", found.title or None],
        [
            "guidelines",
            None if guidelines is None else f"{len(guidelines):,} characters",
        ],
        ["blind", "yes" if found.blind else "no"],
        [
            "min-relevance",
            None if found.min_relevance is None else str(found.min_relevance),
        ],
    ]
    return Shown(asdict(found), ["setting", "value"], rows)


def verification(found: Verification) -> Shown:
    """What was checked, and what is wrong."""
    caption = (
        f"{found.texts:,} texts, {found.items:,} items and {found.vectors:,} rating "
        f"vectors checked; {'all as stored' if not found.problems else 'not all well'}"
    )
    rows: list[list[Cell]] = [[problem] for problem in found.problems]
    headings = ["problem"] if rows else []
    return Shown(asdict(found), headings, rows, caption)
