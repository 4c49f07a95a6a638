"""Tables of what checks say of graders, of norming rounds, and of disagreements."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from curator.formats.text.notices import counted
from curator.results import FILE, minute, to_json
from curator.tables.forms import score
from curator.tables.table import Column, Table, columns, named_notes, record

if TYPE_CHECKING:
    from curator.bank.marks import NormingAnswer
    from curator.evaluation.norming import Round, RoundAgreement
    from curator.verbs.adjudication import (
        Adjudication,
        Difference,
        KindAgreement,
    )
    from curator.verbs.checks.quality import GraderQuality, Quality
    from curator.verbs.norming import AnsweredItem, Norming


def quality_tables(quality: Quality) -> list[Table]:
    """Every grader at its threshold, and what people say of each of its labels.

    The first one's value is that of both.
    """
    label = "rating" if quality.of == "pairs" else "label"
    columns = [
        Column("grader"),
        Column(f"{label} from", "min_label", only=("file", "page")),
        Column("checks"),
        *_estimate("precision", "chosen_threshold.precision"),
        *_estimate("recall", "chosen_threshold.recall"),
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
        {"grader": row.grader, "line": line}
        for row in graders
        for line in row.by_label
        if line.pairs or line.checks
    ]
    columns = [
        *(Column("grader"), Column(label, "line.label")),
        Column("pairs", "line.pairs", title=of.capitalize()),
        Column("checks", "line.checks"),
        *_estimate("yes", "line.right"),
    ]
    return Table(columns, lines, f"people's checks by {label}: the share of yes")


def _estimate(name: str, path: str) -> tuple[Column, ...]:
    """A share with its limits: three columns in files, one of words elsewhere."""

    share = Column(name, f"{path}.share")
    low, high = (
        Column(end, f"{path}.interval.{end}", f"{name}_{end}", only=FILE)
        for end in ("low", "high")
    )

    def words(row: Any) -> str:
        text = score(share.value_in(row))
        if low.value_in(row) is None:
            return text
        return f"{text} ({score(low.value_in(row))}–{score(high.value_in(row))})"

    return replace(share, key=name, page=words), low, high


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
    if norming.all_visible:
        return [items, agreement_table(norming.agreements)]
    return [items]


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
    notes = named_notes((row["when"], row["note"]) for row in values)
    layout = [
        Column("agreement", "when"),
        Column("alpha", title="α"),
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
    text = answer.answer
    if answer.first != text:
        text = f"{answer.first} → {text}"
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
            *(Column("said", _opinions), Column("reasons", _stated_reasons)),
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
        named_notes((row.kind, row.agreement.note) for row in adjudication.agreement),
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


def _stated_reasons(difference: Difference) -> str:
    return " · ".join(
        f"{reason.judge or side.value}: {reason.words}"
        for side in difference.sides
        for reason in side.reasons
    )


def _sign(row: KindAgreement) -> str:
    coefficient = row.agreement.coefficient
    return "κ" if "kappa" in coefficient else "α" if coefficient else ""
