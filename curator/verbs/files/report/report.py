"""``report``: all contents of a published page, as one frozen value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from curator.collection.pools import UNJUDGED, Collection, Query
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.agreement import AgreementTables
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import (
    OFFICIAL,
    SAME_LABEL,
    Settings,
    default_min_rating,
)
from curator.snapshot import scoring
from curator.snapshot import settings as chosen_settings
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.languages import Languages, languages
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    report_settings,
    transferred_rating,
)
from curator.snapshot.snapshot import Snapshot
from curator.store import counts as store_activity
from curator.verbs.checks.quality import Quality, check_quality
from curator.verbs.compare import comparison
from curator.verbs.curate.question_rows import QuestionLine, question_lines
from curator.verbs.files.report.examples import ReportExample, examples
from curator.verbs.leaderboard.leaderboard import (
    BoardCorrelation,
    agreement,
    agreement_tables,
    correlate,
)
from curator.verbs.proposals.decisions import DecisionCounts, decisions
from curator.verbs.releases import release
from curator.verbs.setup.status import GraderState, graders
from curator.version import VERSION

NO_CHANGE = 1e-12  # changes of a score up to this count as none
REFERENCES = ("judgments:nDCG@10", "judgments:P@20")
"""The boards of judgments that a report compares with, besides the official one."""


@dataclass(frozen=True, slots=True)
class CollectionFigures:
    """Counts of the collection; ``passages`` are distinct, ``pairs`` are pooled.

    ``judged`` counts pairs with an official judgment, ``depth`` is the deepest rank of
    any system. ``blind``: names are masked, judgments and official ranks left out.
    """

    queries: int
    subtopics: int
    passages: int
    pairs: int
    systems: int
    depth: int
    judged: int
    min_relevance: int | None
    official: int
    blind: bool


@dataclass(frozen=True, slots=True)
class Health:
    """Coverage and effect of the active questions under the settings' grader.

    By question id: ``unanswered`` are answered by no passage, ``answered_by_all`` by
    every system within the ranks of the measure, and ``moving_nothing`` change no
    system's score in their query. ``sole`` counts questions that are the only one of
    their query, so nothing can be compared. None for values that need systems.
    """

    active: int
    unanswered: tuple[str, ...]
    answered_by_all: tuple[str, ...] | None
    moving_nothing: tuple[str, ...] | None
    sole: int


@dataclass(frozen=True, slots=True)
class Kappa:
    """A grader's binary labels against the judgments: Cohen's kappa over passages.

    ``note`` says why there is none.
    """

    grader: str
    min_rating: int
    kappa: float | None
    compared: int
    note: str = ""


@dataclass(frozen=True)
class Report:
    """All contents of the page, for one setting.

    ``settings`` is None where nothing is graded by a grader that reads the texts.
    ``bank`` has the kept questions by query. ``per_query`` counts queries by their
    number of questions of the grader's kind. ``boards`` begins with that of the
    settings, followed by the usual ones; ``no_board``, ``no_correlation``,
    ``no_agreement`` and ``no_example`` are reasons for empty parts. ``labels`` counts
    passages by label, ``unlabelled`` those without a grade; ``quality`` compares every
    grader with people's checks, None without any. ``as_of`` is the latest time in the
    history, ``sha256`` that of the kept bank with its grades, "" without grades.
    """

    title: str
    version: str
    as_of: str
    began: str
    edits: tuple[tuple[str, int], ...]
    imported: int
    settings: Settings | None
    collection: CollectionFigures
    languages: Languages
    states: Mapping[str, int]
    kinds: Mapping[str, int]
    done: int
    authors: DecisionCounts
    bank: tuple[tuple[Query, tuple[QuestionLine, ...]], ...]
    per_query: Mapping[int, int]
    health: Health | None
    graders: tuple[tuple[GraderRecord, GraderState], ...]
    labels: Mapping[int, int]
    unlabelled: int
    boards: tuple[Leaderboard, ...]
    no_board: str
    tiers: Mapping[str, int]
    tier_note: str
    official: Mapping[str, float]
    correlations: tuple[BoardCorrelation, ...]
    no_correlation: str
    agreement: AgreementTables | None
    agreement_note: str
    kappas: tuple[Kappa, ...]
    no_agreement: str
    quality: Quality | None
    examples: tuple[ReportExample, ...]
    no_example: str
    sha256: str
    releases: tuple[release.Drift, ...]

    @property
    def used_graders(self) -> dict[str, tuple[GraderRecord, GraderState]]:
        """The settings' grader and those it depends on, by name."""
        by_name = {state.name: (record, state) for record, state in self.graders}
        graders_used: dict[str, tuple[GraderRecord, GraderState]] = {}
        waiting = [self.settings.grader] if self.settings else []
        while waiting:
            name = waiting.pop(0)
            if name in by_name and name not in graders_used:
                graders_used[name] = by_name[name]
                waiting += [part.name for part in by_name[name][0].parts]
        return graders_used

    @property
    def grader(self) -> GraderState | None:
        """The settings' grader, None without one."""
        return next((state for _, state in self.used_graders.values()), None)


def report(
    snapshot: Snapshot, /, settings: BoardChoice | None = None, **options: OptionValue
) -> Report:
    """Collect all contents of the published page; ``export`` writes it.

    Also for a workspace without grades; empty parts have a reason. Depends only on what
    the viewer may see of the file: no clock, no model, no random numbers.
    """
    settings = report_settings(snapshot, options, settings)
    collection, bank = snapshot.collection, snapshot.bank
    # Counts include restricted queries.
    history = store_activity.read_activity(snapshot.full.connection)
    graded = settings if settings is not None and settings.grader else None
    lines = question_lines(snapshot, settings)
    kept = [line for line in lines if line.question.state == "kept"]
    frozen = release.freeze(snapshot, graded, scores=False) if graded else None
    values = frozen.labels().values() if frozen else ()
    labels = Counter(math.floor(label + SAME_LABEL) for label in values)
    labelled = sum(
        len(query.passage_ids)
        for query in (frozen.queries if frozen else ())
        if next(query.rated(), None)
    )
    boards, no_board, tiers, tier_note = _boards(snapshot, settings)
    correlations, no_correlation = _correlations(snapshot, boards)
    tables, agreement_note, kappas, no_agreement = _agreement(snapshot, graded)
    selected_examples, no_example = examples(snapshot, graded)
    return Report(
        title=collection.title,
        version=VERSION,
        as_of=history.latest,
        began=history.began,
        edits=history.edits,
        imported=history.imported,
        settings=settings,
        collection=_figures(collection),
        languages=languages(snapshot),
        states={
            name: sum(question.state == name for question in bank)
            for name in ("kept", "proposed", "retired")
        },
        kinds=dict(Counter(sorted(line.question.kind for line in kept))),
        done=len({query_id for query_id, _ in bank.done}),
        authors=decisions(snapshot).bank,
        bank=tuple(
            (snapshot.queries[query_id], tuple(query_lines))
            for query_id, query_lines in groupby(
                kept, lambda line: line.question.query_id
            )
        ),
        per_query=_per_query(snapshot, graded),
        health=_health(snapshot, settings, lines),
        graders=tuple(zip(snapshot.gradebook.records, graders(snapshot), strict=True)),
        labels=dict(sorted(labels.items(), reverse=True)),
        unlabelled=labelled - sum(labels.values()),
        boards=boards,
        no_board=no_board,
        tiers=tiers,
        tier_note=tier_note,
        official=dict(collection.official),
        correlations=correlations,
        no_correlation=no_correlation,
        agreement=tables,
        agreement_note=agreement_note,
        kappas=kappas,
        no_agreement=no_agreement,
        quality=_quality(snapshot, graded),
        examples=selected_examples,
        no_example=no_example,
        sha256=frozen.sha256 if frozen else "",
        releases=release.release_drifts(snapshot),
    )


def _figures(collection: Collection) -> CollectionFigures:
    pools = collection.pools.values()
    return CollectionFigures(
        queries=len(collection.queries),
        subtopics=sum(len(query.subtopics) for query in collection.queries),
        passages=len({passage_id for pool in pools for passage_id in pool.counted}),
        pairs=sum(len(pool.counted) for pool in pools),
        systems=len(collection.systems),
        depth=collection.depth,
        judged=sum(int((pool.judgments != UNJUDGED).sum()) for pool in pools),
        min_relevance=collection.min_relevance,
        official=len(collection.official),
        blind=collection.blind and not collection.mask_salt,
    )


def _per_query(snapshot: Snapshot, graded: Settings | None) -> dict[int, int]:
    # Counts all kinds if nothing is graded, or the grader rates whole passages.
    kind = snapshot.grader(graded.grader).spec.reading.item_kind if graded else "query"
    counts = Counter(
        sum(
            question.state == "kept" and kind in ("query", "any", question.kind)
            for question in snapshot.bank.questions_of(query_id)
        )
        for query_id in snapshot.query_ids()
    )
    return dict(sorted(counts.items()))


def _health(
    snapshot: Snapshot, settings: Settings | None, lines: Sequence[QuestionLine]
) -> Health | None:
    reaches = [line.influence for line in lines if line.influence is not None]
    if settings is None or not reaches:
        return None
    systems = len(snapshot.collection.systems)
    moves = systems and snapshot.measure(settings).based_on != "texts"
    answered_by_all = tuple(
        reach.question_id for reach in reaches if reach.systems == systems
    )
    moving_nothing = tuple(
        reach.question_id
        for reach in reaches
        if reach.influence is not None and reach.influence <= NO_CHANGE
    )
    return Health(
        active=len(reaches),
        unanswered=tuple(reach.question_id for reach in reaches if not reach.passages),
        answered_by_all=answered_by_all if systems else None,
        moving_nothing=moving_nothing if moves else None,
        sole=sum(reach.influence is None for reach in reaches) if moves else 0,
    )


def _boards(
    snapshot: Snapshot, settings: Settings | None
) -> tuple[tuple[Leaderboard, ...], str, Mapping[str, int], str]:
    """Build boards and tiers of the first, each with the reason if there are none."""
    if settings is None and snapshot.gradebook.records:
        return (), "No grader is selected that can read these texts.", {}, ""
    if settings is None:
        return (), "Nothing is graded yet, so there is no leaderboard.", {}, ""
    if not snapshot.collection.systems:
        return (), "The collection has no runs, so no system is ranked.", {}, ""
    try:
        first = scoring.board(snapshot, settings)
    except EvaluationError as error:
        return (), str(error), {}, ""
    if not first.standings:
        return (), " ".join(first.notes) or "No query is scored.", {}, ""
    boards = [first]
    for measure in comparison.USUAL_MEASURES if settings.grader else ():
        try:
            other = chosen_settings.settings(
                snapshot,
                settings.grader,
                measure,
                settings.min_rating,
                settings.k,
                settings.min_answered,
                settings.label,
            )
            board = scoring.board(snapshot, other)
        except CuratorError:  # undefined under this grader
            continue
        if board.settings != settings and board.standings:
            boards.append(board)
    tested = comparison.significance(snapshot, settings)
    # With too few queries no test can reject, and a single tier would mislead.
    tiers = {} if tested.tests.note else tested.tiers
    return tuple(boards), "", tiers, tested.tests.note


def _correlations(
    snapshot: Snapshot, boards: Sequence[Leaderboard]
) -> tuple[tuple[BoardCorrelation, ...], str]:
    """Correlate every board with the official one and those of judgments.

    Returns the reason if there are none.
    """
    if not boards:
        return (), "There is no leaderboard to correlate."
    collection = snapshot.collection
    if len(collection.systems) < 2:
        return (), "A single system has no ranking to compare."
    against = [OFFICIAL] if collection.official else []
    if _is_judged(collection):
        against += [
            reference
            for reference in REFERENCES
            if collection.min_relevance is not None or "nDCG" in reference
        ]
    if not against:
        return (), (
            "There is no official leaderboard and there are no judgments, so there is "
            "nothing to compare with."
        )
    return tuple(
        BoardCorrelation(
            board.settings,
            reference,
            correlate(snapshot, board.settings, against=reference),
        )
        for board in boards
        for reference in against
    ), ""


def _is_judged(collection: Collection) -> bool:
    return any((pool.judgments != UNJUDGED).any() for pool in collection.pools.values())


def _agreement(
    snapshot: Snapshot, settings: Settings | None
) -> tuple[AgreementTables | None, str, tuple[Kappa, ...], str]:
    """Compute tables of the grader, a note, every kappa, and the reason for none."""
    missing = ""
    if settings is None:
        return None, "", (), "Without grades there are no labels to compare."
    if not _is_judged(snapshot.collection):
        missing = "There are no official judgments to compare labels with."
    elif snapshot.collection.min_relevance is None:
        missing = (
            "The judgment from which a passage is relevant is not set, so labels are "
            "not compared with judgments."
        )
    if missing:
        return None, "", (), missing
    try:
        tables = agreement_tables(
            snapshot,
            grader=settings.grader,
            min_rating=settings.min_rating,
            min_answered=settings.min_answered,
            label=settings.label,
        )
    except EvaluationError as error:
        return None, "", (), str(error)
    kappas = (
        _kappa(snapshot, record, settings) for record in snapshot.gradebook.records
    )
    return tables.tables, tables.note, tuple(kappas), ""


def _quality(snapshot: Snapshot, settings: Settings | None) -> Quality | None:
    """Compare every grader with people's checks; None without any."""
    if settings is None:
        return None
    try:
        return check_quality(
            snapshot,
            min_rating=settings.min_rating,
            min_answered=settings.min_answered,
            label=settings.label,
        )
    except EvaluationError:  # there are no checks
        return None


def _kappa(snapshot: Snapshot, grader: GraderRecord, settings: Settings) -> Kappa:
    carried = transferred_rating(snapshot, settings, grader.name)
    cut = default_min_rating(grader.spec.reading.kind) if carried is None else carried
    try:
        result = agreement(
            snapshot,
            grader=grader.name,
            min_rating=cut,
            min_answered=settings.min_answered,
            label=settings.label,
        )
    except EvaluationError as error:
        return Kappa(grader.name, cut, None, 0, str(error))
    return Kappa(grader.name, cut, result.kappa, result.compared, result.note)
