"""What stands in the workspace: imports, status, checks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.tables.releases import drift_json
from curator.tables.table import Cell, Shown

if TYPE_CHECKING:
    from curator.verbs.files.export_request import ExportSummary
    from curator.verbs.files.imports import ImportSummary
    from curator.verbs.files.verify import Verification
    from curator.verbs.proposals.request import GenerationRequest
    from curator.verbs.setup.settings import Setup
    from curator.verbs.setup.status import Status


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
        "human_first": found.human_first,
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
        "releases": [drift_json(one) for one in found.releases],
    }
    counts = ", ".join(
        counted_kind(count, name.replace("_", " "))
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
    if found.human_first:
        set_up.append(_writes_first(found.human_first))
    caption = f"{found.title or found.path}\n{counts or 'empty'}\n{', '.join(set_up)}"
    headings = ["step or grader", "state", "command or kind"]
    return Shown(value, headings, rows, caption, found.notes)


def counted_kind(count: int, plural: str) -> str:
    """``2 queries done``, ``1 query done``: the number before what it counts."""
    return f"{count:,} {PLURAL.sub(_singular, plural, 1) if count == 1 else plural}"


def _singular(ending: re.Match[str]) -> str:
    return "y" if ending[0] == "ies" else ""


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
    order = found.generation
    rows += [
        [
            "human-first",
            _writes_first(found.human_first) if found.human_first else "no",
        ],
        ["model", None if order is None else order.model],
    ]
    if order is not None:
        rows += [
            ["temperature", order.parameters["temperature"]],
            ["prompt", order.prompt_name],
            ["count", str(order.count)],
        ]
    value = asdict(found) | {"generation": _order_json(order)}
    return Shown(value, ["setting", "value"], rows)


def _writes_first(number: int) -> str:
    questions = "question" if number == 1 else "questions"
    return f"judges write {number} {questions} before they see proposals"


def _order_json(order: GenerationRequest | None) -> dict[str, Cell] | None:
    """How models are asked; the words only where the prompt is one's own."""
    if order is None:
        return None
    prompt = order.prompt
    found: dict[str, Cell] = {
        "model": order.model,
        "temperature": order.temperature,
        "prompt": order.prompt_name,
        "count": order.count,
    }
    if prompt is not None and prompt.is_own:
        found |= {"template": prompt.template, "asks_for": prompt.kind}
    return found


def verification(found: Verification) -> Shown:
    """What was checked and computed again, and what is wrong."""
    rows: list[list[Cell]] = [[problem] for problem in found.problems]
    caption = (
        f"{counted_kind(found.texts, 'texts')}, {counted_kind(found.items, 'items')} "
        f"and {counted_kind(found.vectors, 'rating vectors')} checked; "
        f"{counted_kind(len(found.problems), 'problems') if rows else 'all as stored'}"
    )
    if found.files:
        numbers = sum(one.numbers for one in found.files)
        unequal = sum(not one.equal for one in found.files)
        caption += (
            f"\n{counted_kind(len(found.files), 'files')} with "
            f"{counted_kind(numbers, 'exported numbers')} computed again; "
            f"{f'{unequal:,} not equal' if unequal else 'equal'}"
        )
    headings = ["problem"] if rows else []
    value = asdict(found)
    value["files"] = [asdict(one) | {"equal": one.equal} for one in found.files]
    return Shown(value, headings, rows, caption, found.notes)
