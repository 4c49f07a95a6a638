"""Differences between two banks: by edits, since an event, by each retirement.

``near``: questions of one query with almost the same meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from curator.bank.edits import Add, Edit, Reword, apply_edits
from curator.bank.edits.kinds import KINDS
from curator.bank.questions import Bank, Question, proposed
from curator.evaluation import influence
from curator.evaluation.grades import GradedQuery, merge_segments
from curator.evaluation.impact import (
    Impact,
    LabelChange,
    changed_labels,
    flips_of,
    impact_of,
    moves_within_noise,
    notable_changes,
)
from curator.evaluation.influence import Influence, Preview
from curator.evaluation.settings import Settings
from curator.results import Result, Rows
from curator.snapshot.scoring import board
from curator.snapshot.settings import BoardChoice, OptionValue, settings_from
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.snapshot.viewer import without_questions
from curator.store import grades as store_grades
from curator.store.history import bank_at, banks_around
from curator.verbs.curate.question_rows import query_lines
from curator.verbs.history import event_of, refuse_hidden
from grading.keys import text_key
from grading.responders import INSTANT, VECTORS
from grading.similarity import Vectors, cosines

if TYPE_CHECKING:
    from grading.graders.computed import Encoder


def impact(
    snapshot: Snapshot,
    /,
    edits: Edit | Iterable[Edit] = (),
    *,
    since: int | str | None = None,
    edit: int | None = None,
    settings: BoardChoice | None = None,
    query_id: str | None = None,
    graded_only: bool = False,
    encoder: Encoder | None = None,
    **options: OptionValue,
) -> Impact:
    """Compare the boards before and after these edits, or since an event or release.

    With ``edit``, an event, compares the banks right before and right after its batch,
    without later changes. Changes nothing: a new text is graded in memory (by
    ``encoder`` if given), or its grades are missing where the grader was imported. With
    ``query_id``, scores and ranks in that query alone; with ``graded_only``, without
    the questions that lack grades, before or after. Raises EvaluationError where edits
    would reveal hidden votes to a judge.
    """
    settings = settings_from(snapshot, options, settings)
    if since is not None or edit is not None:
        if edit is not None:
            refuse_hidden(snapshot, edit)
        event = None if since is None else event_of(snapshot, since)

        def compared() -> Impact:
            # Matrices are cached by their question tuples, so each bank is built once.
            grader = settings.grader if graded_only else None
            banks = _banks(snapshot, event, edit, grader)
            return compare_banks(snapshot, *banks, settings, query_id=query_id)

        key = "impact", event, edit, settings, query_id, graded_only
        return snapshot.cached(key, compared)
    edits = list(edits) if isinstance(edits, Iterable) else [edits]
    for planned in edits:
        # Raises for an unknown query.
        snapshot.query_ids(getattr(planned, "query_id", None))
    after, changes = apply_edits(snapshot.bank, edits, judge=snapshot.viewer.judge)
    # Questions that these edits add have no votes.
    existing = (change.subject_id for change in changes if change.before or change.mark)
    snapshot.viewer.refuse_hidden_effects(filter(None, existing), settings.measure)
    if settings.grader and any(change.kind == "key" for change in changes):
        from curator.verbs.curate.preview_grades import with_kept_grades

        snapshot = with_kept_grades(snapshot, settings.grader, after)
    asking_kinds = {"add", "keep", "reword", "restore"}
    if settings.grader and snapshot.grader(settings.grader).reads_answer_keys:
        asking_kinds.add("key")
    if settings.grader and any(change.kind in asking_kinds for change in changes):
        # The import loads the model; most previews do not need it.
        from curator.verbs.curate.preview_grades import preview_grades

        snapshot = preview_grades(snapshot, settings.grader, after, encoder=encoder)
    return compare_banks(snapshot, snapshot.bank, after, settings, query_id=query_id)


@cached_in_snapshot
def _banks(
    snapshot: Snapshot, event: int | None, edit: int | None, grader: str | None
) -> tuple[Bank, Bank]:
    """The banks before and after; with a grader, without the questions it lacks."""
    if grader is not None:
        return graded_banks(snapshot, grader, *_banks(snapshot, event, edit, None))
    past, bank = snapshot.full.connection, snapshot.full.bank
    if event is not None:
        return snapshot.visible_bank(bank_at(past, bank, event)), snapshot.bank
    assert edit is not None
    before, after = banks_around(past, bank, edit)
    return snapshot.visible_bank(before), snapshot.visible_bank(after)


def graded_banks(
    snapshot: Snapshot, grader: str, before: Bank, after: Bank
) -> tuple[Bank, Bank]:
    """Remove the questions that lack a grade under one of the two banks from both.

    The other questions of their queries stay. A grader of queries, which asks no
    questions, removes none.
    """
    lacking: dict[str, set[str]] = {}
    for bank in (before, after):
        matrices = snapshot.matrices(grader, bank, snapshot.query_ids())
        for query_id, matrix in matrices.items():
            if matrix.known < matrix.needed and matrix.reading != "direct":
                rows = zip(matrix.item_ids, matrix.ratings.min(axis=1), strict=True)
                lacking.setdefault(query_id, set()).update(
                    item_id for item_id, lowest in rows if lowest < 0
                )

    def graded(bank: Bank) -> Bank:
        kept = {
            query_id: without_questions(bank.questions_of(query_id), items)
            for query_id, items in lacking.items()
        }
        return replace(bank, by_query={**bank.by_query, **kept})

    return graded(before), graded(after)


@dataclass(frozen=True)
class IfReworded:
    """The effect of other words for a question, under the grader of the impact.

    ``current`` and ``reworded`` are its influence in its current and in the other
    words; None where it does not count, such as a retired question.
    """

    current: Influence | None
    reworded: Influence | None
    impact: Impact


def if_reworded(
    snapshot: Snapshot,
    /,
    question_id: str,
    text: str,
    settings: BoardChoice | None = None,
    *,
    encoder: Encoder | None = None,
    **options: OptionValue,
) -> IfReworded:
    """Compute the impact of a rewording and the influence of both texts; saves nothing.

    Raises EditError for words that the question cannot have.
    """
    from curator.verbs.curate.preview_grades import preview_grades

    chosen = settings_from(snapshot, options, settings)
    snapshot.viewer.refuse_hidden_effects([question_id], chosen.measure)
    edits = [Reword(question_id, text)]
    after, (change,) = apply_edits(snapshot.bank, edits, judge=snapshot.viewer.judge)
    if snapshot.grader(chosen.grader).spec.computed:
        # The question's current text may be too new to be graded, too.
        bank = snapshot.bank.without_question(change.query_id, question_id)
        without = snapshot.with_bank(bank)
        graded = preview_grades(without, chosen.grader, snapshot.bank, encoder=encoder)
        snapshot = snapshot.with_gradebook(graded.gradebook)
    snapshot = preview_grades(snapshot, chosen.grader, after, encoder=encoder)
    about = chosen, change.query_id, question_id
    return IfReworded(
        reach_of(snapshot, *about),
        reach_of(snapshot.with_bank(after), *about),
        compare_banks(snapshot, snapshot.bank, after, chosen),
    )


def reach_of(
    snapshot: Snapshot, settings: Settings, query_id: str, question_id: str | None
) -> Influence | None:
    """Return the reach and influence of a question."""
    lines = query_lines(snapshot, settings, query_id)
    return next(i.influence for i in lines if i.question.question_id == question_id)


@dataclass(frozen=True)
class IfAdded:
    """The reach of a new question, and the kept question of its query nearest to it.

    ``nearest`` is by the encoder's vectors; None without an encoder or other questions.
    """

    passages: int
    systems: int
    nearest: Question | None


def if_added(
    snapshot: Snapshot,
    /,
    query_id: str,
    text: str,
    settings: BoardChoice | None = None,
    *,
    encoder: Encoder | None = None,
    **options: OptionValue,
) -> IfAdded:
    """Compute the reach of a new question under a computed grader; saves nothing.

    Raises EditError for a text that the query cannot have.
    """
    from curator.verbs.curate.preview_grades import preview_grades

    chosen = settings_from(snapshot, options, settings)
    edits = [Add(query_id, text)]
    after, (change,) = apply_edits(snapshot.bank, edits, judge=snapshot.viewer.judge)
    graded = preview_grades(snapshot, chosen.grader, after, encoder=encoder)
    reach = reach_of(graded.with_bank(after), chosen, query_id, change.subject_id)
    nearest = nearest_question(snapshot, query_id, text, encoder) if encoder else None
    return IfAdded(
        reach.passages if reach else 0, reach.systems if reach else 0, nearest
    )


def _changed_queries(before: Bank, after: Bank) -> set[str]:
    """Return the queries whose questions differ, or marks that affect labels."""
    pairs: list[tuple[Any, Any]] = [(before.by_query, after.by_query)]
    for kind in KINDS.values():
        if kind.mark and kind.affects in ("answers", "board"):
            name = kind.mark.kind
            pairs.append((before.marks.get(name, {}), after.marks.get(name, {})))
    return {
        query_id
        for old, new in pairs
        for query_id in {**old, **new}
        if old.get(query_id, ()) is not new.get(query_id, ())
        and old.get(query_id, ()) != new.get(query_id, ())
    }


def compare_banks(
    snapshot: Snapshot,
    before: Bank,
    after: Bank,
    settings: Settings,
    *,
    query_id: str | None = None,
    noise: bool = True,
) -> Impact:
    """Compare two banks under one grader.

    Labels are compared in all queries; with ``query_id`` scores and ranks are those of
    that query alone. Without ``noise`` moves are not tested against noise.
    """
    if settings.grader:
        snapshot.grader(settings.grader)  # refuses official judgments and ranks
    labels: list[LabelChange] = []
    changed = _changed_queries(before, after) if settings.grader else ()
    edited = [id_ for id_ in snapshot.query_ids() if id_ in changed]
    for id_ in edited:
        labels += changed_labels(
            snapshot.matrix(settings.grader, id_, before),
            snapshot.matrix(settings.grader, id_, after),
            settings.rule,
        )
    later = board(snapshot, settings, after, query_id=query_id)
    earlier = board(snapshot, settings, before, query_id=query_id)
    impact = impact_of(earlier, later, labels)
    measure = snapshot.measure(settings)
    if settings.rule.fractional and labels and impact.complete:
        listing = _notable_labels(snapshot, impact, before, after)
        impact = replace(impact, listing=listing)
    if not noise or not impact.movers or measure.based_on == "texts":
        return impact
    # Most moves reverse in the query that caused them, so it is tried first.
    queries = [*edited, *snapshot.query_ids()] if query_id is None else [query_id]
    queries = [*dict.fromkeys(queries)]
    matrices = (snapshot.matrix(settings.grader, id_, after) for id_ in queries)
    systems, scores = snapshot.collection.systems, later.scores()
    within = moves_within_noise(
        impact.movers,
        systems,
        np.array([scores[system] for system in systems]),
        (flips_of(graded, measure) for graded in matrices if graded.item_ids),
        later.queries,
    )
    return replace(impact, within_noise=within)


def _notable_labels(
    snapshot: Snapshot, impact: Impact, before: Bank, after: Bank
) -> tuple[LabelChange, ...]:
    """Select the labels to list under a rule by which every mean shifts."""
    grader, listed = impact.settings.grader, list[LabelChange]()
    for query_id, labels in groupby(impact.labels, key=lambda label: label.query_id):
        old, new = (snapshot.matrix(grader, query_id, bank) for bank in (before, after))
        listed += notable_changes(old, new, [*labels], impact.settings)
    return tuple(listed)


def solo(
    snapshot: Snapshot,
    /,
    question_id: str,
    settings: BoardChoice | None = None,
    **options: OptionValue,
) -> Impact:
    """Compare a query's board with the one under this question alone, in any state.

    The earlier board is that of every kept question of the query, the later one that of
    this question. Raises UnknownNameError, and EvaluationError where that would reveal
    hidden votes to a judge.
    """
    settings = settings_from(snapshot, options, settings)
    snapshot.viewer.refuse_hidden_effects([question_id], settings.measure)
    question = snapshot.bank.question(question_id)
    alone = replace(question, state="kept")
    by_query = {**snapshot.bank.by_query, question.query_id: (alone,)}
    bank = replace(snapshot.bank, by_query=by_query)
    return compare_banks(
        snapshot, snapshot.bank, bank, settings, query_id=question.query_id, noise=False
    )


def what_ifs(
    snapshot: Snapshot,
    /,
    query_id: str,
    settings: BoardChoice | None = None,
    *,
    graded_only: bool = False,
    **options: OptionValue,
) -> Rows[Preview]:
    """Compute the effect of retiring each kept question of the query; saves nothing.

    Equal to the impact of each retirement (tested). With ``graded_only``, on the board
    without the questions that lack grades, if this query has none of them. Empty under
    a grader of queries, which asks no questions.
    """
    chosen = settings_from(snapshot, options, settings)
    effects = _effects(snapshot, query_id, chosen, graded_only)
    shows = snapshot.viewer.shows_effect
    return Rows(e for e in effects if shows(e.question_id, chosen.measure))


@cached_in_snapshot
def _effects(
    snapshot: Snapshot, query_id: str, settings: Settings, graded_only: bool
) -> tuple[Preview, ...]:
    snapshot.query_ids(query_id)  # refuses an unknown query
    if not settings.grader:
        return ()
    graded = snapshot.matrix(settings.grader, query_id, snapshot.bank)
    if not graded.item_ids or graded.reading == "direct":
        return ()
    bank = snapshot.bank
    if graded_only and graded.known == graded.needed:
        bank, _ = graded_banks(snapshot, settings.grader, bank, bank)
    measure = snapshot.measure(settings)
    moves = measure.previewed
    return influence.retire_previews(
        graded,
        board(snapshot, settings, bank),
        snapshot.collection.systems,
        row=measure.scored(graded).row.score if moves else np.zeros(0),
        without_each=measure.without_each(graded) if moves else None,
        official=snapshot.collection.official,
    )


@dataclass(frozen=True)
class Proposed(Result[Preview], rows="proposals"):
    """The effect of keeping each proposal of a query, under these settings."""

    settings: Settings
    proposals: tuple[Preview, ...]


def if_kept(
    snapshot: Snapshot,
    /,
    query_id: str,
    settings: BoardChoice | None = None,
    **options: OptionValue,
) -> Proposed:
    """Compute the effect of keeping each proposal, under a grader that has graded it.

    A grader that lacks the proposals is replaced by an embedding grader that has graded
    all of them; the effects are then on that grader's board.
    """
    return _if_kept(snapshot, query_id, settings_from(snapshot, options, settings))


@cached_in_snapshot
def _if_kept(snapshot: Snapshot, query_id: str, settings: Settings) -> Proposed:
    snapshot.query_ids(query_id)  # refuses an unknown query
    if not settings.grader:
        return Proposed(settings, ())
    settings = proposal_settings(snapshot, query_id, settings)
    offered = _proposal_grades(snapshot, query_id, settings)
    if offered is None:
        return Proposed(settings, ())
    previews = influence.keep_previews(
        snapshot.matrix(settings.grader, query_id, snapshot.bank),
        offered,
        board(snapshot, settings),
        snapshot.collection.systems,
        snapshot.measure(settings),
        threshold=snapshot.threshold(settings),
        official=snapshot.collection.official,
    )
    return Proposed(settings, previews)


@cached_in_snapshot
def proposal_settings(
    snapshot: Snapshot, query_id: str, settings: Settings
) -> Settings:
    """Return the settings with the grader that ``if_kept`` uses for this query."""

    def missing(candidate: Settings) -> bool:
        offered = _proposal_grades(snapshot, query_id, candidate)
        return offered is not None and bool((offered.ratings < 0).any())

    for record in snapshot.gradebook.records if missing(settings) else ():
        if record.spec.computed and record.name != settings.grader:
            instead = replace(settings, grader=record.name)
            if not missing(instead):
                return instead
    return settings


def _proposal_grades(
    snapshot: Snapshot, query_id: str, settings: Settings
) -> GradedQuery | None:
    """The grades of the query's proposals; None where there is nothing to grade."""
    record = snapshot.grader(settings.grader)
    pool, reading = snapshot.collection.pools[query_id], record.spec.reading
    offered = proposed(snapshot.bank.questions_of(query_id), reading.item_kind)
    if not offered or reading.kind == "direct" or not pool.size:
        return None
    return merge_segments(snapshot.gradebook.graded(record, pool, offered))


# Set on two published banks; docs/proposals.md has the counts.
NEAR_COSINE = 0.90


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The nearest other question, and the cosine, at least NEAR_COSINE."""

    question_id: str
    cosine: float


@cached_in_snapshot
def near(snapshot: Snapshot, query_id: str) -> dict[str, NearDuplicate]:
    """Find the nearest other question of each proposed or kept question, by id.

    A proposal is compared with the kept questions and with earlier proposals, a kept
    question with the kept ones. Uses the stored vectors of the embedding grader; a text
    without a vector has no near duplicate.
    """
    questions = snapshot.bank.questions_of(query_id)
    comparable = [q for q in questions if q.state != "retired" and q.text is not None]
    vectors = _stored_vectors(snapshot, comparable)
    # Kept questions first: a proposal's nearest is a kept question if possible.
    read = [q for q in comparable if q.question_id in vectors]
    if len(read) < 2:
        return {}
    ordered = sorted(read, key=lambda q: q.state != "kept")
    kept = sum(q.state == "kept" for q in ordered)
    texts = [vectors[question.question_id] for question in ordered]
    table = cosines(texts, texts)
    np.fill_diagonal(table, -1.0)
    nearest: dict[str, NearDuplicate] = {}
    for position, question in enumerate(ordered):
        others = table[position, : max(kept, position)]
        if len(others) and (cosine := float(others.max())) >= NEAR_COSINE:
            other = ordered[int(others.argmax())].question_id
            nearest[question.question_id] = NearDuplicate(other, cosine)
    return nearest


def nearest_question(
    snapshot: Snapshot, query_id: str, text: str, encoder: Encoder
) -> Question | None:
    """Find the kept question of the query with the highest cosine to a text."""
    kept = [q for q in snapshot.bank.questions_of(query_id) if q.state == "kept"]
    vectors = _stored_vectors(snapshot, [q for q in kept if q.text is not None])
    if not vectors:
        return None
    (row,) = cosines(encoder.encode([text]), [*vectors.values()])
    nearest = [*vectors][int(row.argmax())]
    return next(q for q in kept if q.question_id == nearest)


def _stored_vectors(
    snapshot: Snapshot, questions: Iterable[Question]
) -> dict[str, Vectors]:
    """Return the stored vectors of questions that have some, by question id."""
    connection, records = snapshot.connection, snapshot.gradebook.records
    embedding = [r for r in records if r.spec.engine in (VECTORS, INSTANT)]
    if not embedding:
        return {}
    responder_id = store_grades.responder_id_of(connection, embedding[0].grader_id)
    cache = store_grades.EmbeddingCache(connection, responder_id)
    key_of = {q.question_id: text_key((q.text or "").strip()) for q in questions}
    # Vectors of a text never change, and reading them is slower than comparing.
    vectors = snapshot.caches.text_vectors.setdefault(responder_id, {})
    if unread := sorted(set(key_of.values()) - vectors.keys()):
        vectors |= cache.get_many(unread)
    return {name: vectors[key] for name, key in key_of.items() if key in vectors}
