"""``pool``: a query's passages with their labels, answers and systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Bank
from curator.collection.pools import GAP, UNJUDGED, Collection, Pool
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels
from curator.evaluation.settings import SAME_LABEL, Settings
from curator.formats.text.notices import counted
from curator.results import Rows, column
from curator.snapshot.settings import BoardChoice, OptionValue, settings_from
from curator.snapshot.snapshot import Snapshot
from curator.store import collection as store_collection
from curator.store import history as store_history
from curator.verbs.history import refuse_hidden
from curator.verbs.passages.passage import Citation, answering, citations

Show = Literal[
    "all", "changed", "relevant-unanswered", "nonrelevant-answered", "uncovered"
]
TABLE = "passages.pool_table"
NEEDS_JUDGMENTS: tuple[Show, ...] = ("relevant-unanswered", "nonrelevant-answered")


def _listed(numbers: Mapping[str, int]) -> str:
    """``run-a 3, run-b 7``; nothing for none."""
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


@dataclass(frozen=True, slots=True)
class PooledPassage:
    """A passage of a query's pool under one grader.

    ``label`` is None without a known grade; ``label_before`` is its label at the
    baseline, or the label itself without a comparison. ``answered`` is True if the
    label counts as relevant, ``relevant`` if the judgment does; None without one, or
    without a threshold. ``answers`` maps the kept questions that the passage answers to
    their ratings, ``ranks`` the systems that retrieve it within the measure's depth to
    1-based ranks, best first. ``missing`` counts its unknown grades. ``segments`` maps
    those of a document, in order, to their best known ratings. ``citations`` are those
    of a passage of a generated report. ``by_edit`` is True if the compared edit changed
    its label, regardless of later edits.
    """

    query_id: str
    passage_id: str
    label: float | None
    label_before: float | None
    answered: bool | None
    judgment: int | None
    relevant: bool | None
    answers: dict[str, int] = field(metadata=column(show=_listed))
    ranks: dict[str, int] = field(metadata=column(show=_listed))
    missing: int = 0
    segments: dict[str, int | None] = field(
        default_factory=dict, metadata=column(json_if=bool)
    )
    by_edit: bool = field(default=False, metadata=column(json_if=bool))
    citations: tuple[Citation, ...] = field(default=(), metadata=column(json_if=bool))

    @property
    def changed(self) -> bool:
        """True if its label differs from the one before, or the edit changed it."""
        return self.by_edit or self.label != self.label_before

    @property
    def rank(self) -> int | None:
        return next(iter(self.ranks.values()), None)

    @property
    def votes(self) -> float:
        """Support by systems: the sum of 1/rank over them."""
        return sum(1 / rank for rank in self.ranks.values())


Order = Literal[
    "pool", "look", "label", "judgment", "rank", "retrieved", "covered", "length"
]
Passages = tuple[PooledPassage, ...]
Value = Callable[[PooledPassage], float | None]

VALUES: Mapping[str, Value] = {
    "label": lambda passage: passage.label,
    "judgment": lambda passage: passage.judgment,
    "rank": lambda passage: -passage.rank if passage.rank else None,
    "retrieved": lambda passage: len(passage.ranks),
    "covered": lambda passage: None if passage.label is None else len(passage.answers),
}
"""Sort keys of the orders, the highest first; None always comes last."""


def sort_passages(
    passages: Iterable[PooledPassage],
    order: Order,
    *,
    reverse: bool = False,
    letters: Mapping[str, int] | None = None,
) -> Passages:
    """Return the passages in this order; ties keep the given order.

    "pool": as imported. "look": retrieved passages before others; among them likely
    relevant passages that no question covers, by judgment and votes, then the others by
    votes. Labels, judgments and numbers of systems and of questions come highest first,
    best ranks lowest first, texts longest first by ``letters``. ``reverse`` reverses
    the order; passages without a value stay last. Raises UnknownNameError for an
    unknown order.
    """
    if order not in get_args(Order):
        raise UnknownNameError(
            f"No order '{order}' of passages. Available: {', '.join(get_args(Order))}."
        )
    listed = list(passages)
    if order == "pool":
        return tuple(reversed(listed)) if reverse else tuple(listed)
    if order == "look":
        return tuple(sorted(listed, key=_look_key, reverse=reverse))
    lengths = letters or {}
    value = VALUES.get(order) or (lambda passage: lengths.get(passage.passage_id))
    with_value = [passage for passage in listed if value(passage) is not None]
    with_value.sort(key=lambda passage: value(passage) or 0, reverse=not reverse)
    return (*with_value, *(p for p in listed if value(p) is None))


def likely_uncovered(passage: PooledPassage) -> bool:
    """Return True if no kept question covers a likely relevant passage.

    It is judged relevant or, if unjudged, retrieved; and all its grades are known.
    """
    likely = passage.relevant or (passage.relevant is None and bool(passage.ranks))
    # The mean of ratings may be low although a question is answered.
    covered = passage.answered or passage.answers
    return bool(likely and not covered and not passage.missing)


def by_relevance(passage: PooledPassage) -> tuple[bool, int, float]:
    """Sort key: judged relevant first, by judgment, then by votes of systems."""
    judgment = (passage.judgment or 0) if passage.relevant else 0
    return not passage.relevant, -judgment, -passage.votes


def _look_key(passage: PooledPassage) -> tuple[bool, bool, tuple[bool, int, float]]:
    uncovered = likely_uncovered(passage)
    key = by_relevance(passage) if uncovered else (False, 0, -passage.votes)
    return (not passage.ranks, not uncovered, key)


def letters(snapshot: Snapshot, query_id: str) -> dict[str, int]:
    """Return the number of non-space characters of each passage's text, by id."""
    (query_id,) = snapshot.query_ids(query_id)
    passage_ids = snapshot.collection.pools[query_id].passage_ids
    return dict(zip(passage_ids, snapshot.letters(query_id).tolist(), strict=True))


def holding(snapshot: Snapshot, query_id: str, words: str) -> tuple[str, ...]:
    """Return the query's passages whose text or id contains all words, in pool order.

    Case-insensitive, and parts of words match; double quotes mark phrases.
    """
    (query_id,) = snapshot.query_ids(query_id)
    pool = snapshot.collection.pools[query_id]
    terms = [
        " ".join((phrase or word).casefold().split())
        for phrase, word in re.findall(r'"([^"]+)"|(\S+)', words)
    ]

    def matches(passage_id: str, text: str) -> bool:
        normalized = " ".join(f"{text} {passage_id}".casefold().split())
        return all(term in normalized for term in terms)

    def search() -> tuple[str, ...]:
        texts = store_collection.passage_texts(snapshot.connection, pool.counted)
        return tuple(n for n in pool.counted if matches(n, texts.get(n, "")))

    key = query_id, query_id in snapshot.restricted
    return snapshot.caches.searches.get((*key, *terms), (pool,), search)


def pool(
    snapshot: Snapshot,
    /,
    query_id: str,
    settings: BoardChoice | None = None,
    *,
    since: int | None = None,
    edit: int | None = None,
    sort: Order = "pool",
    reverse: bool = False,
    words: str = "",
    **options: OptionValue,
) -> Rows[PooledPassage]:
    """Return a query's passages with label, judgment, answers and ranks.

    Passages of the gold article alone are left out. With ``since``, also the label
    right after that event; with ``edit``, an event, the label that its batch changed,
    if it did. As in ``agreement``, labels use the known grades, and a negative judgment
    counts as 0.

    Args:
        sort (ORDER): pool, look (most worth a look), label, judgment, rank, retrieved,
            covered or length; without it, --show uncovered has the likeliest first.
        reverse: Reverse the order; passages without a value stay last.
        words (WORDS): Only passages whose text or id contains all these words.
    """
    settings = settings_from(snapshot, options, settings)
    (query_id,) = snapshot.query_ids(query_id)
    rows = snapshot.cached(
        ("pool", snapshot.viewer.judge, query_id, settings, since, edit),
        lambda: _pool(snapshot, query_id, settings, since, edit),
    )
    if words.strip():
        matches = frozenset(holding(snapshot, query_id, words))
        rows = Rows((row for row in rows if row.passage_id in matches), TABLE)
    if sort == "pool" and not reverse:
        return rows
    lengths = letters(snapshot, query_id) if sort == "length" else None
    return Rows(sort_passages(rows, sort, reverse=reverse, letters=lengths), TABLE)


def to_read(
    snapshot: Snapshot,
    query_id: str,
    settings: BoardChoice | None = None,
    *,
    question_id: str | None = None,
    changed: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return the query's passages in the order in which a judge should read them.

    First those that answer the selected question, ``changed`` ones before the best
    rated; then ``changed`` ones, in their order; then the "look" order of
    ``sort_passages``: likely relevant passages that no question covers, and the others
    by votes. In each group, retrieved passages come before others.
    """
    rows = pool(snapshot, query_id, settings, sort="look")
    retrieved = {row.passage_id for row in rows if row.ranks}
    place = {passage_id: position for position, passage_id in enumerate(changed)}

    def key(passage_id: str) -> tuple[bool, int]:
        return passage_id not in retrieved, place.get(passage_id, len(place))

    answers: tuple[str, ...] = ()
    if question_id is not None:
        answers = answering(snapshot, query_id, question_id, settings)
    others = (row.passage_id for row in rows)
    first = (*sorted(answers, key=key), *sorted(place, key=key))
    return tuple(dict.fromkeys((*first, *others)))


def _pool(
    snapshot: Snapshot,
    query_id: str,
    settings: Settings,
    since: int | None,
    edit: int | None,
) -> Rows[PooledPassage]:
    collection, full = snapshot.collection, snapshot.full
    passages = collection.pools[query_id]
    graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    labels = graded_labels(graded, settings.rule)
    labels_before, by_edit = labels, np.zeros(len(labels), bool)

    def labels_at(past: Bank) -> NDArray[Any]:
        visible = snapshot.visible_bank(past)
        past_grades = snapshot.matrix(settings.grader, query_id, visible)
        return graded_labels(past_grades, settings.rule)

    if edit is not None:
        refuse_hidden(snapshot, edit)
        banks = store_history.banks_around(full.connection, full.bank, edit)
        before, after = map(labels_at, banks)
        by_edit = np.abs(after - before) > SAME_LABEL
        labels_before = np.where(by_edit, before, labels)
    elif since is not None:
        past = store_history.bank_at(full.connection, full.bank, since)
        labels_before = labels_at(past)
    reached = labels >= snapshot.relevant_from(settings)
    depth = snapshot.measure(settings).depth
    segments = _segments(snapshot, settings.grader, graded)
    cited = citations(snapshot, query_id)
    names = passages.passage_ids
    rows = zip(
        names,
        optional(labels, labels == NO_LABEL),
        optional(labels_before, labels_before == NO_LABEL),
        optional(reached, labels == NO_LABEL),
        optional(passages.judgments, passages.judgments == UNJUDGED),
        judged_relevant(passages, collection.min_relevance),
        _answers(graded, snapshot.threshold(settings)),
        _ranks(passages.top_k(depth), collection.systems, passages.size),
        (graded.ratings < 0).sum(axis=0).tolist(),
        [segments.get(name, {}) for name in names],
        by_edit.tolist(),
        [cited.get(name, ()) for name in names],
        strict=True,
    )
    in_pool = frozenset(passages.counted)
    pooled = (PooledPassage(query_id, *row) for row in rows if row[0] in in_pool)
    return Rows(pooled, TABLE)


def _segments(
    snapshot: Snapshot, grader: str, graded: GradedQuery
) -> dict[str, dict[str, int | None]]:
    """Best known rating of each segment on any active item, by document."""
    pool, record = graded.pool, snapshot.grader(grader)
    if not pool.segments:
        return {}
    if record.spec.reading.item_kind == "query":
        query = snapshot.queries[graded.query_id]
        ratings = snapshot.gradebook.graded_query_item(record, pool, query).ratings
    else:
        item_ids = frozenset(graded.item_ids)
        questions = snapshot.bank.questions_of(graded.query_id)
        items = [question for question in questions if question.question_id in item_ids]
        ratings = snapshot.gradebook.graded(record, pool, items).ratings
    highest = ratings.max(axis=0, initial=NO_LABEL)
    best, names = optional(highest, highest == NO_LABEL), pool.passage_ids
    return {
        names[document]: {names[segment]: best[segment] for segment in parts}
        for document, parts in pool.segments.items()
    }


def ungraded_pool(collection: Collection, query_id: str) -> tuple[PooledPassage, ...]:
    """Return a query's passages without grades or labels, with all stored ranks."""
    passages = collection.pools[query_id]
    in_pool = frozenset(passages.counted)
    rows = zip(
        passages.passage_ids,
        optional(passages.judgments, passages.judgments == UNJUDGED),
        judged_relevant(passages, collection.min_relevance),
        _ranks(passages.top_k(None), collection.systems, passages.size),
        strict=True,
    )
    return tuple(
        PooledPassage(query_id, name, None, None, None, judged, relevant, {}, ranks)
        for name, judged, relevant, ranks in rows
        if name in in_pool
    )


PASSES: Mapping[Show, Callable[[PooledPassage], bool]] = {
    "changed": lambda row: row.changed,
    "relevant-unanswered": lambda row: row.relevant is True and row.answered is False,
    "nonrelevant-answered": lambda row: row.relevant is False and row.answered is True,
    "uncovered": likely_uncovered,
}


def filter_passages(
    passages: Iterable[PooledPassage],
    show: Show = "all",
    *,
    question_id: str | None = None,
    system: str | None = None,
    sort: Order | None = None,
) -> tuple[PooledPassage, ...]:
    """Return the passages that pass all filters, in their order.

    Uncovered passages are sorted by likely relevance unless ``sort`` is given.
    """
    if show == "uncovered" and sort is None:
        passages = sorted(passages, key=by_relevance)
    passes = PASSES.get(show)
    return tuple(
        passage
        for passage in passages
        if (passes is None or passes(passage))
        and (question_id is None or question_id in passage.answers)
        and (system is None or system in passage.ranks)
    )


def refuse_without_judgments(passages: Iterable[PooledPassage], show: Show) -> None:
    """Raise EvaluationError if ``show`` needs judgments and there are none."""
    if show in NEEDS_JUDGMENTS and all(row.relevant is None for row in passages):
        raise EvaluationError(
            f"'{show}' compares labels with judgments, and this query has none, or no "
            "minimum relevance is set: `curator import WORKSPACE --judgments QRELS "
            "--min-relevance N` imports both."
        )


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A pool passage with the number of runs that retrieve it and its best rank."""

    query_id: str
    passage_id: str
    runs: int
    best_rank: int


def pool_to_depth(
    snapshot: Snapshot, /, depth: int, *, query_id: str | None = None
) -> Rows[RetrievedPassage]:
    """Return the passages within the first ``depth`` ranks of any run, by best rank.

    Ranks whose passages have no text are left out and counted in a note. Raises
    UnknownNameError, and EvaluationError for a depth below 1.
    """
    if depth < 1:
        raise EvaluationError(f"A pool has a depth of 1 or more, not {depth}.")
    rows: list[RetrievedPassage] = []
    missing = 0
    for name in snapshot.query_ids(query_id):
        pool = snapshot.collection.pools[name]
        top = pool.top_k(depth)
        filled = top != GAP
        missing += int(pool.retrieved(depth).sum() - filled.sum())
        runs = np.bincount(top[filled], minlength=pool.size)
        best_rank = np.full(pool.size, depth)
        np.minimum.at(best_rank, top[filled], np.nonzero(filled)[1] + 1)
        columns = pool.passage_ids, runs.tolist(), best_rank.tolist()
        passages = [
            RetrievedPassage(name, *row) for row in zip(*columns, strict=True) if row[1]
        ]
        rows += sorted(
            passages, key=lambda row: (row.best_rank, -row.runs, row.passage_id)
        )
    left_out = f"{counted(missing, 'rank')} of passages without a text left out."
    return Rows(rows, RetrievedPassage, [left_out] if missing else [])


def optional(values: NDArray[Any], unknown: NDArray[np.bool_]) -> list[Any]:
    optional = values.astype(object)
    optional[unknown] = None
    return list(optional)


def judged_relevant(passages: Pool, min_relevance: int | None) -> list[bool | None]:
    if min_relevance is None:
        return [None] * passages.size
    relevant = np.maximum(passages.judgments, 0) >= min_relevance
    return optional(relevant, passages.judgments == UNJUDGED)


def _answers(graded: GradedQuery, threshold: int) -> list[dict[str, int]]:
    """Ratings by question id, for each passage; empty under a direct grader."""
    answers: list[dict[str, int]] = [{} for _ in graded.pool.passage_ids]
    if graded.reading == "direct":
        return answers
    by_passage = graded.ratings.T
    passages, items = np.nonzero(by_passage >= threshold)
    ratings = by_passage[passages, items]
    columns = passages.tolist(), items.tolist(), ratings.tolist()
    for passage, item, rating in zip(*columns, strict=True):
        answers[passage][graded.item_ids[item]] = rating
    return answers


def _ranks(
    top: NDArray[np.int32], systems: tuple[str, ...], size: int
) -> list[dict[str, int]]:
    """1-based rank by system for each pool position, best first."""
    ranks: list[dict[str, int]] = [{} for _ in range(size)]
    # Transposed, so that pairs are sorted by rank.
    slots, rows = np.nonzero(top.T != GAP)
    columns = top.T[slots, rows].tolist(), rows.tolist(), slots.tolist()
    for passage, row, slot in zip(*columns, strict=True):
        ranks[passage][systems[row]] = slot + 1
    return ranks
