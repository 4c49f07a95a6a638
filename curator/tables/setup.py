"""A workspace's state and settings."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.edit_words import STATES
from curator.formats.text.notices import counted
from curator.tables.files import counted_kind
from curator.tables.forms import Cell
from curator.tables.table import Table, record

if TYPE_CHECKING:
    from curator.snapshot.languages import Languages
    from curator.verbs.setup import Setup, Statistics, Status


def status_table(status: Status) -> Table:
    """The six steps, then counts and graders."""
    rows = [
        [f"{'✓' if step.done else '·'} {step.name}", step.state, step.command]
        for step in status.steps
    ]
    value = {
        **status.counts,
        **record(status, "title", "blind", "guidelines", "human_first"),
        "languages": asdict(status.languages),
        "steps": [asdict(step) for step in status.steps],
        "graders": [
            record(g, *g.columns.split())
            | ({"left_out": g.left_out} if g.left_out else {})
            for g in status.graders
        ],
        "releases": [
            record(row.record, "name", "sha256", "at", "by")
            | {"questions_differ": row.questions, "labels_differ": len(row.labels)}
            for row in status.releases
        ],
    }
    counts = ", ".join(
        counted_kind(count, STATES.get(name, name).replace("_", " "))
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
    caption += f"\n{status.languages.summary}" if status.languages.summary else ""
    headings = ["step or grader", "state", "command or kind"]
    return Table.of(headings, rows, caption, status.notes, value)


def statistics_table(statistics: Statistics) -> Table:
    """A line for each size of the collection."""
    value = asdict(statistics)
    rows = [[name.replace("_", " "), number] for name, number in value.items()]
    return Table.of(["collection", "number"], rows, value=value)


def language_table(languages: Languages) -> Table:
    """A line a language of queries, and of passages."""
    rows = [
        [role, language, round(share, 2)]
        for role, shares in asdict(languages).items()
        for language, share in shares.items()
    ]
    notes = (languages.note,) if languages.note else ()
    value = asdict(languages)
    return Table.of(["texts", "language", "share"], rows, "", notes, value)


def setup_table(setup: Setup) -> Table:
    """Make a table of the settings of a workspace."""
    guidelines, request = setup.guidelines, setup.generation
    relevance = setup.min_relevance
    rows: dict[str, Cell] = {
        "title": setup.title or None,
        "guidelines": None if guidelines is None else f"{len(guidelines):,} characters",
        "blind": "yes" if setup.blind else "no",
        "min-relevance": None if relevance is None else str(relevance),
        "human-first": _writes_first(setup.human_first) if setup.human_first else "no",
        "model": (request and request.model) or None,
    }
    value = asdict(setup) | {"generation": None}
    if request is not None:
        rows["temperature"] = request.parameters["temperature"]
        rows |= {"prompt": request.prompt_name, "count": str(request.count)}
        at = {"endpoint": request.endpoint} if request.endpoint else {}
        rows |= at
        custom = {}  # the words only where the prompt is one's own
        if request.prompt is not None and request.prompt.is_custom:
            custom = {
                "template": request.prompt.template,
                "asks_for": request.prompt.kind,
            }
        value["generation"] = {
            **record(request, "model", "temperature"),
            **at,
            "prompt": request.prompt_name,
            "count": request.count,
            **custom,
        }
    return Table.of(["setting", "value"], list(rows.items()), value=value)


def _writes_first(number: int) -> str:
    return f"judges write {counted(number, 'question')} before they see proposals"
