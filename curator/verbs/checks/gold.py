"""``gold``: pairs with a known answer, and how often each judge answers them right.

A gold item is a check by the judge ``gold:NAME``, NAME being the organizer who marked
it: it is part of the history, undone and exported like other checks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from curator.bank.edits import CheckPair
from curator.bank.marks import GOLD, is_gold
from curator.bank.marks.check import ANSWERS, UNSURE
from curator.bank.questions import Bank, active
from curator.formats.text.notices import counted
from curator.formats.text.records import Record
from curator.formats.text.rows import Source, read_rows, required_text
from curator.results import Result, column, computed
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.snapshot import Snapshot
from curator.store.bank import DrawnPair
from curator.store.connection import write_transaction
from curator.verbs.curate.edits import Recorded, record_edits

SHARE = 0.1  # of a judge's pairs
FIELDS = (
    ("query", "query_id"),
    ("question", "id", "item_id"),
    ("passage", "passage_id"),
)
"""Names of the fields of a row; the later ones as ``next`` prints them."""


@dataclass(frozen=True, slots=True)
class GoldRate:
    """A judge's answers to gold items: all, and those that are right."""

    judge: str
    answered: int
    right: int

    @property
    @computed()
    def rate(self) -> float:
        return self.right / self.answered


@dataclass(frozen=True)
class Gold(Result[GoldRate], rows="rates"):
    """The number of gold items, and the rate of each judge who answered any."""

    items: int
    rates: tuple[GoldRate, ...] = field(metadata=column(json="judges"))

    @property
    def caption(self) -> str:
        return f"{counted(self.items, 'gold item')} · lowest rate first"


def gold(workspace: OpenWorkspace, pairs: Source | None = None) -> Gold:
    """Count the gold items, and each judge's right answers to those of others.

    FILE has a line for each pair, as a table or JSON lines: query, question (its id or
    text), passage, and answer (yes or no; without one the pair is no longer gold).
    Unsure is not right; pairs with two known answers that differ are not counted.
    Raises RoleError for a listed judge.

    Args:
        pairs ([FILE]): Pairs with a known answer, to mark first.
    """
    if pairs is not None:
        mark_gold(workspace, pairs)
    workspace.require("gold")
    answered, right, items = Counter[str](), Counter[str](), 0
    for checks in workspace.current_snapshot().full.bank.checks.values():
        answers: defaultdict[tuple[str | None, str], set[str]] = defaultdict(set)
        for check in checks:
            if is_gold(check.judge):
                answers[check.item, check.passage_id].add(check.answer)
        items += len(answers)
        authors = {(check.item, check.passage_id, check.judge) for check in checks}
        for check in checks:
            gold_answers = answers.get((check.item, check.passage_id), set())
            as_author = (check.item, check.passage_id, f"{GOLD}{check.judge}")
            if is_gold(check.judge) or as_author in authors:
                continue
            if len(gold_answers) == 1:
                answered[check.judge] += 1
                right[check.judge] += check.answer in gold_answers
    rates = (GoldRate(judge, answered[judge], right[judge]) for judge in answered)
    return Gold(items, tuple(sorted(rates, key=lambda rate: (rate.rate, rate.judge))))


def mark_gold(workspace: OpenWorkspace, pairs: Source) -> Recorded:
    """Save the known answers of a file or of records, all or none.

    A row has ``query``, ``question`` (its id or text), ``passage``, and ``answer``, yes
    or no; without an answer the pair is no longer gold. Raises InputFileError, which
    names the line, RoleError.
    """
    expected = "rows of query, question, passage and answer (yes or no)"
    rows = read_rows(pairs, name="pair", expected=expected)
    with write_transaction(workspace.connection):
        workspace.require("mark_gold")
        snapshot = workspace.current_snapshot().full
        by = f"{GOLD}{workspace.judge}"
        named = ((row.place, by, row) for row in rows)
        return record_edits(
            workspace,
            snapshot.bank,
            named,
            lambda bank, row, _: [_edit(snapshot, bank, row)],
        )


def _edit(snapshot: Snapshot, bank: Bank, row: Record) -> CheckPair:
    query_id, question, passage_id = (
        required_text(row, next((name for name in names if name in row), names[0]))
        for names in FIELDS
    )
    (query_id,) = snapshot.query_ids(query_id)
    answer = required_text(row, "answer").lower() if row.get("answer") else None
    if answer not in (*ANSWERS, None) or answer == UNSURE:
        raise row.error(f"answer is '{answer}'; expected yes or no.")
    if passage_id not in snapshot.collection.pools[query_id].passage_ids:
        raise row.error(f"No passage '{passage_id}' in the pool of query '{query_id}'.")
    kept = active(bank.questions_of(query_id), "any")
    by_text = {each.text: each.question_id for each in reversed(kept)}
    question_id = by_text.get(question, question)
    return CheckPair(query_id, question_id, passage_id, answer)


def mix_gold(
    snapshot: Snapshot,
    count: int,
    seed: int | None,
    query_ids: frozenset[str],
    draw: Callable[[int], tuple[tuple[DrawnPair, ...], str]],
) -> tuple[tuple[DrawnPair, ...], str]:
    """Draw ``count`` pairs with ``draw``, about one in ten a gold item of the queries.

    Nothing distinguishes a gold item: it has the reason of the pair next to it.
    """
    # Not the seed of the draw itself, whose numbers would be the same.
    chance = np.random.default_rng(None if seed is None else (seed, 1))
    candidates = tuple(
        pair
        for pair in repeated_pairs(snapshot, gold=True)
        if pair.query_id in query_ids
    )
    number = min(int(count * SHARE + chance.random()), len(candidates), count - 1)
    pairs, note = draw(count - number)
    mixed = list(pairs)
    for index in chance.permutation(len(candidates))[:number].tolist():
        item = candidates[index]
        key = (item.query_id, item.item, item.passage_id)
        if pairs and key not in {(p.query_id, p.item, p.passage_id) for p in pairs}:
            place = int(chance.integers(len(mixed) + 1))
            reason = mixed[min(place, len(mixed) - 1)].reason
            mixed.insert(place, replace(item, reason=reason))
    return tuple(mixed), note


def repeated_pairs(
    snapshot: Snapshot, *, gold: bool, reason: str = ""
) -> Iterator[DrawnPair]:
    """List pairs checked by others, or gold ones, that the viewer has not checked."""
    judge = snapshot.viewer.judge
    for query_id, checks in snapshot.full.bank.checks.items():
        if query_id in snapshot.restricted:
            continue
        viewer_pairs = {
            (check.item, check.passage_id)
            for check in checks
            if check.judge in (judge, f"{GOLD}{judge}")
        }
        pairs = dict.fromkeys(
            (check.item, check.passage_id)
            for check in checks
            if is_gold(check.judge) == gold
        )
        kept = active(snapshot.bank.questions_of(query_id), "any")
        ids = {question.text: question.question_id for question in reversed(kept)}
        pool = frozenset(snapshot.collection.pools[query_id].counted)
        for item, passage_id in pairs:
            if (item, passage_id) in viewer_pairs:
                continue
            if passage_id in pool and (item is None or item in ids):
                question_id = None if item is None else ids[item]
                yield DrawnPair(
                    query_id, question_id, item, passage_id, None, 0, reason
                )
