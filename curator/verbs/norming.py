"""``norming``: rounds that judges answer blind, then reveal and discuss."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from curator.bank.marks import Comment, NormingAnswer
from curator.bank.marks.norming import AnswerItem, CommentItem, NormingTask
from curator.bank.questions import Bank, active
from curator.errors import NormingError, NothingToChangeError, UnknownNameError
from curator.evaluation.norming import (
    NormingItem,
    Round,
    RoundAgreement,
    agreements,
    disagreement,
)
from curator.formats.text.records import Record, whole_number_in
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import FLAT, Result, Rows
from curator.snapshot.norming import visible_rounds
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.settings import default_grader
from curator.snapshot.snapshot import Snapshot
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.store.bank import read_rounds
from curator.store.connection import write_transaction
from curator.store.history import now
from curator.verbs.checks.next_checks import (
    choose_seed,
    population,
    require_choice,
    resolve_kind,
)
from curator.verbs.curate.edits import apply, record_edits

ItemIds = tuple[str, str | None, str | None]
"""Ids of query, question and passage; None for what an item of this kind lacks."""


def kind_of(items: Sequence[ItemIds]) -> NormingTask:
    """Return the kind of these items. Raises NormingError if kinds are mixed."""
    kinds = {
        (question is not None, passage is not None) for _, question, passage in items
    }
    names: dict[tuple[bool, bool], NormingTask]
    names = {(True, True): "pairs", (False, True): "passages", (True, False): "votes"}
    kind = names.get(kinds.pop()) if len(kinds) == 1 else None
    if kind is None:
        raise NormingError(
            "A round has items of one kind: pairs of a question and a passage, "
            "passages, or questions to vote on. These are of several kinds."
        )
    return kind


def draw_items(
    snapshot: Snapshot, of: NormingTask, count: int, seed: int, query_id: str | None
) -> list[ItemIds]:
    """Draw ``count`` items without checks or votes, or all if fewer are left.

    Balanced over ratings of the first grader and over queries; in random order, so that
    positions do not reveal ratings. Leaves out items of earlier rounds. Raises
    NormingError if nothing is left.
    """
    rng, rounds = np.random.default_rng(seed), read_rounds(snapshot.connection)
    taken = {item.key for round_ in rounds for item in round_.items}
    strata = (
        _votes(snapshot, query_id) if of == "votes" else _pairs(snapshot, of, query_id)
    )
    restricted = snapshot.collection.restricted  # judges see all items of a round
    item_ids: list[ItemIds] = []
    used: Counter[str] = Counter()
    open_items: dict[int, list[ItemIds]] = {}
    for rating, items_of_rating in sorted(strata.items()):
        visible = [item for item in items_of_rating if item[0] not in restricted]
        open_items[rating] = [
            (query, question_id, passage_id)
            for place in rng.permutation(len(visible)).tolist()
            for query, question_id, words, passage_id in [visible[place]]
            if (query, words, passage_id) not in taken
        ]
    while len(item_ids) < count and any(open_items.values()):
        for items in filter(None, open_items.values()):
            if len(item_ids) < count:
                index = min(range(len(items)), key=lambda i: used[items[i][0]])
                used[items[index][0]] += 1
                item_ids.append(items.pop(index))
    if not item_ids:
        raise NormingError(
            "No item is left to draw: all have been "
            f"{'voted on' if of == 'votes' else 'checked'} or were in a round. Name "
            "the items: `curator norming WORKSPACE open --item QUERY QUESTION PASSAGE`."
        )
    rng.shuffle(item_ids)
    return item_ids


Strata = dict[int, list[tuple[str, str | None, str | None, str | None]]]
"""By rating: query, question's id and words, passage."""


def _pairs(snapshot: Snapshot, of: NormingTask, query_id: str | None) -> Strata:
    grader = default_grader(snapshot)
    kind: Literal["passages", "pairs"] = "passages" if of == "passages" else "pairs"
    strata: Strata = defaultdict(list)
    for pairs in population(snapshot, grader, kind, query_id):
        query = pairs.pool.query_id
        checks = snapshot.bank.checks_of(query)
        checked = {(check.item, check.passage_id) for check in checks}
        ids = pairs.pool.passage_ids
        columns = pairs.item.tolist(), pairs.passage.tolist(), pairs.rating.tolist()
        for row, place, rating in zip(*columns, strict=True):
            question_id = words = None
            if pairs.items:
                question_id, words = pairs.items[row].question_id, pairs.items[row].text
            if (words, ids[place]) not in checked:
                strata[rating].append((query, question_id, words, ids[place]))
    return strata


def _votes(snapshot: Snapshot, query_id: str | None) -> Strata:
    return {
        0: [
            (id_, question.question_id, question.text, None)
            for id_ in snapshot.query_ids(query_id)
            for question in active(snapshot.bank.questions_of(id_), "any")
            if question.text and not question.votes
        ]
    }


def resolve_items(
    snapshot: Snapshot, item_ids: Iterable[ItemIds]
) -> tuple[NormingItem, ...]:
    """Return the items with their current texts.

    Raises UnknownNameError for an unknown query, question or passage, NormingError for
    an item without a text or a duplicate.
    """
    item_ids = list(item_ids)
    if len(set(item_ids)) < len(item_ids):
        raise NormingError("An item can be in a round only once; one is given twice.")
    restricted = snapshot.collection.restricted
    for query_id, *_ in item_ids:
        if query_id in restricted:
            raise NormingError(
                f"Query '{query_id}' is restricted, and judges would see its texts in "
                "a round. Leave it out."
            )
    passage_ids = [passage for _, _, passage in item_ids if passage is not None]
    texts = store_collection.passage_texts(snapshot.connection, passage_ids)
    items = []
    for number, (query_id, question_id, passage_id) in enumerate(item_ids):
        pool = snapshot.collection.pools[snapshot.query_ids(query_id)[0]]
        question = passage = None
        if question_id is not None:
            question = snapshot.bank.question(question_id).text or ""
        if passage_id is not None:
            if passage_id not in pool.counted:
                raise UnknownNameError(
                    f"No passage '{passage_id}' in the pool of query '{query_id}'."
                )
            passage = texts.get(passage_id) or ""
        if "" in (question, passage):
            raise NormingError(
                f"'{question_id if question == '' else passage_id}' has no text here, "
                "so nobody can answer it."
            )
        name = snapshot.queries[query_id].name
        ids = query_id, question_id, passage_id
        items.append(NormingItem(number, *ids, name, question, passage))
    return tuple(items)


DEFAULT_ITEMS = 10
MAX_ITEMS = 100


@dataclass(frozen=True, slots=True)
class AnsweredItem:
    """An item of a round with the answers visible to the viewer, by judge.

    ``mine`` is the viewer's answer, None without one. ``changed`` describes later
    changes of the question or the passage, "" without any.
    """

    item: NormingItem = field(metadata=FLAT)
    mine: str | None
    answers: tuple[NormingAnswer, ...]
    comments: tuple[Comment, ...]
    changed: str

    @property
    def disagreement(self) -> float:
        return disagreement([answer.first for answer in self.answers])


@dataclass(frozen=True)
class Norming(Result[AnsweredItem], table="checks.norming_tables"):
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
    rounds = visible_rounds(snapshot)
    return Rows(rounds, Round, [] if rounds else ["No norming rounds yet."])


def norming(
    snapshot: Snapshot, round_id: int | None = None, *, answers: bool = False
) -> Norming:
    """Return a round: who has finished, and all answers visible to the viewer.

    Answers of others are shown once the round is revealed. Items with most disagreement
    come first. ``no → yes`` is an answer changed after the reveal; an answer in
    brackets was given only after it. Raises UnknownNameError if there is no such round,
    NormingError for ``answers`` as a judge.

    Args:
        round_id ([ROUND]): Number of the round. [the latest]
        answers: Show all answers even before the reveal. You then know them while
            judges are still blind.
    """
    round_ = _round(snapshot, round_id, answers=answers)
    visible = answers or round_.revealed is not None
    passages = [item.passage_id for item in round_.items if item.passage_id is not None]
    texts = store_collection.passage_texts(snapshot.connection, passages)
    items = []
    for item in round_.items:
        item_answers = tuple(a for a in round_.answers if a.place == item.place)
        judge = snapshot.viewer.judge
        mine = next((a.answer for a in item_answers if a.judge == judge), None)
        comments = tuple(c for c in round_.comments if c.place == item.place)
        changed = _changed(snapshot, item, texts.get(item.passage_id or ""))
        items.append(AnsweredItem(item, mine, item_answers, comments, changed))
    if visible:
        items.sort(key=lambda item: -item.disagreement)
    return Norming(round_, visible, tuple(items), agreements(round_) if visible else ())


def open_norming(
    workspace: OpenWorkspace,
    of: NormingTask | None = None,
    *,
    items: Iterable[ItemIds] = (),
    count: int = DEFAULT_ITEMS,
    seed: int | None = None,
    query_id: str | None = None,
    nonce: str | None = None,
) -> Norming:
    """Open a round of ``items``, or of ``count`` drawn ones: pairs, passages or votes.

    Raises NormingError, UnknownNameError, EvaluationError.

    Args:
        of: Pairs of question and passage, passages alone, or votes on the importance
            of questions. [what the first board's grader grades]
        items (QUERY QUESTION PASSAGE): Use this item; - for no question or no passage;
            repeat for several.
        count (N): Number of items to draw.
        seed (N): Random seed; the same seed repeats a draw. [a new one]
    """
    item_ids: list[ItemIds] = [
        (query, None if question == "-" else question, None if text == "-" else text)
        for query, question, text in items
    ]
    if not 1 <= (len(item_ids) or count) <= MAX_ITEMS:
        raise NormingError(
            f"A round has 1 to {MAX_ITEMS} items, not {len(item_ids) or count}."
        )
    require_choice(of, get_args(NormingTask))
    drawn_seed = None if item_ids else choose_seed(seed)
    with write_transaction(workspace.connection):
        number = store_bank.round_of_nonce(workspace.connection, nonce)
        if number is None:
            snapshot = workspace.current_snapshot().full
            kind: NormingTask
            if drawn_seed is None:
                kind = kind_of(item_ids)
                if of not in (None, kind):
                    raise NormingError(f"The items given are {kind}, not {of}.")
            else:
                kind = "votes"
                if of != "votes":
                    kind = resolve_kind(snapshot, default_grader(snapshot), of)
                item_ids = draw_items(snapshot, kind, count, drawn_seed, query_id)
            number = store_bank.write_round(
                workspace.connection,
                resolve_items(snapshot, item_ids),
                task=kind,
                highest=store_bank.highest_grade(workspace.connection),
                seed=drawn_seed,
                by=workspace.judge,
                at=now(),
                nonce=nonce,
            )
    return norming(workspace.current_snapshot(), number)


def reveal_norming(workspace: OpenWorkspace, round_id: int | None = None) -> Norming:
    """Show all answers of this round, or of the last, to all judges.

    Args:
        round_id ([ROUND]): Number of the round. [the latest]
    """
    return _stamp(workspace, round_id, "revealed")


def close_norming(workspace: OpenWorkspace, round_id: int | None = None) -> Norming:
    """Close this round, or the last: no more answers or comments.

    Args:
        round_id ([ROUND]): Number of the round. [the latest]
    """
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
    query_id = _item(workspace, round_id, item)
    edit = AnswerItem(query_id, round_id, item - 1, answer, before)
    with suppress(NothingToChangeError):
        apply(workspace, edit, nonce=nonce)


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
        snapshot = workspace.current_snapshot()
        round_ = _round(snapshot, round_id)
        first_answers: dict[tuple[int, str], str] = {}

        def edits_of(_: Bank, row: Record, by: str) -> list[AnswerItem]:
            text, answer = required_text(row, "item"), required_text(row, "answer")
            item = whole_number_in(row.place, text, "item", 1, len(round_.items))
            if first_answers.setdefault((item, by), answer) != answer:
                raise NormingError(f"{by} gives item {item} two answers; expected one.")
            query_id = _item(workspace, round_.round_id, item)
            return [AnswerItem(query_id, round_.round_id, item - 1, answer)]

        named = ((row.place, row.get("judge"), row) for row in rows)
        record_edits(workspace, snapshot.full.bank, named, edits_of)
    return norming(workspace.current_snapshot(), round_.round_id)


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
    query_id = _item(workspace, round_id, item)
    apply(workspace, CommentItem(query_id, round_id, item - 1, text), nonce=nonce)


def _round(snapshot: Snapshot, round_id: int | None, *, answers: bool = False) -> Round:
    rounds = visible_rounds(snapshot, round_id, answers=answers)
    if not rounds:
        number = "" if round_id is None else f" {round_id}"
        raise UnknownNameError(
            f"No norming round{number} here: `curator norming WORKSPACE` lists them, "
            "`open` opens one."
        )
    return rounds[0]


def _item(workspace: OpenWorkspace, round_id: int, item: int) -> str:
    round_ = _round(workspace.current_snapshot(), round_id)
    if not 1 <= item <= len(round_.items):
        raise UnknownNameError(
            f"No item {item} in round {round_.round_id}; it has 1 to "
            f"{len(round_.items)}."
        )
    query_id = round_.items[item - 1].query_id
    workspace.refuse_restricted([query_id])
    return query_id


def _stamp(
    workspace: OpenWorkspace,
    round_id: int | None,
    stamp: Literal["revealed", "closed"],
) -> Norming:
    with write_transaction(workspace.connection):
        round_ = _round(workspace.current_snapshot(), round_id)
        store_bank.mark_round(
            workspace.connection,
            round_.round_id,
            stamp,
            by=workspace.judge,
            at=now(),
        )
    return norming(workspace.current_snapshot(), round_.round_id)


def _changed(snapshot: Snapshot, item: NormingItem, passage: str | None) -> str:
    changes: list[str] = []
    if item.query_id in snapshot.restricted:
        return ""
    if item.question_id is not None:
        question = snapshot.bank.find(item.query_id, item.question_id)
        if question and question.text != item.question:
            changes.append(f"the question now reads “{question.text}”")
        if question is None or question.state != "kept":
            changes.append(f"the question is {question.state if question else 'gone'}")
    if item.passage is not None and passage != item.passage:
        changes.append("the passage has another text")
    return "; ".join(changes)
