"""What a grader lacks: grades it was not asked for, and responses without one."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import active
from curator.collection.budgets import Budget, selected
from curator.engine.gradebook import GraderRecord, Target, query_target, targets_of
from curator.engine.state import State
from curator.errors import BudgetError
from curator.results import Rows
from curator.store import collection as store_collection
from curator.store import grades as store_grades
from curator.store.history import edited_queries
from curator.store.responses import raw_by_text, texts_answered
from curator.store.texts import cached_item_key, stored_item_ids
from curator.verbs.answers.extracted import answering_grader_of
from curator.verbs.setup.status import engines
from grading.faults import split_fault
from grading.graders.text import TextGrader
from grading.models.protocol import Asked
from grading.ratings import NOT_ASKED, UNREADABLE
from grading.registry import is_local
from grading.responders import COMPUTED_ENGINES


@dataclass(frozen=True)
class Wanted:
    """What of the grades that a grader lacks is asked for.

    ``query_id``: those of one query alone, or of several. ``again``: unreadable
    responses once more, which may take ``max_tokens`` where that is given.
    ``budget``: on what it selects alone; ``same_budget``: on what the grader was asked
    about last, query by query. ``stays_here`` is False where texts leave this machine:
    then none of a restricted query is asked about.
    """

    query_id: str | tuple[str, ...] | None = None
    again: bool = False
    budget: Budget | None = None
    same_budget: bool = False
    stays_here: bool = True
    max_tokens: int | None = None

    @classmethod
    def of(
        cls,
        query_id: str | Sequence[str] | None,
        again: bool,
        depth: int | None = None,
        sample: int | None = None,
        seed: int | None = None,
        same_budget: bool = False,
        without_judged: bool = False,
        max_tokens: int | None = None,
    ) -> Wanted:
        """From the options of ``grade``. Raises BudgetError for what cannot be."""
        budget = Budget.of(depth, sample, seed, judged=not without_judged)
        if same_budget and budget is not None:
            raise BudgetError(
                f"The same budget as last, or another ({budget.in_words}): give one."
            )
        if query_id is not None and not isinstance(query_id, str):
            query_id = tuple(query_id) or None
        again = again or max_tokens is not None
        return cls(query_id, again, budget, same_budget, max_tokens=max_tokens)

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries that are named; none where every query is meant."""
        if isinstance(self.query_id, str):
            return (self.query_id,)
        return self.query_id or ()

    @property
    def spec(self) -> dict[str, str]:
        """The same as words, to be kept with a job: ``jobs.options_of`` reads them."""
        words = {}
        if len(self.query_ids) == 1:
            words["query"] = self.query_ids[0]
        elif self.query_ids:
            words["queries"] = json.dumps(self.query_ids)
        flags = ("again", "same_budget")
        words |= {name: "yes" for name in flags if getattr(self, name)}
        if self.max_tokens is not None:
            words["max_tokens"] = str(self.max_tokens)
        if self.budget is not None:
            numbers = asdict(self.budget)
            if not numbers.pop("judged"):
                words["without_judged"] = "yes"
            words |= {
                n: str(number) for n, number in numbers.items() if number is not None
            }
        return words

    def selected(
        self, state: State, record: GraderRecord, query_id: str
    ) -> NDArray[np.bool_]:
        """(passages,): which of a query's passages the grader is to be asked about."""
        if not self.stays_here and query_id in state.collection.restricted:
            return np.zeros(state.collection.pools[query_id].size, dtype=np.bool_)
        budget = self.budget
        if self.same_budget:
            budget = state.gradebook.budget(record, query_id)
        # Judgments count for whoever is not to see them too.
        pool = state.whole.collection.pools[query_id]
        return selected(pool, budget) & pool.asked


EVERYTHING = Wanted()

FURTHER = 4  # times the tokens for an answer that was cut off


@dataclass(frozen=True)
class Missing:
    """One query's targets that lack grades, with where.

    ``unknown`` and, of these, ``unreadable`` are (targets, pool positions).
    """

    query_id: str
    targets: tuple[Target, ...]
    unknown: NDArray[np.bool_]
    unreadable: NDArray[np.bool_]

    @property
    def grades(self) -> int:
        """How many grades it lacks."""
        return int(self.unknown.sum())


def targets_here(
    state: State, record: GraderRecord, query_id: str
) -> tuple[Target, ...]:
    """What the grader has to be asked about in this query now."""
    kind = record.spec.reading.item_kind
    if kind == "query":
        return (query_target(record, state.queries[query_id]),)
    return targets_of(record, active(state.bank.of_query(query_id), kind))


def can_be_asked(record: GraderRecord, target: Target) -> bool:
    """Whether there is a text to ask, and a key where the answer is checked by one."""
    return target.item.text is not None and bool(
        target.answers or not record.spec.reading.checks_keys
    )


def missing_in(
    state: State, record: GraderRecord, query_id: str, wanted: Wanted = EVERYTHING
) -> Missing | None:
    """What this query lacks, can be asked and is wanted; None where that is nothing."""
    pool = state.collection.pools[query_id]
    if not pool.size:
        return None
    here = targets_here(state, record, query_id)
    targets = [target for target in here if can_be_asked(record, target)]
    ratings = state.gradebook.graded_targets(record, pool, targets).ratings
    unreadable = (ratings == UNREADABLE) & wanted.again
    unknown = (ratings == NOT_ASKED) | unreadable
    unknown &= wanted.selected(state, record, query_id)
    missing = unknown.any(axis=1)
    if not missing.any():
        return None
    return Missing(
        query_id,
        tuple(t for t, is_missing in zip(targets, missing, strict=True) if is_missing),
        unknown[missing],
        unreadable[missing],
    )


def grades_wanted(
    state: State, record: GraderRecord, query_id: str, wanted: Wanted
) -> int:
    """How many grades of this query are wanted, known or missing."""
    here = targets_here(state, record, query_id)
    targets = sum(can_be_asked(record, target) for target in here)
    return targets * int(wanted.selected(state, record, query_id).sum())


def prompts_missing(
    connection: sqlite3.Connection,
    record: GraderRecord,
    grader: TextGrader,
    missing: Iterable[Missing],
) -> Iterator[Asked]:
    """The prompts that would be put to the model, each once.

    What has a response, by whichever reading, asks nothing unless it is unreadable and
    to be asked again.
    """
    known = texts_answered(connection, record.spec.responder)
    again: defaultdict[str, set[str]] = defaultdict(set)
    for one in missing:
        texts = store_collection.pool_texts(connection, one.query_id)
        for target, unknown, unreadable in zip(
            one.targets, one.unknown, one.unreadable, strict=True
        ):
            item = cached_item_key(target.item)
            for position in np.flatnonzero(unknown).tolist():
                _, key, body = texts[position]
                asked = again[item] if unreadable[position] else known[item]
                if key not in asked:
                    asked.add(key)
                    yield grader.asked(target.item, body)


def edited_last_first(state: State, query_id: str | Sequence[str] | None) -> list[str]:
    """The queries, or these, in the order in which they are best graded."""
    order = {one: at for at, one in enumerate(edited_queries(state.connection))}
    return sorted(state.query_ids(query_id), key=lambda one: order.get(one, len(order)))


def lags_behind_edits(state: State, name: str) -> bool:
    """Whether a local grader lacks grades, and only where people have edited.

    Such a grader may go on by itself: the work is small, costs nothing but this
    machine's time, and the board was whole before the edit. One that was never complete
    waits to be started, since its grading may take hours; one that may cost money
    always does. What a budget left out is not missed.

    False for a grader that is not local, that was imported, and for one that
    computes, which grades new text as it comes. Raises UnknownNameError.
    """
    return state.cached(("lags behind edits", name), lambda: _lags(state, name))


def _lags(state: State, name: str) -> bool:
    record = state.grader(name)
    rests_on = engines(record)
    local = COMPUTED_ENGINES.isdisjoint(rests_on) and all(map(is_local, rests_on))
    if not (record.can_grade and local):
        return False
    asked = record.parts if record.spec.combined else (*record.parts, record)
    asked = tuple(one for one in asked if one.can_grade)
    last = Wanted(same_budget=True)
    missing = {
        query_id
        for query_id in state.query_ids()
        if any(missing_in(state, one, query_id, last) is not None for one in asked)
    }
    return bool(missing) and missing.issubset(edited_queries(state.connection))


@dataclass(frozen=True)
class Unreadable:
    """A response that states no rating, and why: it is unknown, never 0."""

    query_id: str
    target_id: str
    passage_id: str
    raw: str
    reason: str = ""


def higher_limit(responses: Iterable[Unreadable]) -> int | None:
    """Limit of tokens to ask again those that were cut off; None where none was."""
    limits = [
        int(number.replace(",", ""))
        for response in responses
        for number in re.findall(r"cut off at the limit of ([\d,]+)", response.reason)
    ]
    return FURTHER * max(limits) if limits else None


def unreadable(
    state: State, name: str, *, query_id: str | Sequence[str] | None = None
) -> Rows[Unreadable]:
    """Responses that state no rating, with their words: unknown, never 0.

    Of one that checks answers, what the answering grader said. Raises UnknownNameError.
    """
    record, connection = state.grader(name), state.connection
    found: list[Unreadable] = []
    if record.spec.combined:
        for part in record.parts:
            found += unreadable(state, part.name, query_id=query_id)
        return Rows(found, "grading.unreadable_table")
    answering = answering_grader_of(record) or record
    for one in state.query_ids(query_id):
        pool = state.collection.pools[one]
        targets = targets_here(state, record, one)
        ratings = state.gradebook.graded_targets(record, pool, targets).ratings
        where = np.argwhere(ratings == UNREADABLE).tolist()
        if not where:
            continue
        responder_id = store_grades.responder_id_of(connection, answering.grader_id)
        texts = store_collection.pool_texts(connection, one)
        ids = stored_item_ids(connection, [target.item for target in targets])
        for at, position in where:
            target, passage_id = targets[at], pool.passage_ids[position]
            raws = raw_by_text(connection, responder_id, ids[target.item])
            fault, raw = split_fault(raws.get(texts[position][0], ""))
            reason = fault or ("no rating in it" if raw.strip() else "no words")
            found.append(Unreadable(one, target.target_id, passage_id, raw, reason))
    return Rows(found, "grading.unreadable_table")
