"""Missing grades of a grader, and responses that state no rating."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import active
from curator.collection.budgets import Budget, selected
from curator.errors import BudgetError
from curator.results import Rows
from curator.snapshot.gradebook import GraderRecord, Target, query_target, targets_of
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.history import edited_queries
from curator.store.responses import answered_texts, raw_by_text
from curator.store.texts import cached_item_key, stored_item_ids
from curator.verbs.answers.extracted import answering_grader_of
from curator.verbs.setup import engines
from grading.graders.text import TextGrader
from grading.models.protocol import PromptParts, split_fault
from grading.ratings import NOT_ASKED, UNREADABLE
from grading.registry import is_local
from grading.responders import COMPUTED_ENGINES


@dataclass(frozen=True)
class GradeSelection:
    """Selects which of a grader's missing grades a run asks for.

    ``query_id`` limits it to one query, or several. ``again`` repeats unreadable
    responses, which may take ``max_tokens`` if given. ``budget`` limits it to the
    passages of the budget; ``same_budget`` to those of each query's last run.
    ``includes_restricted`` is False where texts leave this machine: restricted queries
    are then left out.
    """

    query_id: str | tuple[str, ...] | None = None
    again: bool = False
    budget: Budget | None = None
    same_budget: bool = False
    includes_restricted: bool = True
    max_tokens: int | None = None

    @classmethod
    def from_options(
        cls,
        query_id: str | Sequence[str] | None = None,
        again: bool = False,
        depth: int | None = None,
        sample: int | None = None,
        seed: int | None = None,
        same_budget: bool = False,
        without_judged: bool = False,
        max_tokens: int | None = None,
    ) -> GradeSelection:
        """Parse the options of ``grade``. Raises BudgetError for invalid ones."""
        budget = Budget.from_options(depth, sample, seed, judged=not without_judged)
        if same_budget and budget is not None:
            raise BudgetError(
                "Give either the same budget as last or another "
                f"({budget.description}), not both."
            )
        if query_id is not None and not isinstance(query_id, str):
            query_id = tuple(query_id) or None
        again = again or max_tokens is not None
        return cls(query_id, again, budget, same_budget, max_tokens=max_tokens)

    @property
    def query_ids(self) -> tuple[str, ...]:
        if isinstance(self.query_id, str):
            return (self.query_id,)
        return self.query_id or ()

    def selected_passages(
        self, snapshot: Snapshot, record: GraderRecord, query_id: str
    ) -> NDArray[np.bool_]:
        """(passages,): mask of the query's passages that the grader is to grade."""
        if not self.includes_restricted and query_id in snapshot.collection.restricted:
            return np.zeros(snapshot.collection.pools[query_id].size, dtype=np.bool_)
        budget = self.budget
        if self.same_budget:
            budget = snapshot.gradebook.budget(record, query_id)
        # Judgments count even if the viewer may not see them.
        pool = snapshot.full.collection.pools[query_id]
        return selected(pool, budget) & pool.gradable


EVERYTHING = GradeSelection()

LIMIT_FACTOR = 4  # factor of the token limit for an answer that was cut off


@dataclass(frozen=True)
class Missing:
    """Targets of one query that lack grades, and the pool positions.

    ``unknown`` and, of these, ``unreadable`` are masks (targets, pool positions).
    """

    query_id: str
    targets: tuple[Target, ...]
    unknown: NDArray[np.bool_]
    unreadable: NDArray[np.bool_]

    @property
    def grades(self) -> int:
        return int(self.unknown.sum())


def query_targets(
    snapshot: Snapshot, record: GraderRecord, query_id: str
) -> tuple[Target, ...]:
    """List the targets of the grader in this query: its active items, or the query."""
    kind = record.spec.reading.item_kind
    if kind == "query":
        return (query_target(record, snapshot.queries[query_id]),)
    return targets_of(record, active(snapshot.bank.questions_of(query_id), kind))


def gradable_members(record: GraderRecord) -> list[GraderRecord]:
    """List the graders that give a grader's grades and can grade new text."""
    members = record.parts if record.spec.combined else (*record.parts, record)
    return [member for member in members if member.can_grade]


def is_gradable(record: GraderRecord, target: Target) -> bool:
    """Return True if the target has a text, and a key where answers need one."""
    return target.item.text is not None and bool(
        target.answers or not record.spec.reading.checks_answer_keys
    )


def missing_in_query(
    snapshot: Snapshot,
    record: GraderRecord,
    query_id: str,
    selection: GradeSelection = EVERYTHING,
) -> Missing | None:
    """List the selected grades that this query lacks; None where it lacks none."""
    pool = snapshot.collection.pools[query_id]
    if not pool.size:
        return None
    targets_in_query = query_targets(snapshot, record, query_id)
    targets = [target for target in targets_in_query if is_gradable(record, target)]
    ratings = snapshot.gradebook.graded_targets(record, pool, targets).ratings
    unreadable = (ratings == UNREADABLE) & selection.again
    unknown = (ratings == NOT_ASKED) | unreadable
    unknown &= selection.selected_passages(snapshot, record, query_id)
    missing = unknown.any(axis=1)
    if not missing.any():
        return None
    lacking = tuple(targets[row] for row in np.flatnonzero(missing))
    return Missing(query_id, lacking, unknown[missing], unreadable[missing])


def missing_prompts(
    connection: sqlite3.Connection,
    record: GraderRecord,
    grader: TextGrader,
    missing: Iterable[Missing],
) -> Iterator[PromptParts]:
    """List the prompts that a run would send, each once.

    Pairs with a stored response, in any reading, are left out unless it is unreadable
    and to be repeated.
    """
    answered = answered_texts(connection, record.spec.responder)
    again: defaultdict[str, set[str]] = defaultdict(set)
    for query_missing in missing:
        texts = store_collection.pool_texts(connection, query_missing.query_id)
        masks = query_missing.unknown, query_missing.unreadable
        for target, unknown, unreadable in zip(
            query_missing.targets, *masks, strict=True
        ):
            item = cached_item_key(target.item)
            for position in np.flatnonzero(unknown).tolist():
                _, key, body = texts[position]
                skipped = again[item] if unreadable[position] else answered[item]
                if key not in skipped:
                    skipped.add(key)
                    yield grader.prompt_for(target.item, body)


def queries_by_last_edit(
    snapshot: Snapshot, query_id: str | Sequence[str] | None
) -> list[str]:
    """List query ids, the most recently edited first."""
    edited = edited_queries(snapshot.connection)
    order = {edited_id: position for position, edited_id in enumerate(edited)}
    query_ids = snapshot.query_ids(query_id)
    return sorted(query_ids, key=lambda id_: order.get(id_, len(order)))


@cached_in_snapshot
def lags_behind_edits(snapshot: Snapshot, name: str) -> bool:
    """Return True if a local grader lacks grades only in queries that people edited.

    Such a grader may continue automatically: the work is small and costs only time on
    this machine, and the board was complete before the edit. A grader that was never
    complete, or that may cost money, must be started by a user. Grades outside the
    budget do not count as missing.

    False for a grader that is not local, was imported, or computes its grades, as that
    grades new text at once. Raises UnknownNameError.
    """
    record = snapshot.grader(name)
    engine_names = engines(record)
    local = COMPUTED_ENGINES.isdisjoint(engine_names) and all(
        map(is_local, engine_names)
    )
    if not (record.can_grade and local):
        return False
    last = GradeSelection(same_budget=True)
    missing = {
        query_id
        for query_id in snapshot.query_ids()
        for member in gradable_members(record)
        if missing_in_query(snapshot, member, query_id, last) is not None
    }
    return bool(missing) and missing.issubset(edited_queries(snapshot.connection))


@dataclass(frozen=True)
class Unreadable:
    """A response without a rating, and the reason; the grade is unknown, not 0."""

    columns: ClassVar = "query_id question=target_id passage_id reason response=raw"

    query_id: str
    target_id: str
    passage_id: str
    raw: str
    reason: str = ""


def higher_limit(responses: Iterable[Unreadable]) -> int | None:
    """Token limit for repeating the responses that were cut off; None without any."""
    limits = [
        int(number.replace(",", ""))
        for response in responses
        for number in re.findall(r"cut off at the limit of ([\d,]+)", response.reason)
    ]
    return LIMIT_FACTOR * max(limits) if limits else None


def unreadable(
    snapshot: Snapshot, name: str, *, query_id: str | Sequence[str] | None = None
) -> Rows[Unreadable]:
    """List responses that state no rating, with their text; their grades are unknown.

    For a grader that checks answers, the answering grader's responses. Raises
    UnknownNameError.
    """
    record, connection = snapshot.grader(name), snapshot.connection
    responses: list[Unreadable] = []
    if record.spec.combined:
        for part in record.parts:
            responses += unreadable(snapshot, part.name, query_id=query_id)
        return Rows(responses, Unreadable)
    answering = answering_grader_of(record) or record
    for id_ in snapshot.query_ids(query_id):
        pool = snapshot.collection.pools[id_]
        targets = query_targets(snapshot, record, id_)
        ratings = snapshot.gradebook.graded_targets(record, pool, targets).ratings
        unreadable_at = np.argwhere(ratings == UNREADABLE).tolist()
        if not unreadable_at:
            continue
        responder_id = store_grades.responder_id_of(connection, answering.grader_id)
        texts = store_collection.pool_texts(connection, id_)
        ids = stored_item_ids(connection, [target.item for target in targets])
        for row, position in unreadable_at:
            target, passage_id = targets[row], pool.passage_ids[position]
            raws = raw_by_text(connection, responder_id, ids[target.item])
            fault, raw = split_fault(raws.get(texts[position][0], ""))
            reason = fault or ("no rating in it" if raw.strip() else "no words")
            responses.append(Unreadable(id_, target.target_id, passage_id, raw, reason))
    notes = [] if responses else ["Every response states a rating."]
    return Rows(responses, Unreadable, notes)
