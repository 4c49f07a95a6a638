"""Leaderboards: scores of systems, and correlations and agreement with references.

``leaderboard`` and ``scores``; ``correlate`` a board with the official one or with
judged measures, ``sweep`` the same at every minimum rating; ``agreement`` of derived
labels with the official judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from curator.collection.pools import UNJUDGED
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.agreement import Agreement, AgreementTables, JudgedLabels
from curator.evaluation.comparison import ScoreMatrix, require_system, tau_interval
from curator.evaluation.correlation import (
    Correlation,
    Interval,
    ReferenceKind,
    Ties,
    correlate_random_ties,
    named_coefficient,
    seeded,
)
from curator.evaluation.correlation import correlate as correlate_boards
from curator.evaluation.grades import graded_labels
from curator.evaluation.leaderboard import Leaderboard, is_judged
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_ANSWERED,
    JUDGMENTS,
    OFFICIAL,
    Settings,
)
from curator.formats.text.notices import counted_as_not_answered
from curator.results import Cells, Result, Rows
from curator.snapshot import scoring
from curator.snapshot.settings import (
    BoardChoice,
    MeasureOrName,
    OptionValue,
    board_settings,
    fitting_rating,
    highest_rating,
    measure_list,
    reference_name,
    reference_settings,
)
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot
from curator.verbs.compare import matrix_of


def leaderboard(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    query_id: str | None = None,
    subtopic_id: str | None = None,
    by: str | None = None,
    **options: OptionValue,
) -> Leaderboard:
    """Return the board under these settings, or under ``settings(**options)``.

    Restricted to one query or to one subtopic's questions if given. ``by`` is
    "query", or "subtopic" for the mean over the pairs of query and subtopic; by
    default queries, and the topics of the qrels for a measure of the judgments.
    """
    chosen = board_settings(snapshot, options, settings, by)
    return scoring.board(snapshot, chosen, query_id=query_id, subtopic_id=subtopic_id)


@dataclass(frozen=True)
class ScoreTable(Result[Cells], table="leaderboard.score_table"):
    """Scores by (system, query or ``query/subtopic``), with the measure's name.

    ``missing`` counts the missing grades; with these grades each score would lie within
    its ``bounds``, which are None where the measure has none.
    """

    settings: Settings
    scores: Mapping[tuple[str, str], float]
    systems: tuple[str, ...]
    missing: int = 0
    bounds: Mapping[tuple[str, str], tuple[float | None, float | None]] = field(
        default_factory=dict
    )

    def by_topic(self) -> Iterator[tuple[str, str, float]]:
        """Return (system, topic, score), topics by name, and last the mean as "all".

        Raises EvaluationError where a topic is called so.
        """
        by_system: dict[str, dict[str, float]] = {}
        for (system, topic), score in self.scores.items():
            by_system.setdefault(system, {})[topic] = score
        for system, scores in by_system.items():
            if "all" in scores:
                raise EvaluationError(
                    "The query 'all' has the name of the mean in formats of evaluation "
                    "tools: export .tsv or .csv."
                )
            yield from ((system, topic, scores[topic]) for topic in sorted(scores))
            yield system, "all", sum(scores.values()) / len(scores)

    def lines(self, form: str) -> Iterator[str]:
        """Return a line for each score in a form of evaluation tools.

        Raises EvaluationError for trec_eval's form of several systems, or of none.
        """
        # Few commands need the parsers of this module.
        from curator.formats.trec.scored_boards import score_lines

        if form == "trec_eval" and len(self.systems) > 1:
            raise EvaluationError(
                f"trec_eval's format holds one system, not {len(self.systems)}: name "
                f"one, such as --system {self.systems[0]}."
            )
        if form == "trec_eval" and not self.scores:
            raise EvaluationError(
                "There are no scores to print: they need runs and kept questions. "
                "`curator status WORKSPACE` says what is missing."
            )
        return score_lines(form, self.settings.measure, self.by_topic())


def scores(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    by: str | None = None,
    system: str | None = None,
    **options: OptionValue,
) -> ScoreTable:
    """Return one score per system and query (or subtopic), of all systems or of one.

    ``--format trec_eval`` prints as its -q, with ``--system``; tot and ir_measures
    print one score per line, for evaluation tools. Raises UnknownNameError,
    EvaluationError.

    Args:
        system (NAME): Only this system.
    """
    settings = board_settings(snapshot, options, settings, by)
    scored = scoring.scored_queries(snapshot, settings, snapshot.bank)
    if not scored.rows or not snapshot.collection.systems:
        raise EvaluationError(scoring.notes(snapshot, settings, scored, None)[0])
    systems = snapshot.collection.systems
    if system is not None:
        require_system(system, systems)
    cells: dict[tuple[str, str], float] = {}
    bounds: dict[tuple[str, str], tuple[float | None, float | None]] = {}
    for index, name in enumerate(systems):
        for topic, row in scored.rows.items() if system in (None, name) else ():
            cells[name, topic] = float(row.score[index])
            lower = None if row.lower is None else float(row.lower[index])
            upper = None if row.upper is None else float(row.upper[index])
            bounds[name, topic] = lower, upper
    missing = scored.grades.needed - scored.grades.known
    listed = systems if system is None else (system,)
    return ScoreTable(settings, cells, listed, missing, bounds)


NO_JUDGMENTS = (
    "No pooled passage is judged: `curator import WORKSPACE --judgments QRELS`."
)
MAX_RESAMPLES = 10_000


@dataclass(frozen=True)
class BoardCorrelation:
    """Correlation of a board and a reference; ``ruled`` if a label rule changes it."""

    settings: Settings
    against: str
    correlation: Correlation
    uses_label_rule: bool = True


def uses_label_rule(snapshot: Snapshot, settings: Settings) -> bool:
    """Return whether a label rule can change the board."""
    if settings.grader in ("", JUDGMENTS, OFFICIAL):
        return False
    direct = snapshot.grader(settings.grader).spec.reading.kind == "direct"
    return not direct and snapshot.measure(settings).based_on == "labels"


def correlate(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    against: str = OFFICIAL,
    ties: Ties = "average",
    repeats: int = 10,
    bootstrap: int = 0,
    seed: int = 0,
    also: Sequence[str] = (),
    by: str | None = None,
    **options: OptionValue,
) -> Correlation:
    """Correlate the board with a reference: Spearman, Kendall and tau AP.

    ``against`` is ``official``, ``judgments:<measure>``, the measure computed from the
    official judgments, or ``grader:<name>[:<measure>]``, another grader's board. ``by``
    applies to both, as for ``leaderboard``. ``ties`` is ``average``, or ``random`` for
    the procedure of Sander & Dietz 2021, section 4.1.1, ``repeats`` times from
    ``seed``. With ``bootstrap`` resamples of the queries, from ``seed``, Kendall's tau
    has a 95 % interval: official ranks stay, any other reference is resampled as well.
    ``also`` names further coefficients: ``tau_gap``, ``tauap_b``, ``kendall@K``.
    Raises EvaluationError if the reference or a coefficient does not exist.
    """
    boards: Any = () if settings is None else (settings,)
    (line,) = correlations(
        snapshot,
        boards,
        against=against,
        ties=ties,
        repeats=repeats,
        bootstrap=bootstrap,
        seed=seed,
        also=also,
        by=by,
        **options,
    )
    return line.correlation


def correlated(
    snapshot: Snapshot,
    settings: Settings,
    reference: Settings,
    *,
    ties: Ties = "average",
    repeats: int = 10,
    bootstrap: int = 0,
    seed: int = 0,
    also: Sequence[str] = (),
) -> Correlation:
    """Correlate two boards with resolved settings."""
    if ties not in ("average", "random"):
        raise EvaluationError(f"ties is '{ties}'; expected average or random.")
    if not 0 <= bootstrap <= MAX_RESAMPLES:
        raise EvaluationError(
            f"bootstrap is {bootstrap}; expected 0 to {MAX_RESAMPLES:,} resamples."
        )
    if bootstrap and ties == "random":
        raise EvaluationError(
            "Ties broken at random have a standard deviation and no interval: leave "
            "out --bootstrap, or --ties random."
        )
    if also and ties == "random":
        raise EvaluationError(
            "Ties broken at random have only Spearman's and Kendall's coefficients: "
            "leave out --also, or --ties random."
        )
    seeded(seed)  # raises an error for an invalid seed
    for name in also:
        named_coefficient(name)  # raises an error for an unknown coefficient
    board_scores, errors, note = _board(snapshot, settings)
    kind: ReferenceKind = "ranks" if reference.grader == OFFICIAL else "scores"
    official = snapshot.collection.official_board(reference.measure)
    reference_scores: Mapping[str, float] = official.ranks if official else {}
    reference_errors: Mapping[str, float | None] | None = None
    if reference.grader != OFFICIAL:
        reference_scores, reference_errors, missing = _board(snapshot, reference)
        judged = reference.grader == JUDGMENTS
        against = reference.measure if judged else reference.grader
        if missing and reference != settings:
            note += f" In {against} {missing}"
        if reference.by != settings.by:
            note += (
                f" {against} is by {reference.by}, {settings.measure} by {settings.by}."
            )
    elif official and reference_scores.keys() == official.scores.keys() != set():
        reference_scores, kind = official.scores, "scores"
    elif not reference_scores:
        raise EvaluationError(
            "No official board in this workspace: `curator import WORKSPACE "
            "--official FILE.json` imports one, or use --against judgments:nDCG@10."
        )
    if ties == "random":
        random_ties = correlate_random_ties(
            board_scores,
            errors,
            reference_scores,
            reference_is=kind,
            reference_standard_errors=reference_errors,
            repeats=repeats,
            seed=seed,
        )
        return replace(random_ties, note=f"{random_ties.note} {note}".strip())
    correlation = correlate_boards(
        board_scores, reference_scores, reference_is=kind, also=also
    )
    if bootstrap:
        correlation = replace(correlation, resamples=bootstrap, seed=seed)
        if correlation.kendall is not None:
            interval, reason = _interval(snapshot, settings, reference, correlation)
            correlation = replace(correlation, kendall_interval=interval)
            note = f"{note} {reason}"
    return replace(correlation, note=f"{correlation.note} {note}".strip())


def _interval(
    snapshot: Snapshot,
    settings: Settings,
    reference: Settings,
    correlation: Correlation,
) -> tuple[Interval | None, str]:
    """Interval of Kendall's tau over resampled queries, and a note on its limits."""
    matrix = matrix_of(snapshot, settings)
    if settings.grader == OFFICIAL:
        return None, "Official ranks have no scores by query, so there is no interval."
    left_out = set(correlation.without_reference)
    systems = [system for system in matrix.systems if system not in left_out]
    reference_scores: ScoreMatrix | dict[str, float]
    counts = [len(matrix.query_ids)]
    if reference.grader == OFFICIAL:
        official = snapshot.collection.official_board(reference.measure)
        ranks = official.ranks if official else {}
        reference_scores = {system: -rank for system, rank in ranks.items()}
        shared = counts[0]
    else:
        reference_scores = matrix_of(snapshot, reference)
        counts.append(len(reference_scores.query_ids))
        shared = len(set(matrix.query_ids) & set(reference_scores.query_ids))
    interval = tau_interval(
        matrix,
        reference_scores,
        systems,
        resamples=correlation.resamples,
        seed=correlation.seed,
    )
    topics, note = "queries" if settings.by == "query" else "topics", ""
    if interval is None:
        note = (
            f"There is no interval: it needs two {topics} with scores on both sides, "
            f"here {shared}, and an order of the systems in most resamples."
        )
    elif shared < max(counts):
        note = f"The interval uses the {shared} {topics} that both score."
    return interval, note


def correlations(
    snapshot: Snapshot,
    /,
    measures: MeasureOrName | Sequence[MeasureOrName] = (),
    *,
    against: str | Sequence[str] = (OFFICIAL,),
    ties: Ties = "average",
    repeats: int = 10,
    bootstrap: int = 0,
    seed: int = 0,
    also: Sequence[str] = (),
    by: str | None = None,
    **options: OptionValue,
) -> Rows[BoardCorrelation]:
    """Correlate every measure's board with every reference.

    As in Sander & Dietz 2021, Table 1. ``judgments:nDCG@10`` is the board made from the
    official judgments; it may be a measure or a reference. A board without
    standard errors has no random ties.

    Args:
        against (--against NAME): official[:NAME], judgments:MEASURE or
            grader:NAME[:MEASURE]; repeat for several.
        ties: Equal systems share a rank, or are shuffled within a standard error.
        repeats (N): Number of shuffles of random ties.
        also (NAME): Further coefficient: tau_gap, tauap_b or kendall@K; repeat for
            several.
    """
    against = (against,) if isinstance(against, str) else against
    procedure: dict[str, Any] = {"ties": ties, "repeats": repeats, "also": also}
    procedure |= {"bootstrap": bootstrap, "seed": seed}
    boards = [
        board_settings(snapshot, options, measure, by)
        for measure in measure_list(measures) or (None,)
    ]
    rows = []
    for board, name in product(boards, against):
        reference = reference_settings(snapshot, board, name, options, by)
        correlation = correlated(snapshot, board, reference, **procedure)
        named, ruled = reference_name(snapshot, name), uses_label_rule(snapshot, board)
        rows.append(BoardCorrelation(board, named, correlation, ruled))
    return Rows(rows, "validity.correlation_table")


def _board(
    snapshot: Snapshot, settings: Settings
) -> tuple[dict[str, float], dict[str, float | None], str]:
    """Scores and standard errors by system, and a note on missing grades."""
    board = scoring.board(snapshot, settings)
    if not board.standings:
        raise EvaluationError("There is no board to correlate: " + board.notes[0])
    missing = board.needed - board.known
    note = f"{counted_as_not_answered(missing)}."
    errors = {row.system: row.stderr for row in board.standings}
    return board.scores(), errors, note if missing else ""


def sweep(
    snapshot: Snapshot,
    measures: MeasureOrName | Sequence[MeasureOrName] = (),
    *,
    grader: str | None = None,
    k: int = DEFAULT_K,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    against: str = OFFICIAL,
    by: str | None = None,
) -> Rows[BoardCorrelation]:
    """Return each measure's correlations at every minimum rating of its grader.

    Uses the first board where no measure is named. If the reference is another grader,
    its minimum rating stays at the default. Raises EvaluationError for a grader with
    one rating above 0, and if the reference does not exist.

    Source of the thresholds: Farzi & Dietz 2024, sections 3.3.1 and 3.3.2.
    """
    rule = {"min_answered": min_answered, "label": label}
    options = {"grader": grader, "k": k, **rule}
    name = reference_name(snapshot, against)
    rows: list[BoardCorrelation] = []
    for measure in measure_list(measures) or (None,):
        board = board_settings(snapshot, options, measure, by)
        reference = reference_settings(snapshot, board, against, {}, by)
        rows += _sweep(snapshot, board, name, reference)
    return Rows(rows, "validity.sweep_table")


def _sweep(
    snapshot: Snapshot, settings: Settings, against: str, reference: Settings
) -> tuple[BoardCorrelation, ...]:
    if not settings.grader:
        raise EvaluationError(
            f"{settings.measure} uses no grades, so there is no minimum rating to "
            "sweep."
        )
    ratings = range(1, highest_rating(snapshot, settings.grader) + 1)
    if len(ratings) < 2:
        raise EvaluationError(
            f"'{settings.grader}' has only one rating above 0, so there is no minimum "
            "rating to sweep: name a grader with several by --grader NAME."
        )

    def compute() -> tuple[BoardCorrelation, ...]:
        at_ratings = [replace(settings, min_rating=rating) for rating in ratings]
        first, *others = (scoring.board(snapshot, at).scores() for at in at_ratings)
        flat = ""
        if all(scores == first for scores in others):
            flat = f"{settings.measure} has the same scores at every minimum rating."
        ruled, rows = uses_label_rule(snapshot, settings), []
        for at in at_ratings:
            correlation = correlated(snapshot, at, reference)
            note = f"{correlation.note} {flat}".strip()
            correlation = replace(correlation, note=note)
            rows.append(BoardCorrelation(at, against, correlation, ruled))
        return tuple(rows)

    key = ("sweep", replace(settings, min_rating=0), against, reference)
    return snapshot.cached(key, compute)


@dataclass(frozen=True)
class BaselineAgreement:
    """A direct relevance grader's agreement: a "comparison kappa".

    A passage is relevant from the grade ``min_rating``.
    """

    grader: str
    min_rating: int
    agreement: Agreement


@dataclass(frozen=True)
class JudgmentAgreement(Result[Cells], table="agreement.judgment_tables"):
    """Labels of a grader against official judgments of passages.

    ``agreement`` is under the threshold of ``settings``, ``tables`` under each reading,
    ``baselines`` are the agreements of the workspace's direct graders. ``note`` says
    which grades are missing; it is empty otherwise.
    """

    settings: Settings
    min_relevance: int
    agreement: Agreement
    tables: AgreementTables
    baselines: tuple[BaselineAgreement, ...]
    note: str = ""
    query_id: str | None = None
    subtopic_id: str | None = None


def agreement(
    snapshot: Snapshot,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    min_relevance: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    by: str | None = None,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> JudgmentAgreement:
    """Compare labels with the official judgments: a 2x2 table and Cohen's kappa.

    Also graded, lenient and strict tables, and other graders that give a passage one
    relevance grade. By query, a passage has one label and one judgment, the highest of
    its subtopics' judgments if it has no other; ``by`` "subtopic", one of each for
    every judged subtopic, with the label from that subtopic's questions, and no other
    graders. ``min_answered`` is the number of answered items that makes a passage
    relevant, ``min_relevance`` overrides the collection's. Unjudged passages are left
    out, and so are those without a label, which are counted. ``query_id`` and
    ``subtopic_id`` as for ``leaderboard``. Raises EvaluationError if the collection has
    no minimum relevance and none is given, or if nothing is judged.

    Source of the tables: Farzi & Dietz 2024, Tables 4-7.
    """
    labels_by = {"min_answered": min_answered, "label": label}
    options = {"grader": grader, "min_rating": min_rating, **labels_by}
    chosen = board_settings(snapshot, options, DEFAULT_MEASURE, by)
    grader = chosen.grader
    relevant_from = _relevant_from(snapshot, min_relevance)
    labels, missing = judged_labels(snapshot, chosen, query_id, subtopic_id)
    reading = snapshot.grader(grader).spec.reading.kind
    baseline_settings = [
        chosen_settings(
            snapshot,
            record.name,
            DEFAULT_MEASURE,
            fitting_rating(snapshot, record.name, min_rating),
        )
        for record in snapshot.gradebook.records
        if record.spec.reading.item_kind == "query" and record.name != grader
        if not record.derived and chosen.by == "query" and subtopic_id is None
    ]
    baselines = []
    for baseline in baseline_settings:
        judged = judged_labels(snapshot, baseline, query_id)
        result = _agreement(snapshot, baseline, relevant_from, *judged)
        baselines.append(
            BaselineAgreement(baseline.grader, baseline.min_rating, result)
        )
    return JudgmentAgreement(
        chosen,
        relevant_from,
        _agreement(snapshot, chosen, relevant_from, labels, missing),
        labels.tables(reading, relevant_from, chosen),
        tuple(baselines),
        missing,
        query_id,
        subtopic_id,
    )


def _relevant_from(snapshot: Snapshot, min_relevance: int | None) -> int:
    if min_relevance is None:
        min_relevance = snapshot.collection.min_relevance
    if min_relevance is not None:
        return min_relevance
    if not any(map(is_judged, snapshot.collection.pools.values())):
        raise EvaluationError(NO_JUDGMENTS)
    raise EvaluationError(
        "No minimum relevance is set: give --min-relevance N, or save it with "
        "`curator import WORKSPACE --min-relevance N`."
    )


def judged_labels(
    snapshot: Snapshot,
    settings: Settings,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> tuple[JudgedLabels, str]:
    """Return labels and judgments of the judged passages, and a note on missing grades.

    Raises EvaluationError if there are no labels or no judgments at all, and
    UnknownNameError for an unknown query or subtopic.
    """
    grader, by = settings.grader, settings.by
    if subtopic_id is None and by == "query":
        query_ids = snapshot.query_ids(query_id)
        queries = [*snapshot.matrices(grader, snapshot.bank, query_ids).values()]
    else:
        judged = snapshot.collection.pools
        matrices = snapshot.matrices_of_subtopics(grader, snapshot.bank, query_id)
        queries = [
            matrix
            for (query, subtopic), matrix in matrices.items()
            if subtopic_id == subtopic
            or (subtopic_id is None and subtopic in judged[query].subtopics)
        ]
    if not queries and subtopic_id is not None:
        raise UnknownNameError(
            f"No active question is in subtopic '{subtopic_id}'. "
            "`curator questions WORKSPACE` lists the subtopics."
        )
    if not queries:
        place = "any query" if query_id is None else f"query '{query_id}'"
        place = "a judged subtopic" if by == "subtopic" else place
        raise EvaluationError(f"No question is active in {place}: there are no labels.")
    judgment = np.concatenate([query.pool.judgments for query in queries])
    if not (judgment != UNJUDGED).any():
        part = query_id or subtopic_id
        raise EvaluationError(
            f"No passage of '{part}' is judged." if part else NO_JUDGMENTS
        )
    label = np.concatenate([graded_labels(query, settings.rule) for query in queries])
    missing = sum(query.needed - query.known for query in queries)
    notes = []
    if by == "subtopic" and not subtopic_id:
        notes.append(
            "By subtopic: a passage counts once for every subtopic that it is judged "
            "for, labelled by that subtopic's questions."
        )
    if missing:
        notes.append(f"{missing:,} grades are missing; labels use only the others.")
    return JudgedLabels.from_arrays(label, judgment), " ".join(notes)


def _agreement(
    snapshot: Snapshot,
    settings: Settings,
    min_relevance: int,
    labels: JudgedLabels,
    missing: str,
) -> Agreement:
    result = labels.agreement(snapshot.relevant_from(settings), min_relevance)
    graded = None
    if snapshot.grader(settings.grader).spec.reading.kind == "direct":
        highest = int(labels.labels.max(initial=1))
        levels = labels.graded(highest, one_scale=True)
        graded = levels if levels.levels else None
    return replace(result, note=f"{result.note} {missing}".strip(), graded=graded)
