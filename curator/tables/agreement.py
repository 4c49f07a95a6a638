"""Grades against judgments, and graders against each other or people, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.results import FILE, to_json
from curator.tables.forms import Cell
from curator.tables.settings import RULES, answered_json, label_words
from curator.tables.table import Column, Table, named_notes, record

if TYPE_CHECKING:
    from curator.evaluation.agreement import (
        Agreement,
        BinaryTable,
        GradedAgreement,
        LevelAgreement,
    )
    from curator.evaluation.settings import Settings
    from curator.verbs.leaderboard.grader_agreement import (
        GraderAgreement,
        GraderPairAgreement,
    )
    from curator.verbs.leaderboard.leaderboard import JudgmentAgreement


def judgment_tables(compared: JudgmentAgreement) -> list[Table]:
    """Relevant labels against judgments, and all levels where they are of one scale."""
    names = ("query_id", "subtopic_id")
    part = {name: getattr(compared, name) for name in names if getattr(compared, name)}
    agreement = compared.agreement
    args = (agreement, compared.settings, compared.min_relevance, part)
    table = agreement_table(*args)
    if agreement.graded is None:
        return [table]
    return [table, graded_table(agreement.graded, "all levels: labels by judgments")]


def agreement_table(
    agreement: Agreement,
    settings: Settings,
    min_relevance: int | None,
    part: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    """The table with its margins, and kappa; ``part`` names a query or subtopic."""
    (nn, np_), (pn, pp) = agreement.table
    kappa = "undefined" if agreement.kappa is None else f"{agreement.kappa:.4f}"
    compared = counted(agreement.compared, "judged passage")
    caption = f"Cohen's kappa {kappa} over {compared}"
    under = record(settings, "grader", "min_rating", "label")
    under |= answered_json(settings.min_answered)
    named = {name.removesuffix("_id"): topic for name, topic in part.items()}
    under |= {"min_relevance": min_relevance} | named
    value = {"settings": under, **to_json(agreement)}
    thresholds = [
        *named.values(),
        settings.grader,
        f"label ≥ {settings.min_rating}",
        *label_words([settings]),
        f"judgment ≥ {min_relevance}",
    ]
    caption = f"{' · '.join(thresholds)}\n{caption}"
    notes = _agreement_notes(agreement.note, agreement.unlabelled)
    headings = ["", "judged relevant", "judged not", "total"]
    rows: list[list[Cell]] = [
        ["label relevant", pp, pn, pp + pn],
        ["label not", np_, nn, np_ + nn],
    ]
    table = Table.of(headings, rows, caption, notes, value)
    first, *others = table.columns
    return replace(table, columns=[replace(first, key="label"), *others])


PEOPLE = ("judges", "same", "coefficient", "value")


def grader_agreement_table(compared: GraderAgreement) -> Table:
    """A line for each grader that is held against another, or against people."""
    other = compared.against

    def cell(heading: str, *at: int) -> Column:  # no room on pages
        return Column(heading, ["agreement", "table", *at], only=FILE)

    notes = named_notes((row.grader, row.agreement.note) for row in compared.graders)
    for agreed, noun, marks in (
        (compared.judges, "answer", "verdicts"),
        (compared.checkers, "pair", "checks"),
    ):
        if agreed is not None and agreed.value is not None:
            notes.append(
                f"Agreement of judges on {counted(agreed.items, noun)} with two "
                f"{marks} or more, {agreed.same:,} of them unanimous: "
                f"{agreed.coefficient} {agreed.value:.4f}."
            )
    judges, checkers = compared.judges, compared.checkers
    value = {
        "against": other,
        "graders": [_grader_json(grader) for grader in compared.graders],
        "judges": judges and {"questions": judges.items} | record(judges, *PEOPLE),
    }
    if checkers is not None:
        value["checkers"] = {"pairs": checkers.items} | record(checkers, *PEOPLE)
    caption = f"agreement with the grades of {other}, by pair of question and passage"
    rules = {row.labels.settings.label for row in compared.graders if row.labels}
    caption += "".join(f" · labels by {rule}" for rule in rules)
    return Table(
        [
            Column("grader"),
            Column("rating from", "min_rating", only=FILE),
            Column("pairs", "agreement.compared"),
            *(cell("both", 1, 1), cell("grader alone", 1, 0)),
            *(cell(f"{other} alone", 0, 1), cell("neither", 0, 0)),
            Column("agree", lambda row: row.same and round(row.same, 4), missing=""),
            Column("kappa", "agreement.kappa", title="Cohen’s κ", missing=""),
            Column("auc", title="AUC", missing=""),
            Column("label kappa", "labels.kappa", only=FILE),
            Column("label auc", "labels.auc", only=FILE),
        ],
        compared.graders,
        caption,
        notes,
        value,
    )


def _grader_json(grader: GraderPairAgreement) -> dict[str, object]:
    ratings, labels = grader.ratings, grader.labels
    return {
        **record(grader, "grader", "min_rating", "auc"),
        **to_json(grader.agreement),
        "ratings": ratings
        and {"grader": ratings.labels, "against": ratings.grades}
        | to_json(record(ratings, "counts", *(["levels"] if ratings.levels else []))),
        "labels": to_json(labels),
    }


def rating_tables(compared: GraderAgreement) -> list[Table]:
    """Each grader's ratings by theirs, the other's, the highest first."""
    return [
        graded_table(
            grader.ratings, f"{grader.grader} by {compared.against}", of="theirs"
        )
        for grader in compared.graders
        if grader.ratings is not None
    ]


def _agreement_notes(note: str, unlabelled: int) -> list[str]:
    have = counted(unlabelled, "judged passage has", "judged passages have")
    left_out = f"{have} no label: left out." if unlabelled else ""
    return [*filter(None, (note, left_out))]


def agreement_tables(compared: JudgmentAgreement) -> list[Table]:
    """Farzi & Dietz 2024's tables 4-7, and the baselines' kappas where there are any.

    The graded one, each binary one. The first one's value is that of all of them.
    """
    tables, graded = compared.tables, compared.tables.graded
    settings = compared.settings
    value: dict[str, object] = {
        "grader": settings.grader,
        "min_relevance": tables.min_relevance,
        "label": settings.label,
        **answered_json(settings.min_answered),
        **record(graded, "judged", "unlabelled"),
        "graded": to_json(graded),
        **{
            table.reading: {
                **record(table, "min_rating", "labels"),
                "judgments": table.grades,
                "counts": _relevant_first(table),
                **record(table.agreement, "kappa", "note"),
            }
            for table in tables.binary
        },
        "comparison": {
            table.grader: table.agreement.kappa for table in compared.baselines
        },
        "note": compared.note,
    }
    notes = _agreement_notes(compared.note, graded.unlabelled)
    by = "" if settings.min_answered == 1 else f" ({settings.min_answered} items)"
    by += "" if settings.label == "max" else f" ({RULES[settings.label]})"
    caption = f"{settings.grader} · graded: labels{by} by judgments"
    first = graded_table(graded, caption)
    found = [
        replace(first, value=value, notes=[*first.notes, *notes]),
        *map(binary_table, tables.binary),
    ]
    if compared.baselines:
        kappas = [
            Column("direct grader", "grader", title="direct grader"),
            Column("relevant from", "min_rating", title="relevant from"),
            Column("kappa", "agreement.kappa", title="kappa", missing=""),
            Column("passages", "agreement.compared", title="passages"),
        ]
        caption = f"comparison kappa · judgment ≥ {tables.min_relevance}"
        notes = named_notes(
            (table.grader, table.agreement.note) for table in compared.baselines
        )
        found.append(Table(kappas, compared.baselines, caption, notes))
    return found


def graded_table(
    graded: GradedAgreement, caption: str = "", *, of: str = "judged"
) -> Table:
    """Labels from the best down, with totals of the judgments below."""
    rows: list[list[Cell]] = [
        [str(label), *counts, total]
        for label, counts, total in zip(
            graded.labels, graded.counts, graded.label_totals, strict=True
        )
    ]
    sums: list[list[Cell]] = [["total", *graded.grade_totals, sum(graded.label_totals)]]
    judged = [f"{of} {grade}" for grade in graded.grades]
    notes = [levels_words(graded.levels)] if graded.levels else []
    return Table.of(["label", *judged, "total"], rows, caption, notes, sums=sums)


def levels_words(levels: LevelAgreement) -> str:
    """Agreement over levels: ``Kappa .6 with linear weights, ...``."""
    return (
        f"Over all levels: kappa {levels.linear_kappa:.4f} with linear weights, "
        f"{levels.quadratic_kappa:.4f} with quadratic ones; Krippendorff's alpha of "
        f"ordered levels {levels.ordinal_alpha:.4f}."
    )


def binary_table(table: BinaryTable) -> Table:
    """Make two rows of counts; both show kappa, as in the paper."""
    kappa, note = table.agreement.kappa, table.agreement.note
    counts = _relevant_first(table)
    headings = ["label", *(f"judged {grade}" for grade in table.grades)]
    rows: list[list[Cell]] = [
        [label, *row, sum(row), kappa]
        for label, row in zip(table.labels, counts, strict=True)
    ]
    columns = [sum(column) for column in zip(*counts, strict=True)]
    sums: list[list[Cell]] = [["total", *columns, sum(columns), None]]
    caption = f"{table.reading}: label ≥ {table.min_rating} is relevant"
    notes = [note] if note else []
    return Table.of([*headings, "total", "kappa"], rows, caption, notes, sums=sums)


def _relevant_first(table: BinaryTable) -> list[list[int]]:
    """The counts with the relevant class first, as the paper prints them."""
    (nn, np_), (pn, pp) = table.agreement.table
    return [[pp, pn], [np_, nn]]
