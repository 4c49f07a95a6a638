"""Boards, and how alike they are."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.evaluation.correlation import Correlation
from curator.rendering.shown import Cell, Shown, said, settings_json

if TYPE_CHECKING:
    from curator.evaluation.agreement import Agreement
    from curator.evaluation.correlation import RandomTies
    from curator.evaluation.leaderboard import Leaderboard
    from curator.evaluation.settings import Settings
    from curator.verbs.scoring import ScoreTable


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
