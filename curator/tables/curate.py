"""The bank's questions, and what edits change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curator.bank.edits import kinds
from curator.formats.text.notices import (
    counted,
    counted_as_not_answered,
    missing_grades,
)
from curator.tables.forms import Cell
from curator.tables.leaderboard import rank_cells, ranks_json
from curator.tables.settings import settings_words
from curator.tables.table import Column, Table, record

BOUNDS = ("lower", "upper")
LISTED = 6  # movers named; the others are counted

if TYPE_CHECKING:
    from curator.bank.edits import Change
    from curator.bank.marks import Importance
    from curator.bank.questions import Bank
    from curator.evaluation.impact import Impact, SystemMove
    from curator.store.history import Batch
    from curator.verbs.curate.leave_one_out import LeaveOneOut
    from curator.verbs.curate.question_rows import QuestionLine


def impact_table(impact: Impact) -> Table:
    """Systems, movers first, after a sentence that says how much changed.

    Where grades are missing nothing is said to move: ranks are the ranges they lie in,
    and scores have bounds.
    """
    if not impact.complete:
        return _open_impact_table(impact)
    movers = impact.movers
    moved = {move.system for move in movers}
    labels, systems = len(impact.labels), len(movers)
    sentence = (
        f"{labels:,} label{' changes' if labels == 1 else 's change'}, "
        f"{systems} system{' moves' if systems == 1 else 's move'}"
    )
    if movers:
        largest = movers[0]
        arrow = "▲" if largest.places > 0 else "▼"
        sentence += (
            f"; largest {largest.system} {arrow}{abs(largest.places)} "
            f"({largest.rank_before} → {largest.rank_after})"
        )
    columns = [
        *(Column("system"), Column("rank", "rank_before"), Column("→", "rank_after")),
        *_scores(impact),
    ]
    rows = [*movers, *(move for move in impact.moves if move.system not in moved)]
    lines = [asdict(move) for move in impact.moves]
    value = _impact_json(impact, {"missing": 0}, lines)
    return Table(columns, rows, _impact_words(impact, sentence), value=value)


def _open_impact_table(impact: Impact) -> Table:
    """Every system in the order of what is known."""
    sentence = f"{missing_grades(impact.missing)}, so ranks are not certain yet"
    if not impact.missing:
        missing = missing_grades(impact.missing_before)
        sentence = f"before, {missing}, so who moved is not certain"
    before, after = map(rank_cells, impact.boards)
    columns = [
        Column("system"),
        Column("rank", lambda move: before.get(move.system), "rank_before"),
        Column("→", lambda move: after.get(move.system), "rank_after"),
        *_scores(impact),
    ]
    notes = []
    if impact.missing_before:
        notes.append(f"Before, {counted_as_not_answered(impact.missing_before)}.")
        columns += [Column(f"{end} before", _end(impact, 0, end)) for end in BOUNDS]
    if impact.missing:
        notes.append(f"{counted_as_not_answered(impact.missing)}.")
        columns += [Column(o, _end(impact, 1, o), f"{o}_after") for o in BOUNDS]
    lines = _open_moves(impact)
    value = _impact_json(impact, record(impact, "missing", "missing_before"), lines)
    return Table(columns, impact.moves, _impact_words(impact, sentence), notes, value)


def _end(impact: Impact, side: int, end: str) -> Callable[[SystemMove], Cell]:
    ends = {one.system: getattr(one, end) for one in impact.boards[side].standings}
    return lambda move: ends.get(move.system)


def _open_moves(impact: Impact) -> list[dict[str, Any]]:
    """Every move as JSON: ranks None where open, their ranges, and bounds."""
    lines = {move.system: asdict(move) for move in impact.moves}
    for side, board in zip(("before", "after"), impact.boards, strict=True):
        known = ranks_json(board)
        for system, line in lines.items():
            its = known.get(system, {})
            for name in ("rank", "rank_range", *BOUNDS):
                line[f"{name}_{side}"] = its.get(name)
    return list(lines.values())


def _scores(impact: Impact) -> list[Column]:
    return [
        Column(impact.settings.measure, "score_before"),
        Column("→", "score_after"),
    ]


def _impact_words(impact: Impact, sentence: str) -> str:
    """The settings, and under them the sentence, with the queries that count."""
    if impact.queries_before != impact.queries_after:
        after = counted(impact.queries_after, "query", "queries")
        sentence += f"; {impact.queries_before} → {after}"
    return f"{settings_words(impact.settings)}\n{sentence}."


def _impact_json(
    impact: Impact, grades: dict[str, Any], systems: list[dict[str, Any]]
) -> dict[str, object]:
    listed, changed = impact.listed, len(impact.labels)
    return {
        "settings": impact.settings.as_json(),
        "grades": grades,
        **record(impact, "queries_before", "queries_after"),
        **({"labels_changed": changed} if len(listed) < changed else {}),
        "labels": [asdict(label) for label in listed],
        "systems": systems,
    }


def left_out_table(left_out: LeaveOneOut) -> Table:
    """Make the impact table, with the questions of the system's own passages."""
    table = impact_table(left_out.impact)
    ids = [question.question_id for question in left_out.questions]
    one = len(ids) == 1
    top = "ranking" if left_out.depth is None else f"top {left_out.depth}"
    caption = (
        f"{len(ids)} kept question{' was' if one else 's were'} proposed from passages "
        f"that only {left_out.system} has in its {top}. "
        f"Without {'it' if one else 'them'}:"
    )
    notes = [f"left out: {question.title}" for question in left_out.questions]
    if not ids:
        notes = ["Only questions that were proposed from a passage count here."]
    own = {"left_out": {"system": left_out.system, "questions": ids}}
    return replace(
        table,
        caption=f"{caption}\n{table.caption}",
        notes=notes,
        value={**table.value, **own} if isinstance(table.value, dict) else own,
    )


def own_question_table(left_out: Sequence[LeaveOneOut]) -> Table:
    """Each system's own questions, its rank with and without them, and who moves."""

    def system(one: LeaveOneOut) -> Markup:
        moved = [move for move in one.impact.movers if move.system != one.system]
        named = [
            f"{move.system} {move.rank_before} → {move.rank_after}"
            for move in moved[:LISTED]
        ]
        more = len(moved) - len(named)
        others = ", ".join(named) + (f" and {more:,} more" if more else "")
        if not others and one.impact.complete and "→" not in rank(one):
            others = "no rank changes"
        return Markup("{}<small>{}</small>").format(one.system, others)

    def rank(one: LeaveOneOut) -> str:
        before, after = (
            one.rank
            if one.impact.complete
            else (rank_cells(board).get(one.system) for board in one.impact.boards)
        )
        return f"{before} → {after}" if before != after else str(before)

    columns = [
        Column("questions", lambda one: len(one.questions)),
        Column("system", page=system, names_row=True),
        Column("rank", rank),
    ]
    return Table(columns, left_out)


def bank_table(bank: Bank) -> Table:
    """A line per question, in every state."""
    columns = [
        *(Column("query", "query_id"), Column("id", "question_id")),
        *(Column("subtopic", "subtopic_id"), Column("kind"), Column("state")),
        Column("text"),
    ]
    return Table(columns, tuple(bank))


def question_table(lines: Sequence[QuestionLine]) -> Table:
    """A line per question; reach and influence where it is active."""
    of_question = ("question_id", "query_id", "subtopic_id", "kind", "state", "text")
    of_reach = ("passages", "systems", "nonrelevant_share", "influence")
    value = []
    for line in lines:
        fields, reach = record(line.question, *of_question, "revision"), line.influence
        fields["number"] = line.number
        if line.notes:
            fields["notes"] = [
                record(one, "judge", "text", "flagged") for one in line.notes
            ]
        if line.question.choices:
            fields["choices"] = dict(line.question.choices)
        if line.question.answers:
            fields["answers"] = line.question.answers
        if line.question.aggregator != "OR":
            fields["aggregator"] = line.question.aggregator
        if line.question.votes:
            fields |= {"vital": _votes(line, "vital"), "okay": _votes(line, "okay")}
            fields["weight"] = line.weight
        if reach is not None:
            fields |= record(reach, *of_reach)
            fields["grades"] = record(reach, "needed", "known")
        if line.gold is not None:
            fields["gold"] = line.gold
        value.append(fields)
    columns = [
        *(Column("query", "question.query_id"), Column("number")),
        Column("state", "question.state"),
        Column("passages", "influence.passages"),
        Column("systems", "influence.systems"),
        Column("influence", "influence.influence"),
    ]
    if any(line.gold is not None for line in lines):
        columns.append(Column("gold article", _gold))
    if any(line.question.votes for line in lines):
        columns += [
            Column("vital", lambda line: _votes(line, "vital")),
            Column("okay", lambda line: _votes(line, "okay")),
            Column("weight"),
        ]
    columns += [Column("text", "question.title"), Column("id", "question.question_id")]
    return Table(columns, lines, value=value)


def _gold(line: QuestionLine) -> str | None:
    if line.gold is None:
        return None
    return "answers" if line.gold else "does not"


def _votes(line: QuestionLine, importance: Importance) -> int | None:
    """The number of votes of this importance, None without any vote."""
    votes = [vote for _, vote in line.question.votes]
    return votes.count(importance) if votes else None


def batch_table(batch: Batch) -> Table:
    """Make a table of the changes that an edit made."""

    def text(row: tuple[int, Change]) -> str | None:
        _, change = row
        return kinds.summary(change, {}) if change.after or change.mark else None

    columns = [
        Column("event", [0], key="event"),
        Column("kind", [1, "kind"], key="kind"),
        Column("query", [1, "query_id"], key="query_id"),
        Column("text", text),
        Column("id", [1, "subject_id"], key="question_id"),
    ]
    rows = list(zip(batch.event_ids, batch.changes, strict=True))
    table = Table(columns, rows)
    return replace(table, value={"batch": batch.batch_id, "events": table.records()})
