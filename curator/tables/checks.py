"""Pairs to be checked, what was recorded, and what all checks say of graders."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from curator.evaluation.checks.quality import CONFIDENCE, Estimate
from curator.formats.text.notices import counted
from curator.tables.table import Column, Table, record

if TYPE_CHECKING:
    from curator.verbs.checks.next_checks import NextChecks
    from curator.verbs.checks.quality import GraderQuality, Quality
    from curator.verbs.checks.record import Recorded


def next_table(found: NextChecks) -> Table:
    """The pairs, with no word of how any grader rates them."""
    columns = [
        *(Column("query", "query_id"), Column("id", "item_id", key="item_id")),
        *(Column("item"), Column("passage", "passage_id")),
        *(Column("probability"), Column("text")),
    ]
    one, many = ("pair", "pairs") if found.of == "pairs" else ("passage", "passages")
    caption = (
        f"{counted(len(found.checks), one)} of {found.population:,} {many} not checked "
        f"· seed {found.seed}"
    )
    value = {"checks": [asdict(check) for check in found.checks]}
    return Table(columns, found.checks, caption, found.notes, value)


def recorded_table(found: Recorded) -> Table:
    """How many checks were saved."""
    columns = [
        *(Column("recorded"), Column("unchanged")),
        Column("judges", lambda one: ", ".join(one.judges)),
    ]
    return Table(columns, [found], value=asdict(found) | {"judges": [*found.judges]})


def quality_tables(found: Quality) -> list[Table]:
    """Every grader at its threshold, and what people say of each of its labels.

    The first one's value is that of both.
    """
    label = "rating" if found.of == "pairs" else "label"
    columns = [
        *(Column("grader", names_row=True), Column(f"{label} from", "min_label")),
        *(Column("checks"), *_estimate("precision"), *_estimate("recall")),
        Column("wrong", "found.wrong", help="share of labels that people contradict"),
        Column("at most", "found.upper", help="with 95 % confidence", key="upper"),
        *(
            Column("kappa", "found.kappa", title="Cohen’s κ"),
            Column("best from", "best"),
        ),
    ]
    seen = found.drawn + found.chosen - found.undecided - found.gone
    caption = f"{counted(seen, found.of.removesuffix('s'))} that people decided"
    if found.min_relevance is not None:
        caption += f", relevant from {found.min_relevance}"
    caption += " · low and high: 95 % limits · at most: with 95 % confidence"
    value = {
        "of": found.of,
        **({} if found.min_relevance is None else record(found, "min_relevance")),
        **record(found, "drawn", "chosen", "undecided", "gone"),
        "graders": [_quality_json(one) for one in found.graders],
        "notes": [*found.notes],
    }
    lines = [
        (one, line)
        for one in found.graders
        for line in one.by_label
        if line.pairs or line.checks
    ]
    by_label = [
        *(Column("grader", [0, "grader"]), Column(label, [1, "label"])),
        *(Column("pairs", [1, "pairs"]), Column("checks", [1, "checks"])),
        Column("yes", [1, "right", "share"]),
        Column("low", [1, "right", "interval", "low"]),
        Column("high", [1, "right", "interval", "high"]),
    ]
    return [
        Table(columns, found.graders, caption, found.notes, value),
        Table(by_label, lines, f"what people say of each {label}: the share of yes"),
    ]


def _estimate(name: str) -> tuple[Column, ...]:
    """A share with its limits."""
    limits = f"found.{name}.interval"
    return (
        Column(name, f"found.{name}.share", key=name),
        Column("low", f"{limits}.low", key=f"{name}_low"),
        Column("high", f"{limits}.high", key=f"{name}_high"),
    )


def _quality_json(one: GraderQuality) -> dict[str, object]:
    found = one.found
    return {
        "grader": one.grader,
        "min_rating": one.min_label,
        **record(one, "checks", "ungraded"),
        **_share_json("precision", found.precision),
        **_share_json("recall", found.recall),
        "wrong": {
            "share": found.wrong,
            "upper": found.upper,
            "confidence": CONFIDENCE,
            "effective": found.effective,
        },
        "kappa": found.kappa,
        "certificate": one.certificate and one.certificate.sentence,
        "best_min_rating": one.best,
        "by_rating": [
            {
                "rating": line.label,
                **record(line, "pairs", "checks"),
                **_share_json("right", line.right),
            }
            for line in one.by_label
        ],
        "by_min_rating": [
            {
                "min_rating": at.min_label,
                **_share_json("precision", at.precision),
                **_share_json("recall", at.recall),
                **record(at, "wrong", "upper", "kappa"),
            }
            for at in one.thresholds
        ],
    }


def _share_json(name: str, one: Estimate | None) -> dict[str, object]:
    within = one and one.interval and [one.interval.low, one.interval.high]
    return {name: one and one.share, f"{name}_interval": within}
