"""``next_checks``: the pairs that a person is to look at next.

They are drawn with known probabilities, so that what is found in them can be said of
all. A judge is asked nothing again that they have checked.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question, active
from curator.collection.pools import Pool
from curator.engine.gradebook import GraderRecord
from curator.engine.learned import record_of
from curator.engine.settings import default_grader, grader_name
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.drawing import draw
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.results import Result
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.verbs.team.assignment import Assignment, assignments

Of = Literal["pairs", "passages"]
MOST = 100_000  # drawn at once
BY_RATING = 0.1  # the share that is drawn alike from every rating
DEEPEST = 10  # ranks that tell systems apart
SEEDS = 2**32
OF_ALL_JUDGES = 0  # the seed of what is assigned: all judges of a query draw alike
NONE_ASSIGNED = "Nothing is left to check in the queries that are assigned to you."


@dataclass(frozen=True, slots=True)
class NextCheck:
    """A pair to be checked, or a passage: without ``item_id`` its relevance is asked.

    ``item`` are the question's words, of a passage the query's. ``probability`` is
    that with which it was drawn, together with the others; None where one query's
    pairs were drawn alone, which says nothing of all pairs.
    """

    query_id: str
    item_id: str | None
    item: str
    passage_id: str
    text: str
    probability: float | None


@dataclass(frozen=True)
class NextChecks(Result[NextCheck], table="checks.next_table"):
    """Pairs drawn together, in random order, out of ``population`` not checked yet.

    ``grader`` is whose ratings they were drawn by, None without grades. The same
    ``seed`` on the same state draws the same. ``notes`` say why there are none.
    ``toward`` says of each whether it was drawn rather because the board hangs on it
    than alike from its rating.
    """

    checks: tuple[NextCheck, ...]
    of: Of
    grader: str | None
    seed: int
    population: int
    notes: tuple[str, ...] = ()
    toward: tuple[bool, ...] = ()


@dataclass(frozen=True, eq=False)
class Population:
    """All pairs of a query that may be drawn, as parallel arrays.

    ``items`` are the questions, () where passages alone are asked about, and ``item``
    (pairs,) says which; ``passage`` is the place in the pool. ``rating`` is what the
    grader says, NO_LABEL where it says nothing.
    """

    pool: Pool
    items: tuple[Question, ...]
    item: NDArray[np.intp]
    passage: NDArray[np.intp]
    rating: NDArray[np.int16]


def next_checks(
    state: State,
    count: int,
    graders: Sequence[str] | None = None,
    of: str | None = None,
    seed: int | None = None,
    query_id: str | None = None,
    assigned: bool = False,
) -> NextChecks:
    """``count`` pairs that whoever looks has not checked, or all where these are fewer.

    ``of``: pairs of a kept question and a passage of its pool, or passages; without it
    what the first of the ``graders`` grades. Graders' names may be cut short; without
    one the workspace's first counts. Without a ``seed`` one is drawn. ``assigned``:
    only what is left of the checks that are theirs, one query after the other, and
    first what others have to whom the query is assigned too. Raises EvaluationError,
    UnknownNameError.
    """
    if assigned and query_id is None:
        return _of_mine(state, count, graders, of, seed)
    return _next_checks(state, count, graders, of, seed, query_id)


Key = tuple[str | None, str]
"""The words of an item, None of a passage as a whole, and the passage's id."""


def _next_checks(
    state: State,
    count: int,
    graders: Sequence[str] | None,
    of: str | None,
    seed: int | None,
    query_id: str | None,
    first: AbstractSet[Key] = frozenset(),
) -> NextChecks:
    """As ``next_checks``; none but ``first`` as long as any of these is left."""
    if not 1 <= count <= MOST:
        raise EvaluationError(f"count is {count}; expected 1 to {MOST:,} pairs.")
    if seed is not None and not 0 <= seed < SEEDS:
        raise EvaluationError(f"seed is {seed}; expected 0 to {SEEDS - 1}.")
    default = None if graders else default_grader(state)
    names = [default] if default else [grader_name(state, g) for g in graders or ()]
    grader = names[0] if names else None
    asked = asked_of(state, grader, of)
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    found = tuple(population(state, grader, asked, query_id))
    size = sum(len(one.item) for one in found)
    if not size:
        return NextChecks((), asked, grader, seed, 0, (_why_none(state, asked),))
    graders_named = [state.grader(one) for one in names]
    weights, toward_board = mixed(state, found, graders_named, asked)
    chance = np.random.default_rng(seed)
    if first:
        shared = np.concatenate([_are_among(first, one) for one in found])
        before, _ = draw(weights * shared, count, chance)
        more, _ = draw(weights * ~shared, count - len(before), chance)
        drawn = np.concatenate([before, more])
        probabilities = np.zeros(len(drawn))  # of one query, so without
    else:
        drawn, probabilities = draw(weights, count, chance)
    checks = _opened(state, found, drawn, probabilities)
    if query_id is not None:
        checks = tuple(replace(one, probability=None) for one in checks)
    mine = to_check(state) if query_id is None else []
    notes = (_also_mine(state, mine),) if mine else ()
    toward = tuple(toward_board[drawn].tolist())
    return NextChecks(checks, asked, grader, seed, size, notes, toward)


def to_check(state: State) -> list[Assignment]:
    """The checks that are assigned to whoever looks and not all made, by query."""
    every = assignments(state, judge=state.viewer.judge, work="checks")
    return [one for one in every if not one.finished]


def _of_mine(
    state: State,
    count: int,
    graders: Sequence[str] | None,
    of: str | None,
    seed: int | None,
) -> NextChecks:
    """What is left of the viewer's, without probabilities: no other pair can come."""
    seed = OF_ALL_JUDGES if seed is None else seed
    found = NextChecks((), "pairs", None, seed, 0)
    for one in to_check(state):
        left = min(one.total - one.done, count - len(found.checks))
        if left > 0:
            others = _have_others(state, one.query_id)
            more = _next_checks(state, left, graders, of, seed, one.query_id, others)
            found = replace(
                more,
                checks=found.checks + more.checks,
                population=found.population + more.population,
                notes=(),
                toward=found.toward + more.toward,
            )
    return found if found.checks else replace(found, notes=(NONE_ASSIGNED,))


def _have_others(state: State, query_id: str) -> set[Key]:
    """What the others have checked, or are to check now, whose query this is too."""
    every = assignments(state, work="checks")
    others = {o.judge for o in every if o.query_id == query_id} - {state.viewer.judge}
    checks = state.whole.bank.checks_of(query_id)
    found = {(one.item, one.passage_id) for one in checks if one.judge in others}
    for judge in others:
        _, drawn = store_bank.read_drawn(state.connection, judge, "assigned")
        found |= {(o.item, o.passage_id) for o in drawn if o.query_id == query_id}
    return found


def _are_among(keys: AbstractSet[Key], one: Population) -> NDArray[np.bool_]:
    """(pairs,): which of a query's pairs these are."""
    words = [item.text for item in one.items] or [None]
    ids = one.pool.passage_ids
    places = zip(one.item.tolist(), one.passage.tolist(), strict=True)
    return np.array([(words[i], ids[p]) in keys for i, p in places], dtype=np.bool_)


def _also_mine(state: State, mine: Sequence[Assignment]) -> str:
    """What is assigned, beside a draw from everywhere."""
    left = sum(one.total - one.done for one in mine)
    queries = f"{len(mine)} {'query' if len(mine) == 1 else 'queries'}"
    return (
        f"{state.viewer.judge} has {left:,} of the checks that were assigned left, in "
        f"{queries}; these here come from everywhere. `curator checks WORKSPACE next "
        "--assigned` has those."
    )


def population(
    state: State, grader: str | None, of: Of, query_id: str | None = None
) -> Iterator[Population]:
    """What may be drawn, query by query: all that the viewer has not checked.

    Of a question that a query asks twice in the same words the first counts.
    """
    judge = state.viewer.judge
    for one in state.query_ids(query_id):
        if one in state.restricted:
            continue
        pool = state.collection.pools[one]
        items = () if of == "passages" else _items(state, grader, one)
        rows = 1 if of == "passages" else len(items)
        left = np.ones((rows, pool.size), dtype=np.bool_)
        left[:, list(pool.aside)] = False
        mine = [check for check in state.bank.checks_of(one) if check.judge == judge]
        if mine:
            texts = [None] if of == "passages" else [item.text for item in items]
            row = {words: i for i, words in enumerate(texts)}
            place = {passage_id: i for i, passage_id in enumerate(pool.passage_ids)}
            for check in mine:
                if check.item in row and check.passage_id in place:
                    left[row[check.item], place[check.passage_id]] = False
        item, passage = np.nonzero(left)
        ratings = _ratings(state, grader, one, items)[item, passage]
        yield Population(pool, items, item, passage, ratings)


def mixed(
    state: State,
    populations: Sequence[Population],
    graders: Sequence[GraderRecord],
    of: Of,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The weights of a mix: what the board hangs on, and some of every rating.

    And of each pair whether the first is the greater part of its weight.

    A pair's part in the board grows with how far its passage's place tells systems
    apart, with how few items share its query, and with how unsure it is whether people
    would say yes, as what was learned of these graders has it. The powers did best of
    those that were tried on two collections (docs/checks.md).
    """
    strata = per_rating(populations)
    learned = state.gradebook.learned
    parts = tuple(one for one in graders if not (one.by_people or one.spec.learned))
    parts = parts or (learned.usual_parts() if learned else ())
    if not (learned and parts):
        return strata, np.zeros(len(strata), dtype=np.bool_)
    record = record_of(parts, of_passages=of == "passages")
    parted: list[NDArray[np.float64]] = []
    for one in populations:
        expected = learned.expected(record, one.pool.query_id, one.items)
        doubt = (expected * (1 - expected))[one.item, one.passage]
        apart = separation(one.pool)[one.passage]
        parted.append(apart**0.7 / max(len(one.items), 1) ** 2 * doubt**1.5)
    hangs = np.concatenate(parted)
    if not hangs.any():
        return strata, np.zeros(len(strata), dtype=np.bool_)
    board = (1 - BY_RATING) * hangs / hangs.sum()
    alike = BY_RATING * strata / strata.sum()
    return board + alike, board > alike


def separation(pool: Pool) -> NDArray[np.float64]:
    """(passages,): how far systems differ in what a passage's rank counts for them.

    The standard deviation over systems of 1 / log2(1 + rank) in the first 10 ranks.
    """
    top = pool.top_k(DEEPEST)
    systems, depth = top.shape
    if not systems:
        return np.zeros(pool.size)
    counts = np.zeros((systems, pool.size + 1))  # the last for gaps
    rows = np.broadcast_to(np.arange(systems)[:, None], top.shape)
    np.add.at(counts, (rows, top), 1 / np.log2(np.arange(2, depth + 2)))
    return np.asarray(counts[:, :-1].std(axis=0))


def per_rating(populations: Sequence[Population]) -> NDArray[np.float64]:
    """The weights that draw as many of each rating, as far as there are any."""
    ratings = np.concatenate([one.rating for one in populations])
    _, which, sizes = np.unique(ratings, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / sizes[which])


def asked_of(state: State, grader: str | None, of: str | None) -> Of:
    """What is asked about. Raises EvaluationError for what is neither of both."""
    if of is None:
        direct = grader and state.grader(grader).spec.reading.item_kind == "query"
        return "passages" if direct else "pairs"
    found: Of | None = next((one for one in get_args(Of) if one == of), None)
    if found is None:
        expected = " or ".join(get_args(Of))
        raise EvaluationError(f"of is '{of}'; expected {expected}.")
    return found


def _items(state: State, grader: str | None, query_id: str) -> tuple[Question, ...]:
    """The kept questions with a text that the grader is asked, any without a grader."""
    kind = state.grader(grader).spec.reading.item_kind if grader else "any"
    kept = active(state.bank.of_query(query_id), "any" if kind == "query" else kind)
    by_text = {one.text: one for one in reversed(kept)}
    return tuple(one for one in kept if one.text and by_text[one.text] is one)


def _ratings(
    state: State, grader: str | None, query_id: str, items: Sequence[Question]
) -> NDArray[np.int16]:
    """(items, passages): what the grader says; its labels, a row, for no items."""
    pool = state.collection.pools[query_id]
    unknown = np.full((len(items) or 1, pool.size), NO_LABEL, dtype=np.int16)
    if grader is None:
        return unknown
    matrix = state.matrix(grader, query_id, state.bank)
    if not items:
        return graded_labels(matrix).astype(np.int16)[None]
    row = {item_id: i for i, item_id in enumerate(matrix.item_ids)}
    for i, item in enumerate(items):
        if item.question_id in row:
            unknown[i] = np.maximum(matrix.ratings[row[item.question_id]], NO_LABEL)
    return unknown


def _opened(
    state: State,
    populations: Sequence[Population],
    drawn: NDArray[np.intp],
    probabilities: NDArray[np.float64],
) -> tuple[NextCheck, ...]:
    """The pairs that were drawn, with their texts."""
    ends = np.cumsum([len(one.item) for one in populations])
    of = np.searchsorted(ends, drawn, "right")
    found = []
    for at, which, probability in zip(
        drawn.tolist(), of.tolist(), probabilities.tolist(), strict=True
    ):
        one = populations[which]
        i = at - int(ends[which]) + len(one.item)
        query_id = one.pool.query_id
        item = one.items[one.item[i]] if one.items else None
        words = (item and item.text) or state.queries[query_id].name
        passage_id = one.pool.passage_ids[one.passage[i]]
        item_id = item and item.question_id
        found.append((query_id, item_id, words, passage_id, probability))
    texts = store_collection.passage_texts(state.connection, [one[3] for one in found])
    return tuple(NextCheck(*one[:4], texts[one[3]], one[4]) for one in found)


def _why_none(state: State, of: Of) -> str:
    """Why there is nothing to be drawn."""
    if not any(pool.size for pool in state.collection.pools.values()):
        return "No passage in any pool, so there is nothing to check."
    if of == "pairs" and not any(q.state == "kept" and q.text for q in state.bank):
        return "No kept question with a text, so there is no pair to check."
    return f"Everything here has been checked by {state.viewer.judge}."
