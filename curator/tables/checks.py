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


def quality_tables(quality: Quality) -> list[Table]:
    """Every grader at its threshold, and what people say of each of its labels.

    The first one's value is that of both.
    """
    label = "rating" if quality.of == "pairs" else "label"
    columns = [
        Column("grader"),
        Column(f"{label} from", "min_label", only=("file", "page")),
        Column("checks"),
        *_estimate("precision", lambda row: row.chosen_threshold.precision),
        *_estimate("recall", lambda row: row.chosen_threshold.recall),
        Column("wrong", "chosen_threshold.wrong"),
        Column("at most", "chosen_threshold.upper", "upper"),
        Column(
            "kappa", "chosen_threshold.kappa", title="Cohen’s κ", only=("file", "page")
        ),
        Column("best from", "best", only=("file", "page")),
    ]
    left_out = quality.undecided + quality.outdated + quality.set_aside
    decided = quality.drawn + quality.chosen - left_out
    caption = f"{counted(decided, quality.of.removesuffix('s'))} decided by people"
    if quality.min_relevance is not None:
        caption += f", relevant from {quality.min_relevance}"
    caption += " · low and high: 95 % limits · at most: with 95 % confidence"
    return [
        Table(columns, quality.graders, caption, quality.notes, to_json(quality)),
        label_table(quality.of, quality.graders),
    ]


def label_table(of: str, graders: Iterable[GraderQuality]) -> Table:
    """A line for each label that a grader gives: how often people say yes to it."""
    label = "rating" if of == "pairs" else "label"
    lines = [
        (row.grader, line)
        for row in graders
        for line in row.by_label
        if line.pairs or line.checks
    ]
    columns = [
        *(Column("grader", [0]), Column(label, [1, "label"])),
        Column("pairs", [1, "pairs"], title=of.capitalize()),
        Column("checks", [1, "checks"]),
        *_estimate("yes", lambda row: row[1].right),
    ]
    return Table(columns, lines, f"people's checks by {label}: the share of yes")


def _estimate(
    name: str, of: Callable[[Any], ShareEstimate | None]
) -> tuple[Column, ...]:
    """A share with its limits: three columns in files, one of words elsewhere."""

    def share(entry: Any) -> float | None:
        quality = of(entry)
        return None if quality is None else quality.share

    def limit(entry: Any, end: str) -> float | None:
        quality = of(entry)
        within = None if quality is None else quality.interval
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
        Column("low", lambda entry: limit(entry, "low"), f"{name}_low", only=("file",)),
        Column(
            "high", lambda entry: limit(entry, "high"), f"{name}_high", only=("file",)
        ),
    )
