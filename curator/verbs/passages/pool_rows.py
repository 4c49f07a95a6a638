"""``pool``: a query's passages one by one, with what each answers and who found it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from curator.bank.questions import Bank
from curator.collection.pools import GAP, UNJUDGED, Collection, Pool
from curator.engine.settings import Chosen, Options, settings_from
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.grades import NO_LABEL, GradedQuery, graded_labels
from curator.evaluation.settings import SAME_LABEL, Settings
from curator.results import Rows
from curator.store import history as store_history
from curator.verbs.history.history import refuse_hidden
from curator.verbs.passages.citations import Citation, citations
from curator.verbs.passages.order import (
    Order,
    by_relevance,
    holding,
    in_order,
    letters,
    likely_uncovered,
)
from curator.verbs.passages.passage import answering

Show = Literal[
    "all", "changed", "relevant-unanswered", "nonrelevant-answered", "uncovered"
]
ON_JUDGMENTS: tuple[Show, ...] = ("relevant-unanswered", "nonrelevant-answered")


@dataclass(frozen=True, slots=True)
class PooledPassage:
    """A passage of a query's pool under one grader.

    ``label`` is None without a known grade; ``label_before`` is its label at the
    baseline, the label itself where nothing is compared. ``answered`` says whether
    the label counts as relevant, ``relevant`` whether the judgment does; None where
    there is none, or no threshold for it. ``answers`` maps the kept questions that the
    passage answers to their ratings, ``ranks`` the systems that retrieve it within the
    measure's depth to 1-based ranks, best first. ``missing`` counts its unknown grades.
    ``segments`` maps those of a document, in order, to their best known ratings.
    ``citations`` are those of a passage of a generated report.
    ``by_edit`` says that the edit compared with changed its label, whatever later ones
    did.
    """

    query_id: str
    passage_id: str
    label: float | None
    label_before: float | None
    answered: bool | None
    judgment: int | None
    relevant: bool | None
    answers: dict[str, int]
    ranks: dict[str, int]
    missing: int = 0
    segments: dict[str, int | None] = field(default_factory=dict)
    by_edit: bool = False
    citations: tuple[Citation, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether its label differs from the one before, or the edit changed it."""
        return self.by_edit or self.label != self.label_before

    @property
    def rank(self) -> int | None:
        """The best rank at which a system retrieves it."""
        return next(iter(self.ranks.values()), None)

    @property
    def votes(self) -> float:
        """How much systems are for it: the sum of 1/rank over them."""
        return sum(1 / rank for rank in self.ranks.values())


def pool(
    state: State,
    /,
    query_id: str,
    settings: Chosen | None = None,
    *,
    since: int | None = None,
    edit: int | None = None,
    sort: Order = "pool",
    reverse: bool = False,
    words: str = "",
    **options: Options,
) -> Rows[PooledPassage]:
    """A query's passages: label, judgment, answers and ranks; at first in pool order.

    Passages of the gold article alone are left out. With ``since``, also the label that
    each had right after that event; with ``edit``, an event, the one that its batch
    changed, where that did. As in ``agreement``, labels rest on the grades that
    are known, and a negative judgment counts as 0. ``sort`` and ``reverse`` are those
    of ``order.in_order``; with ``words`` only passages that hold all of them.
    """
    settings = settings_from(state, options, settings)
    (query_id,) = state.query_ids(query_id)
    found = state.cached(
        ("pool", state.viewer.judge, query_id, settings, since, edit),
        lambda: _pool(state, query_id, settings, since, edit),
    )
    if words.strip():
        held = frozenset(holding(state, query_id, words))
        found = Rows(
            (one for one in found if one.passage_id in held), "passages.pool_table"
        )
    if sort == "pool" and not reverse:
        return found
    counted = letters(state, query_id) if sort == "length" else None
    return Rows(
        in_order(found, sort, reverse=reverse, letters=counted), "passages.pool_table"
    )


def to_read(
    state: State,
    query_id: str,
    settings: Chosen | None = None,
    *,
    question_id: str | None = None,
    changed: Iterable[str] = (),
) -> tuple[str, ...]:
    """The query's passages in the order in which a judge is to look at them.

    First those that answer the question that is selected, those ``changed`` before the
    best rated; then what has ``changed``, in its order; then as ``order.in_order`` by
    "look": what no question covers although it is likely relevant, and the rest by
    votes. Of each, those that a system retrieves come before others.
    """
    rows = pool(state, query_id, settings, sort="look")
    retrieved = {one.passage_id for one in rows if one.ranks}
    place = {one: at for at, one in enumerate(changed)}

    def in_turn(ids: Iterable[str]) -> list[str]:
        return sorted(ids, key=lambda p: (p not in retrieved, place.get(p, len(place))))

    answers: tuple[str, ...] = ()
    if question_id is not None:
        answers = answering(state, query_id, question_id, settings)
    rest = (one.passage_id for one in rows)
    return tuple(dict.fromkeys((*in_turn(answers), *in_turn(place), *rest)))


def _pool(
    state: State,
    query_id: str,
    settings: Settings,
    since: int | None,
    edit: int | None,
) -> Rows[PooledPassage]:
    passages = state.collection.pools[query_id]
    graded = state.matrix(settings.grader, query_id, state.bank)
    threshold = state.threshold(settings)
    labels = graded_labels(graded, settings.rule)
    earlier, by_edit = labels, np.zeros(len(labels), bool)

    def labels_of(past: Bank) -> NDArray[Any]:
        past = state.viewer.past(state.without_words(past), state.bank)
        past_grades = state.matrix(settings.grader, query_id, past)
        return graded_labels(past_grades, settings.rule)

    read = state.with_texts
    if edit is not None:
        refuse_hidden(state, edit)
        around = store_history.banks_around(read.connection, read.bank, edit)
        before, after = map(labels_of, around)
        by_edit = np.abs(after - before) > SAME_LABEL
        earlier = np.where(by_edit, before, labels)
    elif since is not None:
        past = store_history.bank_at(read.connection, read.bank, since)
        earlier = labels_of(past)
    listed = frozenset(passages.counted)
    segments = _segments(state, settings.grader, graded)
    cited = citations(state, query_id)
    found = (
        PooledPassage(query_id, passage_id, *fields)
        for passage_id, *fields in zip(
            passages.passage_ids,
            _known(labels),
            _known(earlier),
            _verdicts(labels, labels != NO_LABEL, state.relevant_from(settings)),
            _known(passages.judgments, UNJUDGED),
            _relevant(passages, state.collection.min_relevance),
            _answers(graded, threshold),
            _ranks(
                passages.top_k(state.measure(settings).depth),
                state.collection.systems,
                passages.size,
            ),
            (graded.ratings < 0).sum(axis=0).tolist(),
            [segments.get(one, {}) for one in passages.passage_ids],
            by_edit.tolist(),
            [cited.get(one, ()) for one in passages.passage_ids],
            strict=True,
        )
        if passage_id in listed
    )
    return Rows(found, "passages.pool_table")


def _segments(
    state: State, grader: str, graded: GradedQuery
) -> dict[str, dict[str, int | None]]:
    """Best known rating of each segment on any active item, by document."""
    pool, record = graded.pool, state.grader(grader)
    if not pool.segments:
        return {}
    if record.spec.reading.item_kind == "query":
        query = state.queries[graded.query_id]
        ratings = state.gradebook.graded_query_item(record, pool, query).ratings
    else:
        asked = frozenset(graded.item_ids)
        of_query = state.bank.of_query(graded.query_id)
        items = [one for one in of_query if one.question_id in asked]
        ratings = state.gradebook.graded(record, pool, items).ratings
    best = _known(ratings.max(axis=0, initial=NO_LABEL))
    names = pool.passage_ids
    return {
        names[document]: {names[one]: best[one] for one in parts}
        for document, parts in pool.segments.items()
    }


def ungraded_pool(collection: Collection, query_id: str) -> tuple[PooledPassage, ...]:
    """The same without any grades: no labels, ranks as deep as they are stored."""
    passages = collection.pools[query_id]
    listed = frozenset(passages.counted)
    ranks = _ranks(passages.top_k(None), collection.systems, passages.size)
    judgments = _known(passages.judgments, UNJUDGED)
    relevant = _relevant(passages, collection.min_relevance)
    return tuple(
        PooledPassage(query_id, passage_id, None, None, None, judged, verdict, {}, own)
        for passage_id, judged, verdict, own in zip(
            passages.passage_ids, judgments, relevant, ranks, strict=True
        )
        if passage_id in listed
    )


def shown(
    passages: Iterable[PooledPassage],
    show: Show = "all",
    *,
    question_id: str | None = None,
    system: str | None = None,
    sort: Order | None = None,
) -> tuple[PooledPassage, ...]:
    """The passages that pass every filter given, in their order.

    Of those uncovered the likeliest relevant comes first, where nobody has asked to
    ``sort`` them: what to ask a question about.
    """
    if show == "uncovered" and sort is None:
        passages = sorted(passages, key=by_relevance)
    return tuple(
        one
        for one in passages
        if _shows(one, show)
        and (question_id is None or question_id in one.answers)
        and (system is None or system in one.ranks)
    )


def refuse_without_judgments(passages: Iterable[PooledPassage], show: Show) -> None:
    """Raise EvaluationError where ``show`` needs judgments that are not there."""
    if show in ON_JUDGMENTS and all(one.relevant is None for one in passages):
        raise EvaluationError(
            f"'{show}' compares labels with judgments, and no passage of this query "
            "has one that counts: `curator import WORKSPACE --judgments QRELS "
            "--min-relevance N` brings them and says from which on."
        )


def _shows(one: PooledPassage, show: Show) -> bool:
    match show:
        case "changed":
            return one.changed
        case "relevant-unanswered":
            return one.relevant is True and one.answered is False
        case "nonrelevant-answered":
            return one.relevant is False and one.answered is True
        case "uncovered":
            return likely_uncovered(one)
    return True


def _known(values: NDArray[Any], nothing: int = NO_LABEL) -> list[Any]:
    return [None if value == nothing else value for value in values.tolist()]


def _verdicts(
    values: NDArray[Any],
    known: NDArray[np.bool_],
    threshold: int,
) -> list[bool | None]:
    reached = (values >= threshold).tolist()
    return [
        verdict if is_known else None
        for verdict, is_known in zip(reached, known.tolist(), strict=True)
    ]


def _relevant(passages: Pool, min_relevance: int | None) -> list[bool | None]:
    if min_relevance is None:
        return [None] * passages.size
    judged = passages.judgments != UNJUDGED
    return _verdicts(np.maximum(passages.judgments, 0), judged, min_relevance)


def _answers(graded: GradedQuery, threshold: int) -> list[dict[str, int]]:
    """Rating by question id, for each passage; none where the query is the item."""
    found: list[dict[str, int]] = [{} for _ in graded.pool.passage_ids]
    if graded.reading == "direct":
        return found
    by_passage = graded.ratings.T
    passages, items = np.nonzero(by_passage >= threshold)
    ratings = by_passage[passages, items]
    for passage, item, rating in zip(
        passages.tolist(), items.tolist(), ratings.tolist(), strict=True
    ):
        found[passage][graded.item_ids[item]] = rating
    return found


def _ranks(
    top: NDArray[np.int32], systems: tuple[str, ...], size: int
) -> list[dict[str, int]]:
    """1-based rank by system for each pool position, best first."""
    found: list[dict[str, int]] = [{} for _ in range(size)]
    # Transposed, so that the pairs come rank by rank.
    slots, rows = np.nonzero(top.T != GAP)
    for passage, row, slot in zip(
        top.T[slots, rows].tolist(), rows.tolist(), slots.tolist(), strict=True
    ):
        found[passage][systems[row]] = slot + 1
    return found
