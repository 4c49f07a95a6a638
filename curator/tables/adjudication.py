"""Tables of differences between judges and of their agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curator.formats.text.notices import counted
from curator.results import FILE, minute, to_json
from curator.tables.table import Column, Table, columns

if TYPE_CHECKING:
    from curator.verbs.adjudication import (
        Adjudication,
        Difference,
        KindAgreement,
    )

AROUND = "before the first decision, and after the last"
BESIDE = "each judge compared with the decisions"
JUDGED = Column("judged by two or more", "agreement.items", title="Judged")


def adjudication_tables(
    adjudication: Adjudication, *, names: bool = False
) -> list[Table]:
    """A line for each difference, then the agreement of judges by kind.

    Who says what is left out of lines and JSON without ``names``.
    """
    if not names:
        adjudication = adjudication.without_names()
    place = "place.kind place.query_id id=place.question_id question=place.text "
    differences = Table(
        [
            *columns(f"{place}place.passage_id place.answer"),
            *(Column("said", _opinions), Column("reasons", _reasons)),
            *columns("status place.key"),
        ],
        adjudication.differences,
        f"{counted(len(adjudication.differences), 'difference')} between judges",
        value=to_json(adjudication),
    )
    agreement = Table(
        [
            Column("kind"),
            Column("judges", lambda row: len(row.agreement.judges)),
            JUDGED,
            *columns("agreement.same agreement.differ"),
            Column("coefficient", "agreement.coefficient", title="", page=_sign),
            Column("value", "agreement.value", digits=2),
        ],
        adjudication.agreement,
        "agreement of the judges",
        [
            f"{row.kind}: {row.agreement.note}"
            for row in adjudication.agreement
            if row.agreement.note
        ],
    )
    tables = [differences, agreement]
    if adjudication.past:
        tables.append(Table(THEN, adjudication.past, AROUND))
    if adjudication.with_decisions:
        spec = "kind judge decided=items same Cohen's_kappa=kappa"
        tables.append(Table(columns(spec), adjudication.with_decisions, BESIDE))
    return tables


THEN = (
    *columns("kind when"),
    Column("at", page=lambda row: minute(row.at), help="UTC"),
    JUDGED,
    Column("same", "agreement.same"),
    Column("coefficient", "agreement.coefficient", only=FILE),
    Column("value", "agreement.value", digits=2, title="κ, α"),
)


def _opinions(difference: Difference) -> str:
    return " · ".join(
        f"{side.value} ({', '.join(side.judges) or side.how_many})"
        for side in difference.sides
    )


def _reasons(difference: Difference) -> str:
    return " · ".join(
        f"{reason.judge or side.value}: {reason.words}"
        for side in difference.sides
        for reason in side.reasons
    )


def _sign(row: KindAgreement) -> str:
    coefficient = row.agreement.coefficient
    return "κ" if "kappa" in coefficient else "α" if coefficient else ""
