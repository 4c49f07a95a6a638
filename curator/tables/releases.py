"""Releases and what differs between them, as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from curator.tables.cells import Cell
from curator.tables.table import Shown, said, settings_json

if TYPE_CHECKING:
    from curator.evaluation.releases import Difference
    from curator.store.releases import ReleaseRecord
    from curator.verbs.releases.release import Drift

SHORT = 12  # digits of a hash that people compare by eye


def releases(records: Iterable[ReleaseRecord]) -> Shown:
    """Releases, a line each: what was frozen, by whom, when and why."""
    found = list(records)
    headings = ["release", "at", "by", "grader", "measure", "rating", "k"]
    headings += ["questions", "labels", "grades", "needed", "sha256", "why"]
    rows: list[list[Cell]] = [
        [
            one.name,
            one.at[:16].replace("T", " "),
            one.by,
            one.grader,
            one.measure,
            one.min_rating,
            one.k,
            one.questions,
            one.labels,
            one.known,
            one.needed,
            one.sha256[:SHORT],
            one.why,
        ]
        for one in found
    ]
    value = [release_json(one) for one in found]
    caption = "" if found else "No release yet: `curator release WORKSPACE NAME`."
    return Shown(value, headings, rows, caption)


def release_json(one: ReleaseRecord) -> dict[str, object]:
    """A release as JSON, without its content."""
    return {
        "name": one.name,
        "sha256": one.sha256,
        "at": one.at,
        "by": one.by,
        "why": one.why,
        "event": one.event_id,
        "settings": {
            "measure": one.measure,
            "grader": one.grader,
            "min_rating": one.min_rating,
            "k": one.k,
        },
        "questions": one.questions,
        "labels": one.labels,
        "grades": {"known": one.known, "needed": one.needed},
    }


def drift_json(one: Drift) -> dict[str, object]:
    """A release in a line of JSON, with how much of it is other by now."""
    return {
        "name": one.record.name,
        "sha256": one.record.sha256,
        "at": one.record.at,
        "by": one.record.by,
        "questions_differ": one.questions,
        "labels_differ": len(one.labels),
    }


def difference(
    found: Difference, name: str, other: str | None
) -> tuple[list[Shown], object]:
    """The differences as up to three tables, and as one JSON value.

    A question has a line for each thing that is other about it. What was not compared
    has no table.
    """
    # Every command imports this module, and few have releases to compare.
    from curator.evaluation.releases import item_changes
    from curator.verbs.files.export_request import missing

    before, after = found.settings
    to = "the workspace" if other is None else other
    questions: list[list[Cell]] = []
    for query_id, item in found.added:
        questions.append(["added", query_id, item.item_id, None, item.text])
    for query_id, item in found.removed:
        questions.append(["removed", query_id, item.item_id, item.text, None])
    for query_id, old, new in found.reworded:
        for field, was, is_now in item_changes(old, new):
            change = "reworded" if field == "text" else f"other {field}"
            questions.append([change, query_id, old.item_id, was, is_now])
    labels: list[list[Cell]] = [
        [one.query_id, one.passage_id, one.before, one.after] for one in found.labels
    ]
    systems: list[list[Cell]] = [
        [o.system, o.score_before, o.score_after, o.rank_before, o.rank_after]
        for o in found.systems
    ]
    notes = list(found.notes)
    if not found.same_settings:
        notes.append(
            f"{name} stands under {said(before)}, {to} under {said(after)}: labels and "
            "boards are not compared."
        )
    else:
        notes += [
            f"{missing(needed - known, needed)} in {side}; labels and scores rest on "
            "the others."
            for side, (known, needed) in zip((name, to), found.grades, strict=True)
            if known < needed
        ]
    value = {
        "notes": notes,
        "settings": {"before": settings_json(before), "after": settings_json(after)},
        "questions": [
            {"change": c, "query_id": q, "question_id": i, "before": b, "after": a}
            for c, q, i, b, a in questions
        ],
        "labels": [
            {"query_id": q, "passage_id": p, "before": b, "after": a}
            for q, p, b, a in labels
        ],
        "systems": [
            {
                "system": s,
                "score_before": sb,
                "score_after": sa,
                "rank_before": rb,
                "rank_after": ra,
            }
            for s, sb, sa, rb, ra in systems
        ],
    }
    tables = [
        Shown(
            value["questions"],
            ["change", "query", "question", "before", "after"],
            questions,
            f"from {name} to {to}: {_number(found.questions, 'question')}",
            notes,
        )
    ]
    if found.same_settings:
        headings = ["query", "passage", "before", "after"]
        number = _number(len(labels), "label")
        tables.append(Shown(value["labels"], headings, labels, number))
    if found.same_settings and not found.notes:
        headings = ["system", "before", "after", "rank before", "rank after"]
        moved = f"{said(before)} · {_number(len(found.moved), 'system')} moved"
        tables.append(Shown(value["systems"], headings, systems, moved))
    return tables, value


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
