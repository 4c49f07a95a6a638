"""Agreement tables in the layout of Farzi & Dietz 2024, Tables 4-7."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curator.tables.leaderboard import unlabelled_said
from curator.tables.table import Cell, Shown

if TYPE_CHECKING:
    from curator.evaluation.agreement import GradedAgreement
    from curator.evaluation.agreement_tables import BinaryTable
    from curator.verbs.leaderboard.agreement import GraderTables


def agreement_tables(found: GraderTables) -> tuple[Shown, ...]:
    """The graded table, each binary one, and the baselines' kappas where there are any.

    The first one's value is that of all of them.
    """
    tables = found.tables
    notes = [found.note] if found.note else []
    if tables.graded.unlabelled:
        notes.append(unlabelled_said(tables.graded.unlabelled))
    shown = [
        Shown(
            tables_json(found),
            *_graded(tables.graded),
            f"{found.grader} · graded: labels by judgments",
            notes,
        )
    ]
    shown += [_binary(one) for one in tables.binary]
    if found.baselines:
        rows: list[list[Cell]] = [
            [one.grader, one.agreement.kappa, one.agreement.compared]
            for one in found.baselines
        ]
        shown.append(
            Shown(
                None,
                ["direct grader", "kappa", "passages"],
                rows,
                f"comparison kappa · relevance grade ≥ 1 · judgment ≥ "
                f"{tables.min_relevance}",
                [f"{b.grader}: {b.agreement.note}" for b in found.baselines
                 if b.agreement.note],
            )
        )  # fmt: skip
    return tuple(shown)


def tables_json(found: GraderTables) -> dict[str, object]:
    """Every table by name, the relevant class first."""
    tables = found.tables
    return {
        "grader": found.grader,
        "min_relevance": tables.min_relevance,
        "judged": tables.graded.judged,
        "unlabelled": tables.graded.unlabelled,
        "graded": {
            "labels": list(tables.graded.labels),
            "judgments": list(tables.graded.grades),
            "counts": [list(row) for row in tables.graded.counts],
        },
        **{
            one.reading: {
                "min_rating": one.min_rating,
                "labels": list(one.labels),
                "judgments": list(one.grades),
                "counts": [list(row) for row in _counts(one)],
                "kappa": one.agreement.kappa,
                "note": one.agreement.note,
            }
            for one in tables.binary
        },
        "comparison": {one.grader: one.agreement.kappa for one in found.baselines},
        "note": found.note,
    }


def _graded(found: GradedAgreement) -> tuple[list[str], list[list[Cell]]]:
    """Labels from the best down, with totals both ways."""
    rows: list[list[Cell]] = [
        [str(label), *counts, total]
        for label, counts, total in zip(
            found.labels, found.counts, found.label_totals, strict=True
        )
    ]
    rows.append(["total", *found.grade_totals, sum(found.label_totals)])
    return ["label", *(f"judged {grade}" for grade in found.grades), "total"], rows


def _binary(found: BinaryTable) -> Shown:
    """Two rows of counts; kappa is the table's, and so stands in both, as printed."""
    counts = _counts(found)
    kappa = found.agreement.kappa
    rows: list[list[Cell]] = [
        [label, *row, sum(row), kappa]
        for label, row in zip(found.labels, counts, strict=True)
    ]
    columns = [sum(column) for column in zip(*counts, strict=True)]
    rows.append(["total", *columns, sum(columns), None])
    headings = ["label", *(f"judged {one}" for one in found.grades), "total", "kappa"]
    note = found.agreement.note
    return Shown(
        None,
        headings,
        rows,
        f"{found.reading}: label ≥ {found.min_rating} is relevant",
        [note] if note else [],
    )


def _counts(found: BinaryTable) -> tuple[tuple[int, int], tuple[int, int]]:
    """The table with the relevant class first, as the paper prints it."""
    (nn, np_), (pn, pp) = found.agreement.table
    return (pp, pn), (np_, nn)
