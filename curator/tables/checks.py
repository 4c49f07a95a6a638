"""Pairs to be checked, what was recorded, and what all checks say of graders."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from curator.evaluation.checks.quality import ShareEstimate
from curator.formats.text.notices import counted
from curator.results import to_json
from curator.tables.forms import score
from curator.tables.table import Column, Table

if TYPE_CHECKING:
    from curator.verbs.checks.quality import GraderQuality, Quality


def quality_tables(found: Quality) -> list[Table]:
    """Every grader at its threshold, and what people say of each of its labels.

    The first one's value is that of both.
    """
    label = "rating" if found.of == "pairs" else "label"
    columns = [
        Column("grader"),
        Column(f"{label} from", "min_label", only=("file", "page")),
        Column("checks"),
        *_estimate("precision", lambda one: one.chosen_threshold.precision),
        *_estimate("recall", lambda one: one.chosen_threshold.recall),
        Column("wrong", "chosen_threshold.wrong"),
        Column("at most", "chosen_threshold.upper", "upper"),
        Column(
            "kappa", "chosen_threshold.kappa", title="Cohen’s κ", only=("file", "page")
        ),
        Column("best from", "best", only=("file", "page")),
    ]
    left_out = found.undecided + found.outdated + found.set_aside
    decided = found.drawn + found.chosen - left_out
    caption = f"{counted(decided, found.of.removesuffix('s'))} decided by people"
    if found.min_relevance is not None:
        caption += f", relevant from {found.min_relevance}"
    caption += " · low and high: 95 % limits · at most: with 95 % confidence"
    return [
        Table(columns, found.graders, caption, found.notes, to_json(found)),
        label_table(found.of, found.graders),
    ]


def label_table(of: str, graders: Iterable[GraderQuality]) -> Table:
    """A line for each label that a grader gives: how often people say yes to it."""
    label = "rating" if of == "pairs" else "label"
    lines = [
        (one.grader, line)
        for one in graders
        for line in one.by_label
        if line.pairs or line.checks
    ]
    columns = [
        *(Column("grader", [0]), Column(label, [1, "label"])),
        Column("pairs", [1, "pairs"], title=of.capitalize()),
        Column("checks", [1, "checks"]),
        *_estimate("yes", lambda one: one[1].right),
    ]
    return Table(columns, lines, f"people's checks by {label}: the share of yes")


def _estimate(
    name: str, of: Callable[[Any], ShareEstimate | None]
) -> tuple[Column, ...]:
    """A share with its limits: three columns in files, one of words elsewhere."""

    def share(one: Any) -> float | None:
        found = of(one)
        return None if found is None else found.share

    def limit(one: Any, end: str) -> float | None:
        found = of(one)
        within = None if found is None else found.interval
        return None if within is None else float(getattr(within, end))

    def words(row: Any) -> str:
        low, high = limit(row, "low"), limit(row, "high")
        limits = "" if low is None else f" ({score(low)}–{score(high)})"
        return score(share(row)) + limits

    return (
        Column(
            *(name, share),
            page=words,
        ),
        Column("low", lambda one: limit(one, "low"), f"{name}_low", only=("file",)),
        Column("high", lambda one: limit(one, "high"), f"{name}_high", only=("file",)),
    )
