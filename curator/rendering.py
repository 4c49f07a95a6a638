"""Verb results as tables, JSON and TSV for the command line.

Every result becomes one Shown: the JSON value of the contract, and rows under
headings for people and spreadsheets.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import click

from curator.evaluation.correlation import Correlation

if TYPE_CHECKING:
    from curator.evaluation.agreement import Agreement
    from curator.evaluation.correlation import RandomTies
    from curator.evaluation.impact import Impact
    from curator.evaluation.leaderboard import Leaderboard
    from curator.evaluation.settings import Settings
    from curator.store.history import Batch, Event
    from curator.verbs.grading import GradeSummary
    from curator.verbs.importing import ImportSummary
    from curator.verbs.questioning import QuestionLine
    from curator.verbs.scoring import ScoreTable
    from curator.verbs.stating import Status
    from curator.verbs.verifying import Verification

Cell = str | int | float | None


@dataclass(frozen=True)
class Shown:
    """A result ready to print. ``caption`` and ``notes`` are for people only."""

    value: object
    headings: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str = ""
    notes: Sequence[str] = field(default=())


def show(shown: Shown, form: str) -> None:
    """Print on stdout; notes go to stderr, where no script trips over them."""
    if form == "json":
        click.echo(json.dumps(shown.value, ensure_ascii=False, indent=1))
    elif form == "tsv":
        click.echo("\t".join(shown.headings))
        for row in shown.rows:
            click.echo("\t".join(tsv_cell(cell) for cell in row))
    else:
        if shown.caption:
            click.echo(shown.caption)
        for line in table_lines(shown.headings, shown.rows):
            click.echo(line)
    for note in shown.notes:
        click.echo(f"note: {note}", err=True)


def table_lines(
    headings: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> Iterable[str]:
    """Columns of equal width, numbers to the right, four decimals."""
    cells = [list(headings), *([table_cell(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(headings))]
    numeric = [
        all(not isinstance(row[i], str) for row in rows) and bool(rows)
        for i in range(len(headings))
    ]
    for row in cells:
        parts = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        yield "  ".join(parts).rstrip()


def table_cell(cell: Cell) -> str:
    """A number to four decimals, nothing as a dash, text on one line."""
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.4f}"
    return " ".join(str(cell).split())


def tsv_cell(cell: Cell) -> str:
    """A number in full, nothing as nothing, text on one line without tabs."""
    if cell is None:
        return ""
    return repr(cell) if isinstance(cell, float) else " ".join(str(cell).split())


def said(settings: Settings) -> str:
    """The settings in words, as they stand beside every number."""
    measure = settings.measure
    if measure == "cover":  # any other measure has its cut-off in its name
        measure += f" of the first {settings.k}"
    return f"{measure} · {settings.grader} · rating ≥ {settings.min_rating}"


def settings_json(settings: Settings) -> dict[str, Cell]:
    """The settings as the contract names them."""
    return {
        "measure": settings.measure,
        "grader": settings.grader,
        "min_rating": settings.min_rating,
        "k": settings.k,
    }


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
    caption = f"{found.title or found.path}\n{counts or 'empty'}"
    return Shown(value, ["step or grader", "state", "command or kind"], rows, caption)


def graded(summary: GradeSummary) -> Shown:
    """What was missing, and asked."""
    rows: list[list[Cell]] = [
        [
            summary.grader,
            summary.queries,
            summary.asked,
            summary.texts,
            summary.without_text,
        ]
    ]
    headings = ["grader", "queries", "grades missing", "texts to read", "no text"]
    notes = []
    if summary.without_text:
        notes.append(
            f"{summary.without_text} questions have no text in this workspace and "
            "cannot be graded; import their bank."
        )
    if not summary.asked:
        notes.append("No grade is missing that this grader could give.")
    elif summary.dry_run:
        notes.append("Dry run: nothing was graded.")
    return Shown(asdict(summary), headings, rows, notes=notes)


def board(found: Leaderboard) -> Shown:
    """The board."""
    value = {
        "settings": settings_json(found.settings),
        "queries": found.queries,
        "grades": {"needed": found.needed, "known": found.known},
        "overall": found.overall,
        "systems": [asdict(standing) for standing in found.standings],
        "notes": list(found.notes),
    }
    bounds = not found.complete
    headings = ["rank", "system", found.settings.measure, "±"]
    headings += ["lower", "upper"] if bounds else []
    headings.append("known@k")
    rows: list[list[Cell]] = []
    for one in found.standings:
        row: list[Cell] = [one.rank, one.system, one.score, one.stderr]
        row += [one.lower, one.upper] if bounds else []
        rows.append([*row, one.known_at_k])
    caption = (
        f"{said(found.settings)} · {found.queries} queries · "
        f"{found.known:,} of {found.needed:,} grades"
    )
    return Shown(value, headings, rows, caption, found.notes)


def scores(found: ScoreTable) -> Shown:
    """Measure, query and score by system, and the mean as query ``all``."""
    by_system: dict[str, list[float]] = {}
    rows: list[list[Cell]] = []
    for (system, topic), score in found.scores.items():
        by_system.setdefault(system, []).append(score)
        rows.append([system, found.settings.measure, topic, score])
    rows += [
        [system, found.settings.measure, "all", sum(values) / len(values)]
        for system, values in by_system.items()
    ]
    value = {
        "settings": settings_json(found.settings),
        "scores": [
            {"system": system, "topic": topic, "score": score}
            for (system, topic), score in found.scores.items()
        ],
    }
    return Shown(value, ["system", "measure", "topic", "score"], rows)


def correlation(
    found: Correlation | RandomTies, settings: Settings, against: str
) -> Shown:
    """The coefficients, with how many systems they rest on."""
    value: dict[str, object] = {
        "settings": {**settings_json(settings), "against": against},
        "systems": found.systems,
        "left_out": [*found.without_reference, *found.without_score],
    }
    if isinstance(found, Correlation):
        coefficients: dict[str, Cell] = {
            "spearman": found.spearman,
            "kendall": found.kendall,
            "tau_ap": found.tau_ap,
        }
    else:
        coefficients = {
            "spearman": found.spearman_mean,
            "spearman_sd": found.spearman_sd,
            "kendall": found.kendall_mean,
            "kendall_sd": found.kendall_sd,
        }
        value |= {"repeats": found.repeats, "seed": found.seed}
    notes = [found.note] if found.note else []
    left_out = (*found.without_reference, *found.without_score)
    if left_out:
        notes.append(
            f"{len(left_out)} systems on one side only: {', '.join(left_out)}."
        )
    return Shown(
        {**value, **coefficients, "note": found.note},
        ["systems", *coefficients],
        [[found.systems, *coefficients.values()]],
        f"{said(settings)} · against {against}",
        notes,
    )


def agreement(found: Agreement, settings: Settings, min_relevance: int | None) -> Shown:
    """The table with its margins, and kappa."""
    (nn, np_), (pn, pp) = found.table
    rows: list[list[Cell]] = [
        ["label relevant", pp, pn, pp + pn],
        ["label not", np_, nn, np_ + nn],
    ]
    kappa = "undefined" if found.kappa is None else f"{found.kappa:.4f}"
    value = {
        "settings": {
            "grader": settings.grader,
            "min_rating": settings.min_rating,
            "min_relevance": min_relevance,
        },
        "table": [list(row) for row in found.table],
        "kappa": found.kappa,
        "judged": found.judged,
        "unlabelled": found.unlabelled,
    }
    notes = [found.note] if found.note else []
    if found.unlabelled:
        notes.append(f"{found.unlabelled} judged passages have no label: left out.")
    return Shown(
        value,
        ["", "judged relevant", "judged not", "total"],
        rows,
        f"{settings.grader} · label ≥ {settings.min_rating} · judgment ≥ "
        f"{min_relevance}\nCohen's kappa {kappa} over {found.compared:,} judged "
        "passages",
        notes,
    )


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
        sentence += f"; {found.queries_before} → {found.queries_after} queries"
    notes = []
    if found.missing:
        sentence = f"Provisional, {found.missing:,} grades are missing: {sentence}"
        notes.append(
            f"{found.missing:,} grades are missing; they count as not answered."
        )
    headings = ["system", "rank", "→", found.settings.measure, "→"]
    return Shown(value, headings, rows, f"{said(found.settings)}\n{sentence}.", notes)


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
            change.after.title if change.after else None,
            change.question_id,
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


def history(events: Sequence[Event]) -> Shown:
    """A line per event."""
    rows: list[list[Cell]] = []
    for event in events:
        question = event.change.after or event.change.before
        rows.append(
            [
                event.event_id,
                event.at[:16].replace("T", " "),
                event.by,
                event.change.kind,
                event.change.query_id,
                question.title if question else None,
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
            "question_id": event.change.question_id,
            "before": event.change.before.text if event.change.before else None,
            "after": event.change.after.text if event.change.after else None,
            "reason": event.change.reason,
        }
        for event in events
    ]
    return Shown(value, ["event", "at (UTC)", "by", "kind", "query", "text"], rows)


def verification(found: Verification) -> Shown:
    """What was checked, and what is wrong."""
    caption = (
        f"{found.texts:,} texts, {found.items:,} items and {found.vectors:,} rating "
        f"vectors checked; {'all as stored' if not found.problems else 'not all well'}"
    )
    rows: list[list[Cell]] = [[problem] for problem in found.problems]
    headings = ["problem"] if rows else []
    return Shown(asdict(found), headings, rows, caption)
