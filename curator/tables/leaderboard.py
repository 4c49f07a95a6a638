"""Boards, and how alike they are."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.evaluation.measures.n_exam import STAR, STAR_MEANS
from curator.formats.text.notices import counted
from curator.tables.table import Cell, Shown, said, settings_json

if TYPE_CHECKING:
    from curator.evaluation.agreement import Agreement
    from curator.evaluation.leaderboard import Leaderboard
    from curator.evaluation.settings import Settings
    from curator.verbs.leaderboard.score_tables import ScoreTable


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
    starred = any(one.star for one in found.standings)
    headings += [STAR] if starred else []
    rows: list[list[Cell]] = []
    for one in found.standings:
        row: list[Cell] = [one.rank, one.system, one.score, one.stderr]
        row += [one.lower, one.upper] if bounds else []
        rows.append([*row, one.known_at_k, *([STAR * one.star] if starred else [])])
    caption = board_said(found)
    notes = [*found.notes, *([f"{STAR_MEANS}."] if starred else [])]
    return Shown(value, headings, rows, caption, notes)


def board_said(found: Leaderboard) -> str:
    """Settings, queries and grades that a board rests on."""
    queries = counted(found.queries, "query", "queries")
    if not found.standings:
        return f"{said(found.settings)} · {queries}"
    grades = "no grades needed"
    if found.needed:
        grades = f"{found.known:,} of {found.needed:,} grades"
    return f"{said(found.settings)} · {queries} · {grades}"


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
    headings = ["system", "measure", "topic", "score"]
    return Shown(value, headings, rows, said(found.settings))


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
        notes.append(unlabelled_said(found.unlabelled))
    return Shown(
        value,
        ["", "judged relevant", "judged not", "total"],
        rows,
        f"{settings.grader} · label ≥ {settings.min_rating} · judgment ≥ "
        f"{min_relevance}\nCohen's kappa {kappa} over "
        f"{counted(found.compared, 'judged passage')}",
        notes,
    )


def unlabelled_said(count: int) -> str:
    """That so many judged passages are in no table."""
    have = "has" if count == 1 else "have"
    return f"{counted(count, 'judged passage')} {have} no label: left out."
