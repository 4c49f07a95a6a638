"""``next_checks``: draw the pairs that a judge checks next.

Pairs are drawn with known probabilities, so that shares in the sample estimate those of
all pairs. A pair that a judge has checked is not drawn again for them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Question, active
from curator.collection.pools import Pool
from curator.errors import EvaluationError
from curator.evaluation.drawing import draw
from curator.evaluation.grades import NO_LABEL, graded_labels
from curator.formats.text.notices import counted
from curator.results import HIDDEN, Result, to_json
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.learned import record_of
from curator.snapshot.settings import default_grader, grader_name
from curator.snapshot.snapshot import Snapshot
from curator.store import bank as store_bank
from curator.store import collection as store_collection
from curator.verbs.team import Assignment, assignments

CheckKind = Literal["pairs", "passages"]
MAX_PAIRS = 100_000  # pairs in one draw
BY_RATING = 0.1  # share of the weight that is spread equally over the ratings
MAX_DEPTH = 10  # ranks compared between systems
SEEDS = 2**32
SHARED_SEED = 0  # seed of assigned checks: all judges of a query get the same draw
NONE_ASSIGNED = "Nothing is left to check in the queries assigned to you."


@dataclass(frozen=True, slots=True)
class NextCheck:
    """A pair to check, or a passage to grade where ``item_id`` is None.

    ``item`` is the question's text, for a passage the query's. ``probability`` is that
    of being drawn in this batch; None where one query's pairs were drawn alone, which
    tells nothing about all pairs. ``reason`` says why it was drawn.
    """

    columns: ClassVar = "query_id id=item_id item passage_id probability text"

    query_id: str
    item_id: str | None
    item: str
    passage_id: str
    text: str
    probability: float | None
    reason: str = field(default="", metadata=HIDDEN)


@dataclass(frozen=True)
class NextChecks(Result[NextCheck], rows="checks"):
    """Pairs drawn together, in random order, out of ``population`` unchecked pairs.

    ``grader`` is the one whose ratings weigh the draw, None without grades. The same
    ``seed`` on the same state draws the same. ``notes`` give reasons for an empty draw.
    """

    checks: tuple[NextCheck, ...]
    of: CheckKind
    grader: str | None
    seed: int
    population: int
    notes: tuple[str, ...] = ()

    @property
    def caption(self) -> str:
        noun = self.of.removesuffix("s")
        return (
            f"{counted(len(self.checks), noun)} of {self.population:,} unchecked "
            f"{self.of} · seed {self.seed}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the pairs alone."""
        return {"checks": to_json(self.checks)}


@dataclass(frozen=True, eq=False)
class Population:
    """All pairs of a query that can be drawn, as parallel arrays.

    ``items`` are the questions, () for passages, and ``item`` (pairs,) indexes them;
    ``passage`` is the position in the pool. ``rating`` is the grader's, NO_LABEL
    without one.
    """

    pool: Pool
    items: tuple[Question, ...]
    item: NDArray[np.intp]
    passage: NDArray[np.intp]
    rating: NDArray[np.int16]


def next_checks(
    snapshot: Snapshot,
    count: int = 20,
    graders: Sequence[str] | None = None,
    of: CheckKind | None = None,
    seed: int | None = None,
    query_id: str | None = None,
    assigned: bool = False,
) -> NextChecks:
    """Draw ``count`` pairs that the viewer has not checked, or all if there are fewer.

    Each pair comes with the probability with which it was drawn. Record it with the
    answer. Raises EvaluationError, UnknownNameError.

    Args:
        count (N): Number of pairs.
        graders (NAME): Draw the pairs that tell most about these graders, and some of
            every rating of the first; repeat for several. [that of the first board]
        of: Check pairs of question and passage, or passages alone. [what the grader
            grades]
        seed (N): Random seed; the same seed repeats a draw. [a new one]
        assigned: Only queries that the judge is assigned to check, as many pairs as are
            left of each; without probabilities, as with --query.
    """
    if assigned and query_id is None:
        return _draw_assigned(snapshot, count, graders, of, seed)
    return _next_checks(snapshot, count, graders, of, seed, query_id)


PairKey = tuple[str | None, str]
"""The text of an item, None for a passage alone, and the passage's id."""


def _next_checks(
    snapshot: Snapshot,
    count: int,
    graders: Sequence[str] | None,
    of: str | None,
    seed: int | None,
    query_id: str | None,
    first: AbstractSet[PairKey] = frozenset(),
) -> NextChecks:
    """Draw as ``next_checks`` does, pairs in ``first`` before all others."""
    if not 1 <= count <= MAX_PAIRS:
        raise EvaluationError(f"count is {count}; expected 1 to {MAX_PAIRS:,} pairs.")
    seed = choose_seed(seed)
    default = None if graders else default_grader(snapshot)
    names = (
        [default]
        if default
        else [grader_name(snapshot, name) for name in graders or ()]
    )
    grader = names[0] if names else None
    kind = resolve_kind(snapshot, grader, of)
    populations = tuple(population(snapshot, grader, kind, query_id))
    size = sum(len(query_pairs.item) for query_pairs in populations)
    if not size:
        return NextChecks((), kind, grader, seed, 0, (_empty_reason(snapshot, kind),))
    graders_named = [snapshot.grader(name) for name in names]
    weights, is_by_influence = mixed_weights(snapshot, populations, graders_named, kind)
    chance = np.random.default_rng(seed)
    if first:
        shared = np.concatenate(
            [_mask_of(first, query_pairs) for query_pairs in populations]
        )
        preferred, _ = draw(weights * shared, count, chance)
        more, _ = draw(weights * ~shared, count - len(preferred), chance)
        drawn = np.concatenate([preferred, more])
        probabilities = np.zeros(len(drawn))  # unused: of one query
    else:
        drawn, probabilities = draw(weights, count, chance)
    remaining = f"{size:,} {kind} that you have not checked"
    reasons = [
        f"it affects the order of the systems more than most of {remaining}"
        if is_influential
        else f"drawn at random, to represent all of {remaining}"
        for is_influential in is_by_influence[drawn].tolist()
    ]
    chances = [None] * len(drawn) if query_id is not None else probabilities.tolist()
    checks = _with_texts(snapshot, populations, drawn, chances, reasons)
    assigned = unfinished_assignments(snapshot) if query_id is None else []
    notes: tuple[str, ...] = ()
    if open_checks := sum(assignment.remaining for assignment in assigned):
        notes = (
            f"{counted(open_checks, 'assigned check')} of yours remain: `curator "
            "checks WORKSPACE next --assigned` draws them.",
        )
    return NextChecks(checks, kind, grader, seed, size, notes)


def unfinished_assignments(snapshot: Snapshot) -> list[Assignment]:
    all_assigned = assignments(snapshot, judge=snapshot.viewer.judge, work="checks")
    return [assignment for assignment in all_assigned if not assignment.finished]


def _draw_assigned(
    snapshot: Snapshot,
    count: int,
    graders: Sequence[str] | None,
    of: str | None,
    seed: int | None,
) -> NextChecks:
    seed = SHARED_SEED if seed is None else seed
    drawn = NextChecks((), "pairs", None, seed, 0)
    for assignment in unfinished_assignments(snapshot):
        remaining = min(assignment.remaining, count - len(drawn.checks))
        if remaining > 0:
            others = _pairs_of_others(snapshot, assignment.query_id)
            more = _next_checks(
                snapshot, remaining, graders, of, seed, assignment.query_id, others
            )
            done = f"{assignment.done} of {assignment.total} checks of this query done"
            reason = f"assigned to you: {done}"
            checks = tuple(replace(check, reason=reason) for check in more.checks)
            size = drawn.population + more.population
            drawn = replace(
                more, checks=drawn.checks + checks, population=size, notes=()
            )
    return drawn if drawn.checks else replace(drawn, notes=(NONE_ASSIGNED,))


def _pairs_of_others(snapshot: Snapshot, query_id: str) -> set[PairKey]:
    """Pairs that other judges of this query have checked or were last drawn."""
    all_assigned = assignments(snapshot, work="checks")
    others = {
        assignment.judge
        for assignment in all_assigned
        if assignment.query_id == query_id
    } - {snapshot.viewer.judge}
    checks = snapshot.full.bank.checks_of(query_id)
    pairs = {
        (check.item, check.passage_id) for check in checks if check.judge in others
    }
    for judge in others:
        _, drawn = store_bank.read_drawn_pairs(snapshot.connection, judge, "assigned")
        pairs |= {
            (pair.item, pair.passage_id) for pair in drawn if pair.query_id == query_id
        }
    return pairs


def _mask_of(keys: AbstractSet[PairKey], query_pairs: Population) -> NDArray[np.bool_]:
    words = [item.text for item in query_pairs.items] or [None]
    ids = query_pairs.pool.passage_ids
    places = zip(query_pairs.item.tolist(), query_pairs.passage.tolist(), strict=True)
    return np.array([(words[i], ids[p]) in keys for i, p in places], dtype=np.bool_)


def population(
    snapshot: Snapshot, grader: str | None, of: CheckKind, query_id: str | None = None
) -> Iterator[Population]:
    """List the pairs that the viewer has not checked, query by query.

    Questions of a query with the same text count once, as the first of them.
    """
    judge = snapshot.viewer.judge
    for asked_id in snapshot.query_ids(query_id):
        if asked_id in snapshot.restricted:
            continue
        pool = snapshot.collection.pools[asked_id]
        items = () if of == "passages" else _items(snapshot, grader, asked_id)
        rows = 1 if of == "passages" else len(items)
        unchecked = np.ones((rows, pool.size), dtype=np.bool_)
        unchecked[:, list(pool.uncounted)] = False
        own_checks = [
            check for check in snapshot.bank.checks_of(asked_id) if check.judge == judge
        ]
        if own_checks:
            texts = [None] if of == "passages" else [item.text for item in items]
            row = {words: i for i, words in enumerate(texts)}
            place = {passage_id: i for i, passage_id in enumerate(pool.passage_ids)}
            for check in own_checks:
                if check.item in row and check.passage_id in place:
                    unchecked[row[check.item], place[check.passage_id]] = False
        item, passage = np.nonzero(unchecked)
        ratings = _ratings(snapshot, grader, asked_id, items)[item, passage]
        yield Population(pool, items, item, passage, ratings)


def mixed_weights(
    snapshot: Snapshot,
    populations: Sequence[Population],
    graders: Sequence[GraderRecord],
    of: CheckKind,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Weigh pairs by their influence on the board and, for a part, by their rating.

    Also returns a mask of the pairs whose weight is mostly influence.

    A pair's influence grows with the separation of systems at its passage, with fewer
    items in its query, and with the doubt whether people would say yes, as learned from
    checks of these graders. The powers were the best of those tried on two collections
    (docs/checks.md).
    """
    strata = rating_weights(populations)
    learned = snapshot.gradebook.learned
    parts = tuple(
        grader for grader in graders if not (grader.by_people or grader.spec.learned)
    )
    parts = parts or (learned.default_parts() if learned else ())
    if not (learned and parts):
        return strata, np.zeros(len(strata), dtype=np.bool_)
    record = record_of(parts, grades_passages=of == "passages")
    influences: list[NDArray[np.float64]] = []
    for query_pairs in populations:
        expected = learned.expected(
            record, query_pairs.pool.query_id, query_pairs.items
        )
        doubt = (expected * (1 - expected))[query_pairs.item, query_pairs.passage]
        separations = separation(query_pairs.pool)[query_pairs.passage]
        influences.append(
            separations**0.7 / max(len(query_pairs.items), 1) ** 2 * doubt**1.5
        )
    influence = np.concatenate(influences)
    if not influence.any():
        return strata, np.zeros(len(strata), dtype=np.bool_)
    board = (1 - BY_RATING) * influence / influence.sum()
    by_rating = BY_RATING * strata / strata.sum()
    return board + by_rating, board > by_rating


def separation(pool: Pool) -> NDArray[np.float64]:
    """Measure how much systems differ in a passage's rank weight, by pool position.

    The standard deviation over systems of ``rank_weights``.
    """
    if not len(pool.top):
        return np.zeros(pool.size)
    return np.asarray(rank_weights(pool).std(axis=1))


def rank_weights(pool: Pool) -> NDArray[np.float64]:
    """(passages, systems): 1 / log2(1 + rank) in the first 10 ranks, else 0."""
    top = pool.top_k(MAX_DEPTH)
    systems, depth = top.shape
    weights = np.zeros((pool.size + 1, systems))  # the last for gaps
    columns = np.broadcast_to(np.arange(systems)[:, None], top.shape)
    np.add.at(weights, (top, columns), 1 / np.log2(np.arange(2, depth + 2)))
    return weights[:-1]


def rating_weights(populations: Sequence[Population]) -> NDArray[np.float64]:
    """Weigh pairs so that every rating is drawn equally often, as far as possible."""
    ratings = np.concatenate([query_pairs.rating for query_pairs in populations])
    _, which, sizes = np.unique(ratings, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / sizes[which])


def require_choice(of: str | None, choices: Sequence[str]) -> None:
    """Raise EvaluationError for a value that is none of these, nor None."""
    if of is not None and of not in choices:
        raise EvaluationError(f"of is '{of}'; expected one of {', '.join(choices)}.")


def choose_seed(seed: int | None) -> int:
    """Return the seed, or a new one for None. Raises EvaluationError out of range."""
    if seed is not None and not 0 <= seed < SEEDS:
        raise EvaluationError(f"seed is {seed}; expected 0 to {SEEDS - 1}.")
    return secrets.randbelow(SEEDS) if seed is None else seed


def resolve_kind(snapshot: Snapshot, grader: str | None, of: str | None) -> CheckKind:
    """Parse "pairs" or "passages"; by default what the grader grades.

    Raises EvaluationError for another value.
    """
    require_choice(of, get_args(CheckKind))
    if of is None:
        direct = grader and snapshot.grader(grader).spec.reading.item_kind == "query"
        return "passages" if direct else "pairs"
    return cast("CheckKind", of)


def _items(
    snapshot: Snapshot, grader: str | None, query_id: str
) -> tuple[Question, ...]:
    kind = snapshot.grader(grader).spec.reading.item_kind if grader else "any"
    kept = active(
        snapshot.bank.questions_of(query_id), "any" if kind == "query" else kind
    )
    by_text = {question.text: question for question in reversed(kept)}
    return tuple(
        question
        for question in kept
        if question.text and by_text[question.text] is question
    )


def _ratings(
    snapshot: Snapshot, grader: str | None, query_id: str, items: Sequence[Question]
) -> NDArray[np.int16]:
    """Ratings (items, passages); without items one row of labels of passages."""
    pool = snapshot.collection.pools[query_id]
    unknown = np.full((len(items) or 1, pool.size), NO_LABEL, dtype=np.int16)
    if grader is None:
        return unknown
    matrix = snapshot.matrix(grader, query_id, snapshot.bank)
    if not items:
        return graded_labels(matrix).astype(np.int16)[None]
    row = {item_id: i for i, item_id in enumerate(matrix.item_ids)}
    for i, item in enumerate(items):
        if item.question_id in row:
            unknown[i] = np.maximum(matrix.ratings[row[item.question_id]], NO_LABEL)
    return unknown


def _with_texts(
    snapshot: Snapshot,
    populations: Sequence[Population],
    drawn: NDArray[np.intp],
    probabilities: Sequence[float | None],
    reasons: Sequence[str],
) -> tuple[NextCheck, ...]:
    ends = np.cumsum([len(query_pairs.item) for query_pairs in populations])
    of = np.searchsorted(ends, drawn, "right")
    rows = []
    for index, which in zip(drawn.tolist(), of.tolist(), strict=True):
        query_pairs = populations[which]
        i = index - int(ends[which]) + len(query_pairs.item)
        query_id = query_pairs.pool.query_id
        item = query_pairs.items[query_pairs.item[i]] if query_pairs.items else None
        words = (item and item.text) or snapshot.queries[query_id].name
        passage_id = query_pairs.pool.passage_ids[query_pairs.passage[i]]
        item_id = item and item.question_id
        rows.append((query_id, item_id, words, passage_id))
    ids = [row[3] for row in rows]
    texts = store_collection.passage_texts(snapshot.connection, ids)
    return tuple(
        NextCheck(*row, texts[row[3]], probability, reason)
        for row, probability, reason in zip(rows, probabilities, reasons, strict=True)
    )


def _empty_reason(snapshot: Snapshot, of: CheckKind) -> str:
    if not any(pool.size for pool in snapshot.collection.pools.values()):
        return "No passage in any pool, so there is nothing to check."
    if of == "pairs" and not any(q.state == "kept" and q.text for q in snapshot.bank):
        return "No kept question with a text, so there is no pair to check."
    return f"Everything here has been checked by {snapshot.viewer.judge}."
