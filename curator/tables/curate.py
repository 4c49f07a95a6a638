"""The bank's questions, what edits change, and their history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.bank.edits import kinds
from curator.bank.wording import shortened
from curator.formats.text.notices import counted
from curator.tables.table import Cell, Shown, said, settings_json

if TYPE_CHECKING:
    from curator.evaluation.impact import Impact
    from curator.store.history import Batch, Event
    from curator.verbs.curate.leave_one_out import LeftOut
    from curator.verbs.curate.question_rows import QuestionLine


def impact(found: Impact) -> Shown:
    """Systems, movers first, after a sentence that says how much changed."""
    movers = found.movers
    moved = {move.system for move in movers}
    ordered = [*movers, *(m for m in found.moves if m.system not in moved)]
    value = {
        "settings": settings_json(found.settings),
        "grades": {"missing": found.missing},
        "queries_before": found.queries_before,
        "queries_after": found.queries_after,
        "labels": [asdict(label) for label in found.labels],
        "systems": [asdict(move) for move in found.moves],
    }
    rows: list[list[Cell]] = [
        [
            move.system,
            move.rank_before,
            move.rank_after,
            move.score_before,
            move.score_after,
        ]
        for move in ordered
    ]
    labels, systems = len(found.labels), len(movers)
    sentence = (
        f"{labels:,} label{' changes' if labels == 1 else 's change'}, "
        f"{systems} system{' moves' if systems == 1 else 's move'}"
    )
    if movers:
        largest = movers[0]
        arrow = "▲" if largest.places > 0 else "▼"
        sentence += (
            f"; largest {largest.system} {arrow}{abs(largest.places)} "
            f"({largest.rank_before} → {largest.rank_after})"
        )
    if found.queries_before != found.queries_after:
        after = counted(found.queries_after, "query", "queries")
        sentence += f"; {found.queries_before} → {after}"
    notes = []
    if found.missing:
        one = found.missing == 1
        missing = f"{counted(found.missing, 'grade')} {'is' if one else 'are'} missing"
        sentence = f"Provisional, {missing}: {sentence}"
        count = "it counts" if one else "they count"
        notes.append(f"{missing}; {count} as not answered.")
    headings = ["system", "rank", "→", found.settings.measure, "→"]
    return Shown(value, headings, rows, f"{said(found.settings)}\n{sentence}.", notes)


def left_out(found: LeftOut) -> Shown:
    """The impact, and which questions rest on the system's passages alone."""
    shown = impact(found.impact)
    ids = [question.question_id for question in found.questions]
    one = len(ids) == 1
    caption = (
        f"{len(ids)} kept question{'' if one else 's'} rest{'s' if one else ''} on "
        f"passages that only {found.system} has in its "
        f"{'ranking' if found.depth is None else f'top {found.depth}'}. "
        f"Without {'it' if one else 'them'}:"
    )
    notes = [f"left out: {question.title}" for question in found.questions]
    if not ids:
        notes = ["Questions rest on a passage where they were proposed from it."]
    assert isinstance(shown.value, dict)  # as impact() makes it
    return Shown(
        shown.value | {"left_out": {"system": found.system, "questions": ids}},
        shown.headings,
        shown.rows,
        f"{caption}\n{shown.caption}",
        notes,
    )


def questions(lines: Sequence[QuestionLine]) -> Shown:
    """A line per question; reach and influence where it is active."""
    value = [
        {
            "question_id": line.question.question_id,
            "query_id": line.question.query_id,
            "subtopic_id": line.question.subtopic_id,
            "kind": line.question.kind,
            "state": line.question.state,
            "text": line.question.text,
            "revision": line.question.revision,
            **(
                {}
                if line.influence is None
                else {
                    "passages": line.influence.passages,
                    "systems": line.influence.systems,
                    "nonrelevant_share": line.influence.nonrelevant_share,
                    "influence": line.influence.influence,
                    "grades": {
                        "needed": line.influence.needed,
                        "known": line.influence.known,
                    },
                }
            ),
        }
        for line in lines
    ]
    rows: list[list[Cell]] = [
        [
            line.question.query_id,
            line.question.state,
            line.influence.passages if line.influence else None,
            line.influence.systems if line.influence else None,
            line.influence.influence if line.influence else None,
            line.question.title,
            line.question.question_id,
        ]
        for line in lines
    ]
    headings = ["query", "state", "passages", "systems", "influence", "text", "id"]
    return Shown(value, headings, rows)


def batch(found: Batch) -> Shown:
    """What was written."""
    rows: list[list[Cell]] = [
        [
            event,
            change.kind,
            change.query_id,
            change.after.title
            if change.after
            else change.mark.summary({})
            if change.mark
            else None,
            change.about_id,
        ]
        for event, change in zip(found.event_ids, found.changes, strict=True)
    ]
    value = {
        "batch": found.batch_id,
        "events": [
            {"event": row[0], "kind": row[1], "query_id": row[2], "question_id": row[4]}
            for row in rows
        ],
    }
    return Shown(value, ["event", "kind", "query", "text", "id"], rows)


def history(
    events: Sequence[Event], texts: Mapping[str, str] = MappingProxyType({})
) -> Shown:
    """A line per event; "shown" is what the judge could see, where that is kept.

    ``texts`` are the questions' by id, for events that hold the id alone: votes.
    """
    rows: list[list[Cell]] = []
    for event in events:
        rows.append(
            [
                event.event_id,
                event.at[:16].replace("T", " "),
                event.by,
                event.change.kind,
                event.change.query_id,
                kinds.summary(event.change, texts),
                event.change.reason,
                None if event.shown is None else shortened(event.shown, 40),
            ]
        )
    value = [
        {
            "event": event.event_id,
            "batch": event.batch_id,
            "at": event.at,
            "by": event.by,
            "kind": event.change.kind,
            "query_id": event.change.query_id,
            "question_id": event.change.about_id,
            **kinds.difference(event.change),
            "reason": event.change.reason,
            "shown": event.shown,
            "seconds": event.seconds,
        }
        for event in events
    ]
    headings = ["event", "at (UTC)", "by", "kind", "query", "text", "reason", "shown"]
    return Shown(value, headings, rows)
