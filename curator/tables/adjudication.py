"""Tables of differences between judges and of their agreement."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from curator.formats.text.notices import counted
from curator.results import FILE, minute, to_json
from curator.tables.table import Column, Table, columns, record

if TYPE_CHECKING:
    from curator.evaluation.agreement import JudgeAgreement
    from curator.verbs.adjudication.differences import (
        Adjudication,
        Difference,
    )


def adjudication_tables(
    adjudication: Adjudication, *, names: bool = False
) -> list[Table]:
    """A line for each difference, then the agreement of judges by kind.

    Who says what is left out of lines and JSON without ``names``.
    """

    def opinions(difference: Difference) -> str:
        return " · ".join(
            f"{side.value} ({', '.join(side.judges) if names else len(side.judges)})"
            for side in difference.sides
        )

    def reasons(difference: Difference) -> str:
        return " · ".join(
            f"{judge if names else side.value}: {words}"
            for side in difference.sides
            for judge, words in side.reasons
        )

    place = "place.kind place.query_id id=place.question_id question=place.text "
    differences = Table(
        [
            *columns(f"{place}place.passage_id place.answer"),
            *(Column("said", opinions), Column("reasons", reasons)),
            *columns("status place.key"),
        ],
        adjudication.differences,
        f"{counted(len(adjudication.differences), 'difference')} between judges",
    )
    rows = agreement_rows(adjudication)
    agreement = Table(
        [
            *columns("kind judges"),
            Column("judged by two or more", "items", title="Judged"),
            *columns("same differ"),
            Column("coefficient", title="", page=_sign),
            Column("value", digits=2),
        ],
        rows,
        "agreement of the judges",
        [f"{row['kind']}: {row['note']}" for row in rows if row["note"]],
    )
    value: dict[str, object] = {
        "differences": [
            _json(difference, names) for difference in adjudication.differences
        ],
        "agreement": rows,
    }
    if names:
        value["with_decisions"] = to_json(adjudication.with_decisions)
    tables = [replace(differences, value=value), agreement]
    if adjudication.past:
        value["then"] = [
            record(difference, "when", "at")
            | {
                "agreement": {"kind": difference.kind}
                | judge_agreement_json(difference.agreement)
            }
            for difference in adjudication.past
        ]
        tables.append(Table(THEN, adjudication.past, AROUND))
    if names and adjudication.with_decisions:
        spec = "kind judge decided=items same Cohen's_kappa=kappa"
        tables.append(Table(columns(spec), adjudication.with_decisions, BESIDE))
    return tables


AROUND = "before the first decision, and after the last"
BESIDE = "each judge compared with the decisions"
THEN = (
    *columns("kind when"),
    Column("at", page=lambda one: minute(one.at), help="UTC"),
    Column("judged by two or more", "agreement.items", title="Judged"),
    Column("same", "agreement.same"),
    Column("coefficient", "agreement.coefficient", only=FILE),
    Column("value", "agreement.value", digits=2, title="κ, α"),
)


def agreement_rows(adjudication: Adjudication) -> list[dict[str, Any]]:
    return [
        {"kind": kind} | judge_agreement_json(measured) | {"differ": measured.differ}
        for kind, measured in adjudication.agreement.items()
    ]


def judge_agreement_json(agreement: JudgeAgreement) -> dict[str, Any]:
    """Return an agreement as JSON, with the number of judges."""
    fields = ("items", "same", "coefficient", "value", "note")
    return {"judges": len(agreement.judges)} | record(agreement, *fields)


def _sign(row: dict[str, Any]) -> str:
    """The coefficient's sign, of pages."""
    coefficient = row["coefficient"]
    return "κ" if "kappa" in coefficient else "α" if coefficient else ""


def _json(difference: Difference, names: bool) -> dict[str, Any]:
    place = ("kind", "query_id", "question_id", "text", "passage_id", "answer")
    sides = [
        {"says": side.value, "how_many": len(side.judges)}
        | ({"judges": side.judges} if names else {})
        | {
            "reasons": [
                {"judge": judge, "words": words} if names else {"words": words}
                for judge, words in side.reasons
            ]
        }
        for side in difference.sides
    ]
    keys = {"key": difference.place.key, "status": difference.status}
    return record(difference.place, *place) | {"sides": sides} | keys
