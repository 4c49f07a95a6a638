"""The bank's questions, what edits change, and the history of edits and boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from curator.bank.edits import kinds
from curator.bank.wording import shortened
from curator.formats.text.notices import (
    counted,
    counted_as_not_answered,
    missing_grades,
)
from curator.results import minute, to_json
from curator.tables.forms import Cell
from curator.tables.leaderboard import rank_cells, ranks_json
from curator.tables.settings import settings_words
from curator.tables.table import Column, Table, columns, record

if TYPE_CHECKING:
    from curator.bank.edits import Change
    from curator.bank.marks import Importance
    from curator.evaluation.impact import Impact, SystemMove
    from curator.results import Rows
    from curator.store.history import Batch, Event
    from curator.verbs.curate.leave_one_out import LeaveOneOut
    from curator.verbs.curate.question_rows import QuestionLine
    from curator.verbs.history import PastBoard


BOUNDS = ("lower", "upper")
LISTED = 6  # movers named; the others are counted


def impact_table(impact: Impact) -> Table:
    """Systems, movers first, after a sentence that says how much changed.

    Where grades are missing nothing is said to move: ranks are the ranges they lie in,
    and scores have bounds.
    """
    before, after = map(rank_cells, impact.boards)
    layout = [
        Column("system"),
        Column("rank", lambda move: before.get(move.system), "rank_before"),
        Column("→", lambda move: after.get(move.system), "rank_after"),
        Column(impact.settings.measure, "score_before"),
        Column("→", "score_after"),
    ]
    notes = []
    if impact.missing_before:
        notes.append(f"Before, {counted_as_not_answered(impact.missing_before)}.")
        layout += [Column(f"{end} before", _end(impact, 0, end)) for end in BOUNDS]
    if impact.missing:
        notes.append(f"{counted_as_not_answered(impact.missing)}.")
        layout += [Column(end, _end(impact, 1, end), f"{end}_after") for end in BOUNDS]
    lines = to_json(impact.moves)
    for line in lines if not impact.complete else ():
        _open_ranks(impact, line)
    listed, changed = impact.listed, len(impact.labels)
    value = {
        "settings": impact.settings.to_json(),
        "grades": {"missing": 0}
        if impact.complete
        else record(impact, "missing", "missing_before"),
        **record(impact, "queries_before", "queries_after"),
        **({"labels_changed": changed} if len(listed) < changed else {}),
        "labels": to_json(listed),
        "systems": lines,
    }
    caption = f"{settings_words(impact.settings)}\n{_change_words(impact)}."
    movers = impact.movers
    rows = [*movers, *(move for move in impact.moves if move not in movers)]
    return Table(layout, rows, caption, notes, value)


def _change_words(impact: Impact) -> str:
    movers = impact.movers
    words = f"{counted(len(impact.labels), 'label changes', 'labels change')}, "
    words += counted(len(movers), "system moves", "systems move")
    if movers:
        largest = movers[0]
        arrow = "▲" if largest.places > 0 else "▼"
        words += (
            f"; largest {largest.system} {arrow}{abs(largest.places)} "
            f"({largest.rank_before} → {largest.rank_after})"
        )
    if not impact.complete:
        words = f"{missing_grades(impact.missing)}, so ranks are not certain yet"
        if not impact.missing:
            missing = missing_grades(impact.missing_before)
            words = f"before, {missing}, so who moved is not certain"
    if impact.queries_before != impact.queries_after:
        queries = counted(impact.queries_after, "query", "queries")
        words += f"; {impact.queries_before} → {queries}"
    return words


def _end(impact: Impact, side: int, end: str) -> Callable[[SystemMove], Cell]:
    ends = {row.system: getattr(row, end) for row in impact.boards[side].standings}
    return lambda move: ends.get(move.system)


def _open_ranks(impact: Impact, line: dict[str, Any]) -> None:
    """Set ranks to None where they are open, and add their ranges and bounds."""
    for side, board in zip(("before", "after"), impact.boards, strict=True):
        ranks = ranks_json(board).get(line["system"], {})
        for name in ("rank", "rank_range", *BOUNDS):
            line[f"{name}_{side}"] = ranks.get(name)


def left_out_table(left_out: LeaveOneOut) -> Table:
    """Make the impact table, with the questions of the system's own passages."""
    table = impact_table(left_out.impact)
    ids = [question.question_id for question in left_out.questions]
    top = "ranking" if left_out.depth is None else f"top {left_out.depth}"
    caption = (
        f"Without {counted(len(ids), 'kept question')} proposed from passages that "
        f"only {left_out.system} has in its {top}:\n{table.caption}"
    )
    notes = [f"left out: {question.title}" for question in left_out.questions]
    if not ids:
        notes = ["Only questions that were proposed from a passage count here."]
    value: Any = table.value
    extra = {"left_out": {"system": left_out.system, "questions": ids}}
    return replace(table, caption=caption, notes=notes, value=value | extra)


def own_question_table(left_out: Sequence[LeaveOneOut]) -> Table:
    """Each system's own questions, its rank with and without them, and who moves."""

    def system(row: LeaveOneOut) -> Markup:
        moved = [move for move in row.impact.movers if move.system != row.system]
        named = [
            f"{move.system} {move.rank_before} → {move.rank_after}"
            for move in moved[:LISTED]
        ]
        more = len(moved) - len(named)
        others = ", ".join(named) + (f" and {more:,} more" if more else "")
        if not others and row.impact.complete and "→" not in rank(row):
            others = "no rank changes"
        return Markup("{}<small>{}</small>").format(row.system, others)

    def rank(row: LeaveOneOut) -> str:
        before, after = (
            row.rank
            if row.impact.complete
            else (rank_cells(board).get(row.system) for board in row.impact.boards)
        )
        return f"{before} → {after}" if before != after else str(before)

    layout = [
        Column("questions", lambda row: len(row.questions)),
        Column("system", page=system),
        Column("rank", rank),
    ]
    return Table(layout, left_out)


def question_table(lines: Sequence[QuestionLine]) -> Table:
    """A line per question; reach and influence where it is active."""
    value = [_question_json(line) for line in lines]
    layout = columns(
        "query=question.query_id number question.state influence.passages "
        "influence.systems influence.influence"
    )
    if any(line.gold is not None for line in lines):
        layout.append(Column("gold article", lambda line: GOLD[line.gold]))
    if any(line.question.votes for line in lines):
        layout += [
            Column("vital", lambda line: _votes(line, "vital")),
            Column("okay", lambda line: _votes(line, "okay")),
            Column("weight"),
        ]
    layout += columns("text=question.title id=question.question_id")
    return Table(layout, lines, value=value)


def _question_json(line: QuestionLine) -> dict[str, object]:
    question, reach = line.question, line.influence
    value = record(question, "question_id", "query_id", "subtopic_id", "kind", "state")
    value |= record(question, "text", "revision") | {"number": line.number}
    notes = [record(note, "judge", "text", "flagged") for note in line.notes]
    key = {"choices": dict(question.choices), "answers": question.answers}
    value |= {name: part for name, part in ({"notes": notes} | key).items() if part}
    if question.aggregator != "OR":
        value["aggregator"] = question.aggregator
    if question.votes:
        value |= {"vital": _votes(line, "vital"), "okay": _votes(line, "okay")}
        value["weight"] = line.weight
    if reach is not None:
        value |= record(reach, "passages", "systems", "nonrelevant_share", "influence")
        value["grades"] = record(reach, "needed", "known")
    if line.gold is not None:
        value["gold"] = line.gold
    return value


GOLD = {None: None, True: "answers", False: "does not"}


def _votes(line: QuestionLine, importance: Importance) -> int | None:
    """The number of votes of this importance, None without any vote."""
    votes = [vote for _, vote in line.question.votes]
    return votes.count(importance) if votes else None


def batch_table(batch: Batch) -> Table:
    """Make a table of the changes that an edit made."""

    def text(row: tuple[int, Change]) -> str | None:
        _, change = row
        return kinds.summary(change, {}) if change.after or change.mark else None

    layout = [
        Column("event", [0], key="event"),
        Column("kind", [1, "kind"], key="kind"),
        Column("query", [1, "query_id"], key="query_id"),
        Column("text", text),
        Column("id", [1, "subject_id"], key="question_id"),
    ]
    rows = list(zip(batch.event_ids, batch.changes, strict=True))
    table = Table(layout, rows)
    return replace(table, value={"batch": batch.batch_id, "events": table.records()})


def history_table(
    events: Sequence[Event], texts: Mapping[str, str] = MappingProxyType({})
) -> Table:
    """A line per event; "shown" is what the judge could see, where that is kept.

    ``texts`` are the questions' by id, for events that hold the id alone: votes.
    """
    layout = [
        Column("event", "event_id"),
        Column("at (UTC)", lambda event: minute(event.at), "at"),
        *columns("by change.kind change.query_id"),
        Column("text", lambda event: kinds.summary(event.change, texts)),
        Column("reason", "change.reason"),
        Column("shown", lambda event: event.shown and shortened(event.shown, 40)),
    ]
    value = [
        {
            "event": event.event_id,
            "batch": event.batch_id,
            **record(event, "at", "by"),
            **record(event.change, "kind", "query_id"),
            "question_id": event.change.subject_id,
            **kinds.difference(event.change),
            "reason": event.change.reason,
            **record(event, "shown", "seconds"),
        }
        for event in events
    ]
    return Table(layout, events, value=value)


def board_history_table(past_boards: Rows[PastBoard]) -> Table:
    """Make a table of the boards over time, with a column of ranks for each system."""
    ranks = {past.event_id: rank_cells(past.board) for past in past_boards}
    systems = dict.fromkeys(system for cells in ranks.values() for system in cells)

    def rank_of(system: str) -> Callable[[PastBoard], int | str | None]:
        return lambda past: ranks[past.event_id].get(system)

    by_system = [Column(system, rank_of(system)) for system in systems]
    return Table([*columns("event_id label"), *by_system], past_boards)
