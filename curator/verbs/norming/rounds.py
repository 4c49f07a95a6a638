"""``norming``: rounds that everybody answers blind, then sees and discusses."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Literal, get_args

from curator.bank.wording import MAX_TEXT
from curator.engine.opened import OpenWorkspace
from curator.engine.settings import default_grader
from curator.engine.state import State
from curator.errors import NormingError, RoleError, UnknownNameError
from curator.evaluation.norming import (
    Comment,
    Given,
    Item,
    Of,
    Round,
    RoundAgreement,
    agreements,
    disagreement,
)
from curator.formats.text.records import whole_number_in
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import Result, Rows
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.store import norming as store
from curator.store.connection import exclusive
from curator.store.history import now
from curator.verbs.checks.next_checks import SEEDS, asked_of
from curator.verbs.curate.rows import judge_of
from curator.verbs.norming.draw import Place, drawn, items_of, kind_of
from curator.visibility.norming import seen_rounds

COUNT = 10
MOST = 100
NONE_YET = (
    "No norming round in this workspace yet: `curator norming WORKSPACE open` opens "
    "one."
)


@dataclass(frozen=True, slots=True)
class JudgeSaid:
    """What a judge said of an item first, and says now.

    ``blind``: the first was given before the reveal.
    """

    judge: str
    first: str
    now: str
    blind: bool


@dataclass(frozen=True, slots=True)
class NormedItem:
    """An item as its round asks it, with what may be seen of the answers, by judge.

    ``mine`` is what the viewer says, None without an answer. ``changed`` says what
    became of the question or the passage since, "" where both are as they were.
    """

    item: Item
    mine: str | None
    said: tuple[JudgeSaid, ...]
    comments: tuple[Comment, ...]
    changed: str

    @property
    def disagreement(self) -> float:
        """How far the first answers are apart (``evaluation.norming``)."""
        return disagreement([one.first for one in self.said])


@dataclass(frozen=True)
class Norming(Result[NormedItem], table="norming.norming_tables"):
    """A round as far as the viewer may see it; ``shown`` where they may see it all.

    Then the items on which the first answers are furthest apart stand first, with
    ``agreements`` beside them; else items are in the round's order, with none.
    """

    round: Round
    shown: bool
    items: tuple[NormedItem, ...]
    agreements: tuple[RoundAgreement, ...]


def norming_rounds(state: State) -> Rows[Round]:
    """Every round, the last first; of others' answers what the viewer may see."""
    found = seen_rounds(state.connection, state.viewer)
    return Rows(found, "norming.rounds_table")


def norming(
    state: State, round_id: int | None = None, *, answers: bool = False
) -> Norming:
    """The round of this number, or the last one.

    With ``answers`` with everybody's before the reveal too. Raises UnknownNameError
    where there is none, NormingError for ``answers`` as a judge.
    """
    found = _round(state, round_id, answers=answers)
    shown = answers or found.revealed is not None
    passages = [one.passage_id for one in found.items if one.passage_id is not None]
    texts = store_collection.passage_texts(state.connection, passages)
    first, last, blind = found.first(), found.latest(), found.latest(blind=True)
    said = {
        one.place: tuple(
            JudgeSaid(judge, first[place, judge], says, (place, judge) in blind)
            for (place, judge), says in sorted(last.items())
            if place == one.place
        )
        for one in found.items
    }
    items = [
        NormedItem(
            one,
            last.get((one.place, state.viewer.judge)),
            said[one.place],
            tuple(each for each in found.comments if each.place == one.place),
            _changed(state, one, texts.get(one.passage_id or "")),
        )
        for one in found.items
    ]
    if shown:
        items.sort(key=lambda one: -one.disagreement)
    return Norming(found, shown, tuple(items), agreements(found) if shown else ())


def open_norming(
    workspace: OpenWorkspace,
    of: str | None = None,
    *,
    items: Iterable[Place] = (),
    count: int = COUNT,
    seed: int | None = None,
    query_id: str | None = None,
    nonce: str | None = None,
) -> Norming:
    """Open a round of ``items``, else of so many drawn ones: pairs, passages or votes.

    Without ``of`` pairs, or passages where the first grader grades these. The same
    ``seed`` draws the same of the same workspace. Raises NormingError,
    UnknownNameError, EvaluationError.
    """
    given = list(items)
    if not 1 <= (len(given) or count) <= MOST:
        raise NormingError(f"A round has 1 to {MOST} items, not {len(given) or count}.")
    if seed is not None and not 0 <= seed < SEEDS:
        raise NormingError(f"seed is {seed}; expected 0 to {SEEDS - 1}.")
    if of is not None and of not in get_args(Of):
        raise NormingError(f"of is '{of}'; expected one of {', '.join(get_args(Of))}.")
    with exclusive(workspace.connection):
        number = store.is_saved(workspace.connection, nonce)
        if number is None:
            state = workspace.working_state().whole
            asked = kind_of(given) if given else _asked(state, of)
            if given and of not in (None, asked):
                raise NormingError(f"The items given are {asked}, not {of}.")
            if not given:
                seed = secrets.randbelow(SEEDS) if seed is None else seed
            places = given or drawn(state, asked, count, seed or 0, query_id)
            number = store.write_round(
                workspace.connection,
                items_of(state, places),
                of=asked,
                highest=store_bank.highest_grade(workspace.connection),
                seed=None if given else seed,
                by=workspace.judge,
                nonce=nonce,
            )
    return norming(workspace.state(), number)


def reveal_norming(workspace: OpenWorkspace, round_id: int | None = None) -> Norming:
    """Show everybody's answers of this round, or of the last, to everybody."""
    return _stamped(workspace, round_id, "revealed")


def close_norming(workspace: OpenWorkspace, round_id: int | None = None) -> Norming:
    """End this round, or the last: nothing more is answered or said in it."""
    return _stamped(workspace, round_id, "closed")


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

    Before the reveal None takes it back; after it an answer is changed, and the first
    one stays. ``before`` is what the judge had said as far as they saw: where that
    has changed nothing is saved. Raises NormingError, UnknownNameError.
    """
    connection, by = workspace.connection, workspace.judge
    with exclusive(connection):
        workspace.require("answer_norming")  # as the role is by now
        if nonce and store.is_saved(connection, nonce):
            return
        round_ = _open_round(workspace, round_id, item)
        current = round_.latest().get((item - 1, by))
        if answer != current and current != before:
            raise NormingError(
                f"You have said '{current or 'nothing'}' of this item meanwhile, in "
                "another window: that stands."
            )
        _save_answer(connection, round_, item, answer, by, nonce)


def record_norming(
    workspace: OpenWorkspace, answers: Source, round_id: int | None = None
) -> Norming:
    """Save the answers of a file, or of records, in a round or the last: all or none.

    A row has ``item``, counted from 1 as tables show it, ``answer``, and ``judge`` if
    it is not of the judge who opened the workspace; that of a listed viewer is refused
    unless ``refuse_viewers`` is False. Raises InputFileError, which names the line,
    NormingError and UnknownNameError.
    """
    rows = read_rows(answers, name="answer", expected="rows of item, answer and judge")
    with exclusive(workspace.connection):
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
    return norming(workspace.state(), round_.round_id)


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
            "The round is revealed: an answer can be changed, not taken back."
        )
    if answer is not None and answer not in round_.choices:
        raise NormingError(
            f"The answer is '{answer}'; expected one of {', '.join(round_.choices)}."
        )
    if answer != round_.latest().get((item - 1, by)):
        written = Given(item - 1, by, answer, round_.revealed is None, now())
        store.write_answer(connection, round_.round_id, written, nonce)


def comment_norming(
    workspace: OpenWorkspace,
    round_id: int,
    item: int,
    text: str,
    *,
    nonce: str | None = None,
) -> None:
    """Comment on an item, counted from 1, of a revealed round, for everybody to read.

    Raises NormingError before the reveal and where it is closed, UnknownNameError.
    """
    connection, text = workspace.connection, text.strip()
    if not 1 <= len(text) <= MAX_TEXT:
        raise NormingError(
            f"A comment has 1 to {MAX_TEXT:,} characters; this one has {len(text):,}."
        )
    with exclusive(connection):
        workspace.require("comment_norming")
        if nonce and store.is_saved(connection, nonce):
            return
        round_ = _open_round(workspace, round_id, item)
        if round_.revealed is None:
            raise NormingError(
                f"Round {round_id} is not revealed yet: what is said of an item would "
                "tell others how you answer it. Nothing was saved."
            )
        comment = Comment(item - 1, workspace.judge, text, now())
        store.write_comment(connection, round_id, comment, nonce)


def _asked(state: State, of: str | None) -> Of:
    """What a round is drawn of."""
    if of == "votes":
        return "votes"
    first = default_grader(state)
    return asked_of(state, first, of)


def _round(state: State, round_id: int | None, *, answers: bool = False) -> Round:
    """As the viewer may see it. Raises UnknownNameError where there is none."""
    found = seen_rounds(state.connection, state.viewer, round_id, answers=answers)
    if not found:
        raise UnknownNameError(
            NONE_YET
            if round_id is None
            else f"No norming round {round_id} here. `curator norming WORKSPACE` lists "
            "them."
        )
    return found[0]


def _open_round(workspace: OpenWorkspace, round_id: int | None, item: int) -> Round:
    """Return the round if this item, counted from 1, can be answered."""
    # Answers of a file are compared with all that there are, and shown to nobody.
    round_ = _round(workspace.state(), round_id, answers=not workspace.as_judge)
    if round_.closed:
        raise NormingError(
            f"Round {round_.round_id} was closed by {round_.closed.by}: nothing more "
            "is answered or said in it. Nothing was saved."
        )
    if not 1 <= item <= len(round_.items):
        raise UnknownNameError(
            f"No item {item} in round {round_.round_id}; it has 1 to "
            f"{len(round_.items)}."
        )
    workspace.refuse_restricted([round_.items[item - 1].query_id])
    return round_


def _stamped(
    workspace: OpenWorkspace,
    round_id: int | None,
    what: Literal["revealed", "closed"],
) -> Norming:
    with exclusive(workspace.connection):
        found = _round(workspace.state(), round_id)
        store.stamp_round(workspace.connection, found.round_id, what, workspace.judge)
    return norming(workspace.state(), found.round_id)


def _changed(state: State, item: Item, passage: str | None) -> str:
    """What became of an item since its round was opened, "" where it is as it was."""
    said: list[str] = []
    if item.query_id in state.restricted:
        return ""
    if item.question_id is not None:
        found = state.bank.find(item.query_id, item.question_id)
        if found is None:
            said.append("the question is gone")
        elif found.text != item.question:
            said.append(f"the question now reads “{found.text}”")
        if found is not None and found.state != "kept":
            said.append(f"the question is {found.state}")
    if item.passage is not None and passage != item.passage:
        said.append("the passage has another text")
    return "; ".join(said)
