"""A workspace's state and settings."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.tables.files import counted_kind
from curator.tables.forms import Cell
from curator.tables.releases import drift_json
from curator.tables.table import Table

if TYPE_CHECKING:
    from curator.verbs.proposals.request import GenerationRequest
    from curator.verbs.setup.settings import Setup
    from curator.verbs.setup.status import Status

OF_GRADER = ("name", "kind", "item_kind", "model", "known", "needed", "can_grade")


def status_table(status: Status) -> Table:
    """The six steps, then counts and graders."""
    rows = [
        [f"{'✓' if step.done else '·'} {step.name}", step.state, step.command]
        for step in status.steps
    ]
    value = {
        **status.counts,
        "title": status.title,
        "blind": status.blind,
        "guidelines": status.guidelines,
        "human_first": status.human_first,
        "steps": [asdict(step) for step in status.steps],
        "graders": [
            {name: getattr(g, name) for name in OF_GRADER} for g in status.graders
        ],
        "releases": [drift_json(one) for one in status.releases],
    }
    counts = ", ".join(
        counted_kind(count, name.replace("_", " "))
        for name, count in status.counts.items()
        if count
    )
    rows += [
        [f"  {g.name}", f"{g.known:,} of {g.needed:,} grades", g.kind]
        for g in status.graders
    ]
    set_up = [f"{'with' if status.guidelines else 'no'} guidelines for judges"]
    if status.blind:
        set_up.append("judges are blind to systems and scores")
    if status.human_first:
        set_up.append(_writes_first(status.human_first))
    caption = f"{status.title or status.path}\n{counts or 'empty'}\n{', '.join(set_up)}"
    headings = ["step or grader", "state", "command or kind"]
    return Table.of(headings, rows, caption, status.notes, value)


def setup_table(setup: Setup) -> Table:
    """What the organizer has set, a line each."""
    guidelines, order = setup.guidelines, setup.generation
    relevance = setup.min_relevance
    written = None if guidelines is None else f"{len(guidelines):,} characters"
    first = _writes_first(setup.human_first) if setup.human_first else "no"
    rows: list[list[Cell]] = [
        ["title", setup.title or None],
        ["guidelines", written],
        ["blind", "yes" if setup.blind else "no"],
        ["min-relevance", None if relevance is None else str(relevance)],
        ["human-first", first],
        ["model", None if order is None else order.model],
    ]
    if order is not None:
        rows += [
            ["temperature", order.parameters["temperature"]],
            ["prompt", order.prompt_name],
            ["count", str(order.count)],
        ]
    value = asdict(setup) | {"generation": _order_json(order)}
    return Table.of(["setting", "value"], rows, value=value)


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
