"""Every system's score, over queries and in each, and how alike boards are.

``leaderboard`` and ``scores``; ``correlate`` a board with the official one or with
judged measures, ``sweep`` the same at every minimum rating; ``agreement`` of derived
labels with the official judgments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from curator.collection.pools import UNJUDGED
from curator.engine import scoring
from curator.engine.settings import (
    Chosen,
    Named,
    Options,
    board_settings,
    fitting_rating,
    highest_rating,
    reference_name,
    reference_settings,
    several,
)
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import EvaluationError, UnknownNameError
from curator.evaluation.agreement import Agreement, AgreementTables, JudgedLabels
from curator.evaluation.comparison import ScoreMatrix, require_system, tau_interval
from curator.evaluation.correlation import (
    Correlation,
    Interval,
    MissingStandardErrorError,
    RandomTies,
    ReferenceKind,
    correlate_random_ties,
    named_coefficient,
    seeded,
)
from curator.evaluation.correlation import correlate as correlate_boards
from curator.evaluation.grades import graded_labels
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_ANSWERED,
    JUDGMENTS,
    OFFICIAL,
    Label,
    Settings,
)
from curator.results import Cells, Result, Rows
from curator.verbs.compare.comparison import matrix_of


def leaderboard(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    query_id: str | None = None,
    subtopic_id: str | None = None,
    by: str | None = None,
    **options: Options,
) -> Leaderboard:
    """The board under these settings, or under ``settings(**options)``.

    Over one query only, or over one subtopic's questions, where asked. ``by`` is
    "query", or "subtopic" for the mean over the pairs of query and subtopic; by
    default queries, and the topics of the qrels for a measure of the judgments.
    """
    chosen = board_settings(state, options, settings, by)
    return scoring.board(state, chosen, query_id=query_id, subtopic_id=subtopic_id)


@dataclass(frozen=True)
class ScoreTable(Result[Cells], table="leaderboard.score_table"):
    """Scores by (system, query or ``query/subtopic``), with the measure's name.

    ``missing`` counts the grades that they lack; each then lies within its ``bounds``,
    which are None where the measure has none.
    """

    settings: Settings
    scores: Mapping[tuple[str, str], float]
    systems: tuple[str, ...]
    missing: int = 0
    bounds: Mapping[tuple[str, str], tuple[float | None, float | None]] = field(
        default_factory=dict
    )

    def of_system(self, system: str) -> ScoreTable:
        """The scores of one system. Raises UnknownNameError."""
        require_system(system, self.systems)
        own = {at: score for at, score in self.scores.items() if at[0] == system}
        return replace(self, scores=own, systems=(system,))


def scores(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    by: str | None = None,
    **options: Options,
) -> ScoreTable:
    """One score per system and query (or subtopic), as trec_eval -q prints.

    ``by`` as ``leaderboard`` has it.
    """
    settings = board_settings(state, options, settings, by)
    scored = scoring.scored_queries(state, settings, state.bank)
    if not scored.rows or not state.collection.systems:
        raise EvaluationError(scoring.notes(state, settings, scored, None)[0])
    at = {
        (system, topic): (i, row)
        for i, system in enumerate(state.collection.systems)
        for topic, row in scored.rows.items()
    }
    return ScoreTable(
        settings,
        {place: float(row.score[i]) for place, (i, row) in at.items()},
        state.collection.systems,
        missing=scored.grades.needed - scored.grades.known,
        bounds={
            place: (
                None if row.lower is None else float(row.lower[i]),
                None if row.upper is None else float(row.upper[i]),
            )
            for place, (i, row) in at.items()
        },
    )


NO_JUDGMENTS = (
    "No pooled passage is judged: `curator import WORKSPACE --judgments QRELS`."
)
MOST_RESAMPLES = 10_000

Side = tuple[dict[str, float], dict[str, float | None]]
"""A board as a correlation takes it: scores and standard errors by system."""


@dataclass(frozen=True)
class Correlated:
    """Correlation of a board and a reference; ``ruled`` if a label rule changes it."""

    settings: Settings
    against: str
    found: Correlation | RandomTies
    ruled: bool = True


def is_ruled(state: State, settings: Settings) -> bool:
    """Return whether a label rule can change the board."""
    if settings.grader in ("", JUDGMENTS, OFFICIAL):
        return False
    direct = state.grader(settings.grader).spec.reading.kind == "direct"
    return not direct and state.measure(settings).rests_on == "labels"


@dataclass(frozen=True)
class Sweep:
    """One measure's correlation with the reference at each minimum rating.

    ``settings`` are those asked for, of whatever ``min_rating``; ``points`` maps each
    rating to what ``correlate`` says there. ``note`` says what the coefficients do not
    rest on, or that they cannot differ; it is empty otherwise.
    """

    settings: Settings
    against: str
    points: dict[int, Correlation]
    note: str = ""


def correlate(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    against: str = OFFICIAL,
    ties: str = "average",
    repeats: int = 10,
    bootstrap: int = 0,
    seed: int = 0,
    also: Sequence[str] = (),
    by: str | None = None,
    **options: Options,
) -> Correlation | RandomTies:
    """How alike the board is to a reference: Spearman, Kendall and tau AP.

    ``against`` is ``official``, ``judgments:<measure>``, the measure computed from the
    official judgments, or ``grader:<name>[:<measure>]``, another grader's board. ``by``
    is of both, as ``leaderboard`` has it. ``ties`` is ``average``, or ``random`` for
    the procedure of Sander & Dietz 2021, section 4.1.1, ``repeats`` times from
    ``seed``. With ``bootstrap`` resamples of the queries, from ``seed``, Kendall's tau
    has a 95 % interval: official ranks stay, any other reference is resampled alike.
    ``also`` names further coefficients: ``tau_gap``, ``tauap_b``, ``kendall@K``.
    Raises EvaluationError where there is no such reference or coefficient.
    """
    settings = board_settings(state, options, settings, by)
    reference = reference_settings(state, settings, against, options, by)
    return correlated(
        *(state, settings, reference),
        ties=ties,
        repeats=repeats,
        bootstrap=bootstrap,
        seed=seed,
        also=also,
    )


def correlated(
    state: State,
    settings: Settings,
    reference: Settings,
    *,
    ties: str = "average",
    repeats: int = 10,
    bootstrap: int = 0,
    seed: int = 0,
    also: Sequence[str] = (),
) -> Correlation | RandomTies:
    """The same of two boards whose settings are known."""
    if ties not in ("average", "random"):
        raise EvaluationError(f"Ties are average or random, not '{ties}'.")
    if not 0 <= bootstrap <= MOST_RESAMPLES:
        raise EvaluationError(
            f"bootstrap is {bootstrap}; expected 0 to {MOST_RESAMPLES:,} resamples."
        )
    if bootstrap and ties == "random":
        raise EvaluationError(
            "Ties broken at random have a spread, not an interval: leave out "
            "--bootstrap, or --ties random."
        )
    if also and ties == "random":
        raise EvaluationError(
            "Ties broken at random have Spearman's and Kendall's coefficients alone: "
            "leave out --also, or --ties random."
        )
    seeded(seed)  # refuses what is none
    for name in also:
        named_coefficient(name)  # likewise
    ours, errors, note = _board(state, settings)
    kind: ReferenceKind = "ranks" if reference.grader == OFFICIAL else "scores"
    official = state.collection.official_board(reference.measure)
    theirs: Mapping[str, float] = official.ranks if official else {}
    their_errors: Mapping[str, float | None] | None = None
    if reference.grader != OFFICIAL:
        theirs, their_errors, missing = _board(state, reference)
        judged = reference.grader == JUDGMENTS
        against = reference.measure if judged else reference.grader
        if missing and reference != settings:
            note += f" In {against} {missing}"
        if reference.by != settings.by:
            note += (
                f" {against} is by {reference.by}, {settings.measure} by {settings.by}."
            )
    elif official and theirs.keys() == official.scores.keys() != set():
        theirs, kind = official.scores, "scores"
    elif not theirs:
        raise EvaluationError(
            "No official board in this workspace: `curator import WORKSPACE "
            "--official FILE.json` brings one, or use --against judgments:nDCG@10."
        )
    if ties == "random":
        at_random = correlate_random_ties(
            ours,
            errors,
            theirs,
            reference_is=kind,
            reference_standard_errors=their_errors,
            repeats=repeats,
            seed=seed,
        )
        return replace(at_random, note=f"{at_random.note} {note}".strip())
    found = correlate_boards(ours, theirs, reference_is=kind, also=also)
    if bootstrap:
        found = replace(found, resamples=bootstrap, seed=seed)
        if found.kendall is not None:
            lies, why = _interval(state, settings, reference, found)
            found, note = replace(found, kendall_interval=lies), f"{note} {why}"
    return replace(found, note=f"{found.note} {note}".strip())


def _interval(
    state: State, settings: Settings, reference: Settings, found: Correlation
) -> tuple[Interval | None, str]:
    """Where Kendall's tau lies over resampled queries; a sentence on what it is not."""
    ours = matrix_of(state, settings)
    if settings.grader == OFFICIAL:
        return None, "Official ranks have no scores by query, so there is no interval."
    systems = [one for one in ours.systems if one not in set(found.without_reference)]
    theirs: ScoreMatrix | dict[str, float]
    counts = [len(ours.query_ids)]
    if reference.grader == OFFICIAL:
        official = state.collection.official_board(reference.measure)
        ranks = official.ranks if official else {}
        theirs = {system: -rank for system, rank in ranks.items()}
        shared = counts[0]
    else:
        theirs = matrix_of(state, reference)
        counts.append(len(theirs.query_ids))
        shared = len(set(ours.query_ids) & set(theirs.query_ids))
    lies = tau_interval(
        *(ours, theirs, systems), resamples=found.resamples, seed=found.seed
    )
    topics = "queries" if settings.by == "query" else "topics"
    if lies is None:
        return None, (
            f"There is no interval: it takes two {topics} that both sides score, here "
            f"{shared}, and an order of the systems in most resamples."
        )
    if shared < max(counts):
        return lies, f"The interval is over the {shared} {topics} that both score."
    return lies, ""


def correlations(
    state: State,
    /,
    measures: Named | Sequence[Named],
    *,
    against: str | Sequence[str] = (OFFICIAL,),
    ties: str = "average",
    repeats: int = 10,
    bootstrap: int = 0,
    seed: int = 0,
    also: Sequence[str] = (),
    by: str | None = None,
    **options: Options,
) -> Rows[Correlated]:
    """Every measure's board against every reference, as Sander & Dietz 2021, Table 1.

    ``judgments:<measure>`` is a board of the official judgments, on either side. A
    pair of which one board has no standard errors has no random ties; the others do.
    """
    against = (against,) if isinstance(against, str) else against
    asked = [
        board_settings(state, options, measure, by)
        for measure in several(measures) or (None,)
    ]

    def one_of_several(
        settings: Settings, reference: Settings
    ) -> Correlation | RandomTies:
        try:
            return correlated(
                *(state, settings, reference),
                ties=ties,
                repeats=repeats,
                bootstrap=bootstrap,
                seed=seed,
                also=also,
            )
        except MissingStandardErrorError as error:
            if len(asked) * len(against) == 1:
                raise
            return RandomTies(0, None, None, None, None, repeats, seed, note=str(error))

    pairs = (
        (settings, one, reference_settings(state, settings, one, options, by))
        for settings in asked
        for one in against
    )
    found = (
        Correlated(
            *(one, reference_name(state, name), one_of_several(one, other)),
            is_ruled(state, one),
        )
        for one, name, other in pairs
    )
    return Rows(found, "leaderboard.correlation_table")


def _board(state: State, settings: Settings) -> tuple[*Side, str]:
    """The board to correlate; a sentence on what it does not rest on."""
    made = scoring.board(state, settings)
    if not made.standings:
        raise EvaluationError("There is no board to correlate: " + made.notes[0])
    missing = made.needed - made.known
    note = f"{missing:,} grades are missing; scores rest on the others."
    errors = {one.system: one.stderr for one in made.standings}
    return made.scores(), errors, note if missing else ""


def sweep(
    state: State,
    measures: Named | Sequence[Named] = (),
    *,
    grader: str | None = None,
    k: int = DEFAULT_K,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    against: str = OFFICIAL,
    by: str | None = None,
) -> Rows[Sweep]:
    """Correlations of each measure at every minimum rating, as ``correlate`` has them.

    The first board's where no measure is named. Another grader as the reference stays
    at the usual minimum rating. Raises EvaluationError for a grader with one rating
    above 0, and where there is no such reference.

    Source of the thresholds: Farzi & Dietz 2024, sections 3.3.1 and 3.3.2.
    """
    options = {
        "grader": grader,
        "k": k,
        "min_answered": min_answered,
        "label": label,
    }
    under = [
        board_settings(state, options, measure, by)
        for measure in several(measures) or (None,)
    ]
    name = reference_name(state, against)
    found = (
        _sweep(state, one, name, reference_settings(state, one, against, {}, by))
        for one in under
    )
    return Rows(found, "leaderboard.sweep_table")


def _sweep(
    state: State, settings: Settings, against: str, reference: Settings
) -> Sweep:
    if not settings.grader:
        raise EvaluationError(
            f"{settings.measure} rests on no grades, so there is no minimum rating to "
            "sweep."
        )
    ratings = range(1, highest_rating(state, settings.grader) + 1)
    if len(ratings) < 2:
        raise EvaluationError(
            f"'{settings.grader}' gives one rating above 0, so there is no minimum "
            "rating to sweep: name a grader that rates with --grader NAME."
        )

    def swept() -> Sweep:
        at = [replace(settings, min_rating=rating) for rating in ratings]
        found = [correlated(state, one, reference) for one in at]
        scores = [scoring.board(state, one).scores() for one in at]
        notes = list(dict.fromkeys(one.note for one in found if one.note))
        if all(one == scores[0] for one in scores):
            notes.append(
                f"{settings.measure} has the same scores at every minimum rating."
            )
        points = dict(zip(ratings, cast("list[Correlation]", found), strict=True))
        return Sweep(settings, against, points, " ".join(notes))

    key = ("sweep", replace(settings, min_rating=0), against, reference)
    return state.cached(key, swept)


@dataclass(frozen=True)
class BaselineAgreement:
    """A direct relevance grader's agreement: a "comparison kappa".

    A passage is relevant from the grade ``min_rating``.
    """

    grader: str
    min_rating: int
    agreement: Agreement


@dataclass(frozen=True)
class GraderTables(Result[Cells], table="agreement.agreement_tables"):
    """One grader's agreement tables, and the direct graders of the workspace beside it.

    ``note`` says what the tables do not rest on; it is empty otherwise.
    ``min_answered`` is how many items a relevant passage answers.
    """

    grader: str
    tables: AgreementTables
    baselines: tuple[BaselineAgreement, ...]
    note: str = ""
    min_answered: int = DEFAULT_MIN_ANSWERED
    label: Label = "max"


def agreement(
    state: State,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    min_relevance: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    by: str | None = None,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> Agreement:
    """Labels against the official judgments: a 2x2 table and Cohen's kappa.

    By query, a passage has one label and one judgment in it, the highest of those for
    its subtopics where there is no other; ``by`` "subtopic", one of each for every
    subtopic that is judged, the label from that subtopic's questions.
    ``min_answered`` is how many items a relevant passage answers, ``min_relevance``
    stands in for the collection's. Unjudged passages are left out, and so are those
    without a label, which are counted. ``query_id`` and ``subtopic_id`` as
    ``leaderboard`` has them. Raises EvaluationError where nobody has said
    from which judgment a passage is relevant, or nothing is judged.
    """
    chosen = chosen_settings(
        state,
        grader,
        DEFAULT_MEASURE,
        min_rating=min_rating,
        min_answered=min_answered,
        label=label,
    )
    chosen = board_settings(state, {}, chosen, by)
    relevant_from = _relevant_from(state, min_relevance)
    return _agreement(state, chosen, relevant_from, query_id, subtopic_id)


def agreement_tables(
    state: State,
    *,
    grader: str | None = None,
    min_rating: int | None = None,
    min_relevance: int | None = None,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    by: str | None = None,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> GraderTables:
    """Labels against judgments in graded, lenient and strict tables, with kappa.

    A baseline is every other grader that gives a passage one relevance grade; by
    subtopic there are none, since they grade the query. The other options and what is
    raised as ``agreement`` has them.

    Source: Farzi & Dietz 2024, Tables 4-7.
    """
    chosen = chosen_settings(
        state,
        grader,
        DEFAULT_MEASURE,
        min_rating=min_rating,
        min_answered=min_answered,
        label=label,
    )
    chosen = board_settings(state, {}, chosen, by)
    grader = chosen.grader
    from_judgment = _relevant_from(state, min_relevance)
    labels, missing = judged_labels(state, chosen, query_id, subtopic_id)
    reading = state.grader(grader).spec.reading.kind
    made = labels.tables(reading, from_judgment, chosen)
    others = [
        chosen_settings(
            state,
            record.name,
            DEFAULT_MEASURE,
            min_rating=fitting_rating(state, record.name, min_rating),
        )
        for record in state.gradebook.records
        if record.spec.reading.item_kind == "query" and record.name != grader
        if not record.derived
        if chosen.by == "query" and subtopic_id is None
    ]
    baselines = tuple(
        BaselineAgreement(
            other.grader,
            other.min_rating,
            _agreement(state, other, from_judgment, query_id),
        )
        for other in others
    )
    return GraderTables(
        grader, made, baselines, missing, chosen.min_answered, chosen.label
    )


def _relevant_from(state: State, min_relevance: int | None) -> int:
    """The judgment from which a passage is relevant. Raises EvaluationError."""
    said = state.collection.min_relevance if min_relevance is None else min_relevance
    if said is None:
        pools = state.collection.pools.values()
        if not any((one.judgments != UNJUDGED).any() for one in pools):
            raise EvaluationError(NO_JUDGMENTS)
        raise EvaluationError(
            "Nobody has said from which judgment a passage is relevant: give "
            "--min-relevance N, or set it for good with `curator import WORKSPACE "
            "--min-relevance N`."
        )
    return said


def judged_labels(
    state: State,
    settings: Settings,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> tuple[JudgedLabels, str]:
    """Labels and judgments of the judged passages; a sentence on missing grades.

    Raises EvaluationError where there are no labels or no judgments at all,
    UnknownNameError for a query or a subtopic that is not here.
    """
    grader, by = settings.grader, settings.by
    queries = [*state.matrices(grader, state.bank, state.query_ids(query_id)).values()]
    if subtopic_id is not None:
        matrices = state.matrices_of_subtopics(grader, state.bank, query_id).items()
        queries = [matrix for (_, s), matrix in matrices if s == subtopic_id]
        if not queries:
            raise UnknownNameError(
                f"No active question is in subtopic '{subtopic_id}'. "
                "`curator questions WORKSPACE` lists the subtopics."
            )
    elif by == "subtopic":
        matrices = state.matrices_of_subtopics(grader, state.bank, query_id).items()
        judged = state.collection.pools
        queries = [one for (q, s), one in matrices if s in judged[q].subtopics]
    if not queries:
        none = "No query has an active question, so there are no labels."
        if query_id is not None:
            none = f"Query '{query_id}' has no active question, so it has no labels."
        if by == "subtopic":
            none = (
                "No judgment is of a subtopic with an active question, so there is "
                "nothing to compare labels with by subtopic."
            )
        raise EvaluationError(none)
    judgment = np.concatenate([one.pool.judgments for one in queries])
    if not (judgment != UNJUDGED).any():
        part = query_id or subtopic_id
        raise EvaluationError(
            f"Nothing is judged in '{part}'." if part else NO_JUDGMENTS
        )
    label = np.concatenate([graded_labels(one, settings.rule) for one in queries])
    missing = sum(one.needed - one.known for one in queries)
    notes = {
        "By subtopic: a passage counts once for every subtopic that it is judged for, "
        "labelled by that subtopic's questions.": by == "subtopic" and not subtopic_id,
        f"{missing:,} grades are missing; labels rest on the others.": missing,
    }
    said = " ".join(note for note, there in notes.items() if there)
    return JudgedLabels.of(label, judgment), said


def _agreement(
    state: State,
    settings: Settings,
    min_relevance: int,
    query_id: str | None = None,
    subtopic_id: str | None = None,
) -> Agreement:
    labels, missing = judged_labels(state, settings, query_id, subtopic_id)
    found = labels.agreement(state.relevant_from(settings), min_relevance)
    graded = None
    if state.grader(settings.grader).spec.reading.kind == "direct":
        highest = int(labels.label.max(initial=1))
        levels = labels.graded(highest, one_scale=True)
        graded = levels if levels.levels else None
    return replace(found, note=f"{found.note} {missing}".strip(), graded=graded)
