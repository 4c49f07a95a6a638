"""How alike boards are, a line for each board and reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from curator.evaluation.correlation import Correlation
from curator.formats.text.notices import counted
from curator.tables.table import Cell, Shown, said, settings_json

if TYPE_CHECKING:
    from curator.verbs.leaderboard.correlation import Correlated


@dataclass(frozen=True)
class _Line:
    """One board against one reference: its JSON value, coefficients and notes."""

    value: dict[str, object]
    coefficients: dict[str, Cell]
    notes: list[str]


def correlations(found: Sequence[Correlated]) -> Shown:
    """The coefficients, with how many systems they rest on.

    As JSON, one board against one reference is an object of its own, several are
    ``{"rows": [...]}`` of such objects.
    """
    lines = [_line(one) for one in found]
    coefficients = list(lines[0].coefficients)
    if len(found) == 1:
        (one,), (line,) = found, lines
        return Shown(
            line.value,
            ["systems", *coefficients],
            [[one.found.systems, *line.coefficients.values()]],
            f"{_said(one)} · against {one.against}{_ties(one, ' · ')}",
            line.notes,
        )
    rows: list[list[Cell]] = [
        [_board(one), one.against, one.found.systems, *line.coefficients.values()]
        for one, line in zip(found, lines, strict=True)
    ]
    notes = {
        f"{_board(one)} against {one.against}: {note}": None
        for one, line in zip(found, lines, strict=True)
        for note in line.notes
    }
    boards = dict.fromkeys(_said(one) for one in found)
    return Shown(
        {"rows": [line.value for line in lines]},
        ["measure", "against", "systems", *coefficients],
        rows,
        "\n".join(boards) + _ties(found[0], "\n"),
        list(notes),
    )


def _board(one: Correlated) -> str:
    prefix = "judgments:" if _judged(one) else ""
    return f"{prefix}{one.settings.measure}"


def _judged(one: Correlated) -> bool:
    return one.settings.grader == "judgments"


def _said(one: Correlated) -> str:
    """What the board rests on; of the judgments', from which one it takes them."""
    if _judged(one):
        return f"{_board(one)} · judgment ≥ {one.settings.min_rating}"
    return said(one.settings)


def _ties(one: Correlated, separator: str) -> str:
    """How ties were broken, after ``separator``; nothing where equal ranks tie."""
    if isinstance(one.found, Correlation):
        return ""
    return (
        f"{separator}ties at random · mean and SD of {one.found.repeats} repeats · "
        f"seed {one.found.seed}"
    )


def _line(one: Correlated) -> _Line:
    found = one.found
    value: dict[str, object] = {
        "settings": {**settings_json(one.settings), "against": one.against},
        "systems": found.systems,
        "left_out": [*found.without_reference, *found.without_score],
    }
    coefficients: dict[str, Cell]
    if isinstance(found, Correlation):
        coefficients = {
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
        systems = counted(len(left_out), "system")
        notes.append(f"{systems} on one side only: {', '.join(left_out)}.")
    return _Line({**value, **coefficients, "note": found.note}, coefficients, notes)
