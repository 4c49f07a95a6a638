"""Correlations at every minimum rating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.tables.table import Cell, Shown, measure_said

if TYPE_CHECKING:
    from curator.verbs.leaderboard.sweep import Sweep


def sweeps(found: Sequence[Sweep]) -> Shown:
    """A row per measure and minimum rating."""
    rows: list[list[Cell]] = [
        [one.settings.measure, rating, at.systems, at.spearman, at.kendall, at.tau_ap]
        for one in found
        for rating, at in one.points.items()
    ]
    value = [
        {
            "grader": one.settings.grader,
            "measure": one.settings.measure,
            "k": one.settings.k,
            "against": one.against,
            "points": [
                {
                    "min_rating": rating,
                    "systems": at.systems,
                    "spearman": at.spearman,
                    "kendall": at.kendall,
                    "tau_ap": at.tau_ap,
                }
                for rating, at in one.points.items()
            ],
            "note": one.note,
        }
        for one in found
    ]
    headings = ["measure", "rating ≥", "systems", "spearman", "kendall", "tau_ap"]
    graders = dict.fromkeys(one.settings.grader for one in found)
    against = dict.fromkeys(one.against for one in found)
    measures = dict.fromkeys(measure_said(one.settings) for one in found)
    caption = (
        f"{', '.join(measures)} · {', '.join(graders)} · against {', '.join(against)}"
    )
    notes = [one.note for one in found if one.note]
    return Shown(value, headings, rows, caption, tuple(dict.fromkeys(notes)))
