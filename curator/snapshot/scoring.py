"""Leaderboards, summed from the rows of all queries that count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from curator.bank.questions import Bank, kind_noun
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.grades import GradedQuery
from curator.evaluation.leaderboard import (
    Leaderboard,
    ScoredQueries,
    by_topic,
    judged_queries,
    leaderboard,
    official_board,
)
from curator.evaluation.measures import Measure
from curator.evaluation.measures.measure import (
    NO_GRADES,
    Grades,
    ScoredQuery,
    TextMeasure,
)
from curator.evaluation.measures.rouge import CharacterMap, Rouge
from curator.evaluation.settings import JUDGMENTS, OFFICIAL, Settings
from curator.snapshot.languages import can_read, languages
from curator.snapshot.question_groups import grades_of_group
from curator.snapshot.snapshot import Snapshot


def board(
    snapshot: Snapshot,
    settings: Settings,
    bank: Bank | None = None,
    *,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> Leaderboard:
    """Return the board of a bank, by default the workspace's, under these settings."""
    bank = bank or snapshot.bank
    if bank is not snapshot.bank or subtopic_id is not None:
        return board_of(snapshot, settings, bank, query_id, subtopic_id)
    return snapshot.cached(
        ("board", settings, query_id),
        lambda: board_of(snapshot, settings, bank, query_id),
    )


def board_of(
    snapshot: Snapshot,
    settings: Settings,
    bank: Bank,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> Leaderboard:
    """Compute the board of this bank from its queries' rows."""
    if settings.grader == OFFICIAL:
        return official_board(snapshot.collection, settings)
    reasons: tuple[str, ...] = ()
    if subtopic_id is None:
        scored = scored_queries(snapshot, settings, bank, query_id)
        reasons = () if scored.rows else scored.notes
    else:
        scored = scored_subtopics(snapshot, settings, bank, query_id, subtopic_id)
        scored = replace(scored, grades=scored.grades.without_items, overall=None)
        if not snapshot.measure(settings).by_query:
            scored = replace(scored, notes=())
    board_notes = reasons or notes(snapshot, settings, scored, query_id, bank)
    scored = replace(scored, notes=board_notes)
    collection, measure = snapshot.collection, snapshot.measure(settings)
    return leaderboard(settings, measure, collection.systems, collection.pools, scored)


def scored_subtopics(
    snapshot: Snapshot,
    settings: Settings,
    bank: Bank,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> ScoredQueries:
    """Score every subtopic with an active item, on its own ranks and items.

    For one query, or for the subtopics of this id, if given. Raises UnknownNameError
    and EvaluationError where there is none.
    """
    measure = snapshot.measure(settings)
    if settings.grader == JUDGMENTS:
        return judged_queries(
            snapshot.collection, measure, query_id, subtopic_id, by="subtopic"
        )
    if isinstance(measure, TextMeasure):
        measure.refuse()
    matrices = snapshot.matrices_of_subtopics(settings.grader, bank, query_id)
    graded = by_topic(
        {
            pair: matrix
            for pair, matrix in matrices.items()
            if subtopic_id in (None, pair[1])
        }
    )
    graded = grades_of_group(snapshot, settings, graded)
    scores = {topic: measure.scored(matrix) for topic, matrix in graded.items()}
    if not graded and subtopic_id is not None:
        raise UnknownNameError(
            f"No active question is in subtopic '{subtopic_id}'. "
            "`curator questions WORKSPACE` lists the subtopics."
        )
    if not graded:
        raise EvaluationError("No kept question of this bank belongs to a subtopic.")
    scored = collect_scores(measure, scores)
    if not scored.rows and (subtopic_id is None or not measure.by_query):
        raise EvaluationError(scored.notes[0])
    return replace(
        scored, pools={topic: matrix.pool for topic, matrix in graded.items()}
    )


def scored_queries(
    snapshot: Snapshot, settings: Settings, bank: Bank, query_id: str | None = None
) -> ScoredQueries:
    """Score every query under these settings, for all boards."""
    if settings.grader == OFFICIAL:
        raise EvaluationError(
            "The official leaderboard has ranks only, no scores by query."
        )
    measure = snapshot.measure(settings)
    if settings.grader == JUDGMENTS:
        return judged_queries(snapshot.collection, measure, query_id, by=settings.by)
    if settings.by == "subtopic":
        return scored_subtopics(snapshot, settings, bank, query_id)
    if isinstance(measure, Rouge | CharacterMap):
        from curator.snapshot.ideals import text_rows

        return text_rows(snapshot, measure, bank, query_id)
    queries = snapshot.query_ids(query_id)
    if settings.questions:
        matrices = snapshot.matrices(settings.grader, bank, queries)
        graded = grades_of_group(snapshot, settings, matrices)
        scores = {query: measure.scored(grades) for query, grades in graded.items()}
        return collect_scores(measure, scores)
    scored = collect_scores(
        measure, snapshot.scores(settings.grader, measure, bank, queries)
    )
    if snapshot.grader(settings.grader).spec.reading.item_kind == "query":
        return replace(scored, grades=scored.grades.without_items)  # no items
    return scored


def collect_scores(
    measure: Measure, scores: Mapping[str, ScoredQuery]
) -> ScoredQueries:
    """Collect the rows of the queries that count, with their grades."""
    no_board, note = measure.exclusions(
        [scored.exclusion_input for scored in scores.values()]
    )
    if no_board:
        return ScoredQueries({}, notes=(note,))
    counted = {q: scored for q, scored in scores.items() if not scored.excluded}
    rows, without = measure.select_rows({q: counted[q].row for q in counted})
    grades = (scored.grades for scored in counted.values())
    totals = map(sum, zip(NO_GRADES, *grades, strict=True))
    overall = [s.overall for s in counted.values() if s.overall is not None]
    return ScoredQueries(
        rows,
        Grades(*totals),
        overall=float(np.mean(overall)) if overall else None,
        notes=tuple(sentence for sentence in (note, without) if sentence),
    )


def notes(
    snapshot: Snapshot,
    settings: Settings,
    scored: ScoredQueries,
    query_id: str | None,
    bank: Bank | None = None,
) -> tuple[str, ...]:
    """Return sentences on the limits of a board."""
    sentences = list(scored.notes)
    if settings.grader not in ("", JUDGMENTS):
        record = snapshot.grader(settings.grader)
        family = snapshot.gradebook.family(record.family)
        sentences += filter(None, [family.note(record) if family else ""])
        if not can_read(snapshot, record):
            sentences.append(languages(snapshot).note)
    collection, measure = snapshot.collection, snapshot.measure(settings)
    if not collection.systems:
        sentences.append(
            "No runs imported: ranks appear after `curator import WORKSPACE --runs`."
        )
    texts = measure.based_on == "texts"
    if not (scored.rows or scored.notes or texts):
        kind = kind_noun(snapshot.grader(settings.grader).spec.reading.item_kind)
        sentence = f"No kept {kind} in the bank, so there is nothing to score."
        if query_id is not None:
            sentence = (
                f"Query '{query_id}' has no kept {kind}, so no measure counts it."
            )
        sentences.append(sentence)
    depth = collection.depth
    if scored.pools:
        depth = max(pool.depth for pool in scored.pools.values())
    if not scored.pools and collection.ranks_subtopics:
        sentences.append(
            "A query without its own ranks or judgments has those of its subtopics: "
            "the best rank and the highest judgment of each passage. A board by "
            "subtopic does not merge them."
        )
    if measure.depth is None and depth:
        sentences.append(
            f"{settings.measure} uses whole rankings, but the runs are stored only to "
            f"rank {depth}; lower ranks count as empty."
        )
    elif measure.depth is not None and 0 < depth < measure.depth:
        sentences.append(
            f"{settings.measure} uses {measure.depth} ranks, but the runs are stored "
            f"only to rank {depth}; lower ranks "
            f"{'are not compared' if texts else 'count as empty'}."
        )
    missing = scored.grades.needed - scored.grades.known
    if missing and snapshot.gradebook.has_budgets:
        number, budgets = count_left_out(
            snapshot,
            settings.grader,
            _graded_queries(snapshot, settings, scored, bank or snapshot.bank),
        )
        if number:
            sentences.append(
                f"{number:,} of {missing:,} missing grades were left out by a grading "
                f"budget ({'; '.join(budgets)}): they are unknown, not 0."
            )
    if any(row.upper is None for row in scored.rows.values()):
        sentences.append(
            f"{settings.measure} is provisional: grades are missing, and it has no "
            "bounds."
        )
    return tuple(sentences)


def _graded_queries(
    snapshot: Snapshot, settings: Settings, scored: ScoredQueries, bank: Bank
) -> list[GradedQuery]:
    if not scored.pools:
        matrices = snapshot.matrices(settings.grader, bank, scored.rows)
        return [*grades_of_group(snapshot, settings, matrices).values()]
    by_subtopic = snapshot.matrices_of_subtopics(settings.grader, bank).items()
    return [
        matrix
        for (query, subtopic), matrix in by_subtopic
        if f"{query}/{subtopic}" in scored.rows
    ]


def count_left_out(
    snapshot: Snapshot, grader: str, graded: Iterable[GradedQuery]
) -> tuple[int, tuple[str, ...]]:
    """Count the grades left out by budgets, and describe the budgets."""
    record, pools = snapshot.grader(grader), snapshot.full.collection.pools
    number, words = 0, dict[str, None]()
    for matrix in graded:
        if not (budgets := snapshot.gradebook.budgets(record, matrix.query_id)):
            continue
        if skipped := snapshot.gradebook.count_left_out(
            record, matrix, pools[matrix.query_id]
        ):
            number += skipped
            words |= dict.fromkeys(budget.description for budget in budgets)
    return number, tuple(words)
