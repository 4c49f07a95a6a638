"""``norming``: rounds that judges answer blind, then reveal and discuss."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Literal, get_args

from curator.bank.wording import MAX_TEXT
from curator.errors import NormingError, RoleError, UnknownNameError
from curator.evaluation.norming import (
    Comment,
    NormingAnswer,
    NormingItem,
    NormingTask,
    Round,
    RoundAgreement,
    agreements,
    disagreement,
)
from curator.formats.text.records import whole_number_in
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import Result, Rows
from curator.snapshot.norming import visible_rounds
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.settings import default_grader
from curator.snapshot.snapshot import Snapshot
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.store import norming as store
from curator.store.connection import write_transaction
from curator.store.history import now
from curator.verbs.checks.next_checks import SEEDS, resolve_kind
from curator.verbs.curate.rows import judge_of
from curator.verbs.norming.draw import ItemIds, draw_items, kind_of, resolve_items

DEFAULT_ITEMS = 10
MAX_ITEMS = 100
NO_ROUND = (
    "No norming round in this workspace yet: `curator norming WORKSPACE open` opens "
    "one."
)


@dataclass(frozen=True, slots=True)
class ItemAnswer:
    """A judge's first and current answer to an item.

    ``blind``: the first was given before the reveal.
    """

    judge: str
    first: str
    now: str
    blind: bool


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """An item of a round with the answers visible to the viewer, by judge.

    ``mine`` is the viewer's answer, None without one. ``changed`` describes later
    changes of the question or the passage, "" without any.
    """

    item: NormingItem
    mine: str | None
    answers: tuple[ItemAnswer, ...]
    comments: tuple[Comment, ...]
    changed: str

    @property
    def disagreement(self) -> float:
        """Disagreement of the first answers (``evaluation.norming``)."""
        return disagreement([answer.first for answer in self.answers])


@dataclass(frozen=True)
class Norming(Result[AnsweredItem], table="norming.norming_tables"):
    """A round as visible to the viewer; ``all_visible`` if all answers are visible.

    Then items are sorted by the disagreement of first answers, and there are
    ``agreements``; otherwise items are in the round's order, without agreements.
    """

    round: Round
    all_visible: bool
    items: tuple[AnsweredItem, ...]
    agreements: tuple[RoundAgreement, ...]


def norming_rounds(snapshot: Snapshot) -> Rows[Round]:
    """Return every round, the last first, with the answers visible to the viewer."""
    rounds = visible_rounds(snapshot.connection, snapshot.viewer)
    return Rows(rounds, "norming.rounds_table")


def norming(
    snapshot: Snapshot, round_id: int | None = None, *, answers: bool = False
) -> Norming:
    """Return the round of this number, or the last one.

    ``answers`` includes all answers before the reveal. Raises UnknownNameError if there
    is no such round, NormingError for ``answers`` as a judge.
    """
    round_ = _round(snapshot, round_id, answers=answers)
    visible = answers or round_.revealed is not None
    passages = [item.passage_id for item in round_.items if item.passage_id is not None]
    texts = store_collection.passage_texts(snapshot.connection, passages)
    first, latest, blind = round_.first(), round_.latest(), round_.latest(blind=True)
    answers_by_place = {
        item.place: tuple(
            ItemAnswer(judge, first[place, judge], answer, (place, judge) in blind)
            for (place, judge), answer in sorted(latest.items())
            if place == item.place
        )
        for item in round_.items
    }
    items = [
        AnsweredItem(
            item,
            latest.get((item.place, snapshot.viewer.judge)),
            answers_by_place[item.place],
            tuple(
                comment for comment in round_.comments if comment.place == item.place
            ),
            _changed(snapshot, item, texts.get(item.passage_id or "")),
        )
        for item in round_.items
    ]
    if visible:
        items.sort(key=lambda item: -item.disagreement)
    return Norming(round_, visible, tuple(items), agreements(round_) if visible else ())


def open_norming(
    workspace: OpenWorkspace,
    of: str | None = None,
    *,
    items: Iterable[ItemIds] = (),
    count: int = DEFAULT_ITEMS,
    seed: int | None = None,
    query_id: str | None = None,
    nonce: str | None = None,
) -> Norming:
    """Open a round of ``items``, or of ``count`` drawn ones: pairs, passages or votes.

    ``of`` defaults to pairs, or passages if the first grader grades passages. The same
    ``seed`` draws the same items of the same workspace. Raises NormingError,
    UnknownNameError, EvaluationError.
    """
    item_ids = list(items)
    if not 1 <= (len(item_ids) or count) <= MAX_ITEMS:
        raise NormingError(
            f"A round has 1 to {MAX_ITEMS} items, not {len(item_ids) or count}."
        )
    if seed is not None and not 0 <= seed < SEEDS:
        raise NormingError(f"seed is {seed}; expected 0 to {SEEDS - 1}.")
    if of is not None and of not in get_args(NormingTask):
        raise NormingError(
            f"of is '{of}'; expected one of {', '.join(get_args(NormingTask))}."
        )
    with write_transaction(workspace.connection):
        number = store.round_of_nonce(workspace.connection, nonce)
        if number is None:
            snapshot = workspace.current_snapshot().with_texts.unfiltered
            kind = kind_of(item_ids) if item_ids else _drawn_kind(snapshot, of)
            if item_ids and of not in (None, kind):
                raise NormingError(f"The items given are {kind}, not {of}.")
            if not item_ids:
                seed = secrets.randbelow(SEEDS) if seed is None else seed
            round_ids = item_ids or draw_items(
                snapshot, kind, count, seed or 0, query_id
            )
            number = store.write_round(
                workspace.connection,
                resolve_items(snapshot, round_ids),
                task=kind,
                highest=store_bank.highest_grade(workspace.connection),
                seed=None if item_ids else seed,
                by=workspace.judge,
                nonce=nonce,
            )
    return norming(workspace.current_snapshot(), number)


def reveal_norming(workspace: OpenWorkspace, round_id: int | None = None) -> Norming:
    """Show all answers of this round, or of the last, to all judges."""
    return _stamp(workspace, round_id, "revealed")


def close_norming(workspace: OpenWorkspace, round_id: int | None = None) -> Norming:
    """Close this round, or the last: no more answers or comments."""
    return _stamp(workspace, round_id, "closed")


def answer_norming(
    workspace: OpenWorkspace,
    round_id: int,
    item: int,
    answer: str | None,
    *,
    before: str | None = None,
    nonce: str | None = None,
) -> None:
    """Answer an item, counted from 1, as the judge who opened the workspace.

    Before the reveal None withdraws the answer; after it an answer can be changed, and
    the first one stays. ``before`` is the judge's answer as they last saw it: if it has
    changed since, nothing is saved. Raises NormingError, UnknownNameError.
    """
    connection, by = workspace.connection, workspace.judge
    with write_transaction(connection):
        workspace.require("answer_norming")  # the role may have changed since opening
        if nonce and store.round_of_nonce(connection, nonce):
            return
        round_ = _open_round(workspace, round_id, item)
        current = round_.latest().get((item - 1, by))
        if answer != current and current != before:
            action = "withdrew your answer"
            if current is not None:
                action = f"answered '{current}'"
            raise NormingError(
                f"Meanwhile you {action} in another window; that was kept and nothing "
                "was saved here."
            )
        _save_answer(connection, round_, item, answer, by, nonce)


def record_norming(
    workspace: OpenWorkspace, answers: Source, round_id: int | None = None
) -> Norming:
    """Save the answers of a file or of records in a round, or the last, atomically.

    A row has ``item``, counted from 1 as in tables, ``answer``, and ``judge`` if it is
    not the judge who opened the workspace. Raises InputFileError, which names the line,
    also for a listed viewer unless ``refuse_viewers`` is False, NormingError and
    UnknownNameError.
    """
    rows = read_rows(answers, name="answer", expected="rows of item, answer and judge")
    with write_transaction(workspace.connection):
        round_ = _open_round(workspace, round_id, 1)
        answers_read: dict[tuple[int, str], str] = {}
        for row in rows:
            text, answer = required_text(row, "item"), required_text(row, "answer")
            item = whole_number_in(row.place, text, "item", 1, len(round_.items))
            try:
                by = judge_of(workspace, row.place, row.get("judge"))
                if answers_read.setdefault((item, by), answer) != answer:
                    raise NormingError(
                        f"{by} gives item {item} two answers; expected one."
                    )
                _save_answer(workspace.connection, round_, item, answer, by)
            except (NormingError, RoleError) as error:
                raise row.error(str(error)) from None
    return norming(workspace.current_snapshot(), round_.round_id)


def _save_answer(
    connection: Connection,
    round_: Round,
    item: int,
    answer: str | None,
    by: str,
    nonce: str | None = None,
) -> None:
    if answer is None and round_.revealed:
        raise NormingError(
            "The round is revealed: an answer can be changed, but not withdrawn."
        )
    if answer is not None and answer not in round_.choices:
        raise NormingError(
            f"The answer is '{answer}'; expected one of {', '.join(round_.choices)}."
        )
    if answer != round_.latest().get((item - 1, by)):
        written = NormingAnswer(item - 1, by, answer, round_.revealed is None, now())
        store.write_answer(connection, round_.round_id, written, nonce)


def comment_norming(
    workspace: OpenWorkspace,
    round_id: int,
    item: int,
    text: str,
    *,
    nonce: str | None = None,
) -> None:
    """Comment on an item, counted from 1, of a revealed round.

    Raises NormingError before the reveal and in a closed round, UnknownNameError.
    """
    connection, text = workspace.connection, text.strip()
    if not 1 <= len(text) <= MAX_TEXT:
        raise NormingError(
            f"A comment has 1 to {MAX_TEXT:,} characters; this one has {len(text):,}."
        )
    with write_transaction(connection):
        workspace.require("comment_norming")
        if nonce and store.round_of_nonce(connection, nonce):
            return
        round_ = _open_round(workspace, round_id, item)
        if round_.revealed is None:
            raise NormingError(
                f"Round {round_id} is not revealed yet, and a comment would show "
                "others your answer. Nothing was saved."
            )
        comment = Comment(item - 1, workspace.judge, text, now())
        store.write_comment(connection, round_id, comment, nonce)


def _drawn_kind(snapshot: Snapshot, of: str | None) -> NormingTask:
    if of == "votes":
        return "votes"
    first = default_grader(snapshot)
    return resolve_kind(snapshot, first, of)


def _round(snapshot: Snapshot, round_id: int | None, *, answers: bool = False) -> Round:
    """The round as visible to the viewer. Raises UnknownNameError if there is none."""
    rounds = visible_rounds(
        snapshot.connection, snapshot.viewer, round_id, answers=answers
    )
    if not rounds:
        message = NO_ROUND
        if round_id is not None:
            message = (
                f"No norming round {round_id} here. `curator norming WORKSPACE` lists "
                "them."
            )
        raise UnknownNameError(message)
    return rounds[0]


def _open_round(workspace: OpenWorkspace, round_id: int | None, item: int) -> Round:
    """Return the round if this item, counted from 1, can be answered."""
    # Answers of a file are compared with all existing ones, which are not shown.
    round_ = _round(
        workspace.current_snapshot(), round_id, answers=not workspace.as_judge
    )
    if round_.closed:
        raise NormingError(
            f"Round {round_.round_id} was closed by {round_.closed.by} and takes no "
            "more answers or comments. Nothing was saved."
        )
    if not 1 <= item <= len(round_.items):
        raise UnknownNameError(
            f"No item {item} in round {round_.round_id}; it has 1 to "
            f"{len(round_.items)}."
        )
    workspace.refuse_restricted([round_.items[item - 1].query_id])
    return round_


def _stamp(
    workspace: OpenWorkspace,
    round_id: int | None,
    stamp: Literal["revealed", "closed"],
) -> Norming:
    with write_transaction(workspace.connection):
        round_ = _round(workspace.current_snapshot(), round_id)
        store.mark_round(workspace.connection, round_.round_id, stamp, workspace.judge)
    return norming(workspace.current_snapshot(), round_.round_id)


def _changed(snapshot: Snapshot, item: NormingItem, passage: str | None) -> str:
    """Description of an item's changes since its round was opened, "" without any."""
    changes: list[str] = []
    if item.query_id in snapshot.restricted:
        return ""
    if item.question_id is not None:
        question = snapshot.bank.find(item.query_id, item.question_id)
        if question is None:
            changes.append("the question no longer exists")
        elif question.text != item.question:
            changes.append(f"the question now reads “{question.text}”")
        if question is not None and question.state != "kept":
            changes.append(f"the question is {question.state}")
    if item.passage is not None and passage != item.passage:
        changes.append("the passage has another text")
    return "; ".join(changes)
