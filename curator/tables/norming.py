"""Norming rounds: what is asked, what everybody says, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from curator.formats.text.notices import counted
from curator.results import to_json
from curator.tables.table import Column, Table, columns, record

if TYPE_CHECKING:
    from curator.bank.marks import NormingAnswer
    from curator.evaluation.norming import Round, RoundAgreement
    from curator.verbs.norming import AnsweredItem, Norming


def norming_tables(norming: Norming) -> list[Table]:
    """A line an item, with a column for every judge whose answers are seen.

    Then, where all are seen, the agreement before and after the reveal.
    """
    judges = sorted({answer.judge for row in norming.items for answer in row.answers})
    this = norming.round
    items = Table(
        [
            Column("item", "item.number", key="item"),
            *columns("item.query_id id=item.question_id item.question item.passage_id"),
            Column("changed"),
            *(Column(row, _said_by(row), key=f"said {row}") for row in judges),
            Column("comments", lambda row: len(row.comments)),
        ],
        norming.items,
        f"round {this.round_id}, {this.status}: {counted(len(norming.items), 'item')} "
        f"({this.of})",
        [progress(this), *(() if norming.all_visible else (HIDDEN,))],
        value=_json(norming),
    )
    return (
        [items, agreement_table(norming.agreements)] if norming.all_visible else [items]
    )


HIDDEN = "Answers of others are shown once the round is revealed."


def progress(norming: Round) -> str:
    """Describe how many items each judge has answered."""
    if not norming.answered:
        return "No answers yet."
    done = (f"{judge} {count}" for judge, count in norming.answered)
    return f"Answered of {len(norming.items)}: {', '.join(done)}."


def agreement_table(rows: tuple[RoundAgreement, ...]) -> Table:
    """Make a table of Krippendorff's alpha before and after the reveal."""
    values = [_agreement_json(phase) for phase in rows]
    notes = [f"{row['when']}: {row['note']}" for row in values if row["note"]]
    layout = [
        *(Column("agreement", "when", key="when"), Column("alpha", title="α")),
        *columns("judges items same answers"),
    ]
    return Table(layout, values, "Krippendorff's alpha", notes)


def _agreement_json(phase: RoundAgreement) -> dict[str, Any]:
    measured = phase.agreement
    return {
        "when": phase.when,
        "alpha": measured.value,
        "judges": len(measured.judges),
        **record(measured, "items", "same"),
        "answers": measured.values,
        "note": measured.note,
    }


def said_in_words(answer: NormingAnswer) -> str:
    """``no → yes`` of an answer that was changed; in brackets one not given blind."""
    text = (
        answer.answer
        if answer.first == answer.answer
        else f"{answer.first} → {answer.answer}"
    )
    return text if answer.blind else f"({text})"


def _said_by(judge: str) -> Any:
    def answer(row: AnsweredItem) -> str | None:
        norming = (each for each in row.answers if each.judge == judge)
        return next(map(said_in_words, norming), None)

    return answer


def _json(norming: Norming) -> dict[str, Any]:
    this = norming.round
    return {
        **{"round": this.round_id, "of": this.of, "status": this.status},
        **to_json(record(this, "seed", "opened", "revealed", "closed")),
        "answered": dict(this.answered),
        **{"shown": norming.all_visible, "items": to_json(norming.items)},
        "agreement": [_agreement_json(phase) for phase in norming.agreements],
    }
