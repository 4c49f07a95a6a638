"""Which events the History tab lists, on which of its pages, and as a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from curator.bank.edits.kinds import KINDS, base_kind
from curator.store.history import EventSummary
from curator.tables.history import history_table
from curator.tables.table import text_of
from curator.verbs.history.history import EventFilter, events, traces
from curator.web.components.view import View
from curator.web.pages.releases.history.event_rows import MODEL
from curator.workspace import Workspace

SHOWN = 100  # events on a page
ANY = {"within": "all", "who": "everyone", "kind": "all", "day": "all"}
Lists = list[tuple[str, str, list[tuple[str, str]], str]]
"""Lists to choose from: label, setting, values with their words, what is chosen."""


def chosen(view: View, zone: tzinfo | None) -> EventFilter:
    """The events that the view asks for; a day is one of this zone."""

    def midnight(after: int) -> datetime | None:
        if view.day is None:
            return None
        day = datetime.fromisoformat(view.day) + timedelta(after)
        return day.replace(tzinfo=zone) if zone else day.astimezone()

    return EventFilter(view.who, view.kind, view.within, midnight(0), midnight(1))


def sheet(found: Sequence[EventSummary], view: View) -> tuple[int, int]:
    """Which page is shown, and of how many: at first that of the event opened."""
    pages = max(1, -(-len(found) // SHOWN))
    places = (at for at, one in enumerate(found) if one.event_id == view.event)
    number = view.sheet or next(places, 0) // SHOWN + 1
    return min(number, pages), pages


def lists(
    every: Sequence[EventSummary],
    view: View,
    zone: tzinfo | None,
    names: Mapping[str, str],
) -> Lists:
    """Queries, judges, kinds and days, each with its number of events."""

    def choices(
        name: str, values: Iterable[str], said: Mapping[str, str] | None = None
    ) -> list[tuple[str, str]]:
        counts = Counter(values)
        shown = {one: (said or {}).get(one, one) for one in counts}
        order = sorted(counts, reverse=True) if name == "day" else counts
        if name == "who":
            order = sorted(counts)
        here = getattr(view, name)
        if here is not None and here not in counts:
            order, shown[here] = [*order, here], here
        return [
            ("", ANY[name]),
            *((one, f"{shown[one]} ({counts[one]:,})") for one in order),
        ]

    done = {name: kind.past for name, kind in KINDS.items()}
    by = {one.by: one.by.removeprefix(MODEL) for one in every}
    days = (f"{one.when.astimezone(zone):%Y-%m-%d}" for one in every)
    made = {
        "within": ("Query", (one.query_id for one in every), names),
        "who": ("Judge", (one.by for one in every), by),
        "kind": ("What", (base_kind(one.kind) for one in every), done),
        "day": ("Day", days, None),
    }
    return [
        (label, name, choices(name, values, said), getattr(view, name) or "")
        for name, (label, values, said) in made.items()
    ]


def file_of(path: Path, judge: str, choice: EventFilter, form: str) -> bytes:
    """The events as a file, as this judge may see them; read when it is asked for.

    Those of restricted queries are left out, whoever asks.
    """
    with (
        Workspace.open(path, judge=judge, as_judge=True) as workspace,
        workspace.snapshot_for_files() as state,
    ):
        texts = {question.question_id: question.title for question in state.bank}
        ids = [one.event_id for one in traces(state, choice)]
        table = history_table(events(state, ids), texts)
    if form == "JSON":
        return json.dumps(table.value, ensure_ascii=False, indent=1).encode()
    return text_of(table, "spreadsheet").encode()
