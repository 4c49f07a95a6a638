"""Releases and what differs between them, as tables and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from curator.rendering.cells import Cell
from curator.rendering.shown import Shown, said, settings_json

if TYPE_CHECKING:
    from curator.evaluation.releases import Difference
    from curator.store.releases import ReleaseRecord

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


def difference(
    found: Difference, name: str, other: str | None
) -> tuple[list[Shown], object]:
    """The differences as three tables, and as one JSON value."""
    before, after = found.settings
    to = "the workspace" if other is None else other
    questions: list[list[Cell]] = []
    for query_id, item in found.added:
        questions.append(["added", query_id, item.item_id, None, item.text])
    for query_id, item in found.removed:
        questions.append(["removed", query_id, item.item_id, item.text, None])
    for query_id, old, new in found.reworded:
        questions.append(["reworded", query_id, old.item_id, old.text, new.text])
    labels: list[list[Cell]] = [
        [one.query_id, one.passage_id, one.before, one.after] for one in found.labels
    ]
    systems: list[list[Cell]] = [
        [o.system, o.score_before, o.score_after, o.rank_before, o.rank_after]
        for o in found.systems
    ]
    notes = []
    if not found.same_settings:
        notes.append(
            f"{name} stands under {said(before)}, {to} under {said(after)}: labels and "
            "boards are not compared."
        )
    value = {
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
    heading = ["change", "query", "question", "before", "after"]
    tables = [
        Shown(
            value["questions"],
            heading,
            questions,
            f"from {name} to {to}: {_number(len(questions), 'question')}",
            notes,
        ),
        Shown(
            value["labels"],
            ["query", "passage", "before", "after"],
            labels,
            _number(len(labels), "label"),
        ),
        Shown(
            value["systems"],
            ["system", "before", "after", "rank before", "rank after"],
            systems,
            f"{said(before)} · {_number(len(found.moved), 'system')} moved"
            if found.same_settings
            else "",
        ),
    ]
    return tables, value


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
