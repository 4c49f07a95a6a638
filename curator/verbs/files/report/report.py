"""``report``: all contents of a published page, as one frozen value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from curator.collection.pools import UNJUDGED, Query
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.agreement import Agreement, AgreementTables
from curator.evaluation.leaderboard import Leaderboard, is_judged
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


@dataclass(frozen=True)
class Report:
    """All contents of the page, for one setting.

    ``settings`` is None where nothing is graded by a grader that reads the texts.
    ``collection`` are ``collection_counts``, ``effects`` numbers of the settings'
    active questions, None where nothing is graded. ``bank`` has the kept questions by
    query. ``per_query`` counts queries by their number of questions of the grader's
    kind. ``boards`` begins with that of the settings, followed by the usual ones;
    ``no_board``, ``no_correlation``, ``no_agreement`` and ``no_example`` are reasons
    for empty parts. ``labels`` counts passages by label, ``unlabelled`` those without a
    grade. ``kappas`` are the agreements of all graders with the judgments, each with
    its minimum rating; ``quality`` compares them with people's checks, None without
    any. ``as_of`` is the latest time in the history, ``sha256`` that of the kept bank
    with its grades, "" without grades.
    """

    title: str
    version: str
    as_of: str
    began: str
    edits: tuple[tuple[str, int], ...]
    imported: int
    settings: Settings | None
    collection: Mapping[str, int | None]
    blind: bool
    languages: Languages
    states: Mapping[str, int]
    kinds: Mapping[str, int]
    done: int
    authors: DecisionCounts
    bank: tuple[tuple[Query, tuple[QuestionLine, ...]], ...]
    per_query: Mapping[int, int]
    effects: Mapping[str, int] | None
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
    agreement_notes: tuple[str, ...]
    kappas: tuple[tuple[str, int, Agreement], ...]
    no_agreement: str
    quality: Quality | None
    examples: tuple[ReportExample, ...]
    no_example: str
    sha256: str
    releases: tuple[release.Drift, ...]

    @property
    def used_graders(self) -> dict[str, tuple[GraderRecord, GraderState]]:
        """The settings' grader and those it depends on, by name."""
        if self.settings is None:
            return {}
        by_name = {state.name: (record, state) for record, state in self.graders}
        names = [self.settings.grader]
        for name in names:  # more are added meanwhile
            record, _ = by_name.get(name, (None, None))
            names += [part.name for part in record.parts] if record else []
        return {name: by_name[name] for name in names if name in by_name}

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
    selected_examples, no_example = examples(snapshot, graded)
    boards = _boards(snapshot, settings)
    return Report(
        title=collection.title,
        version=VERSION,
        as_of=history.latest,
        began=history.began,
        edits=history.edits,
        imported=history.imported,
        settings=settings,
        collection=collection_counts(snapshot),
        blind=collection.blind and not collection.mask_salt,
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
        effects=_effects(snapshot, settings, lines),
        graders=tuple(zip(snapshot.gradebook.records, graders(snapshot), strict=True)),
        **_labels(snapshot, graded),
        **boards,
        official=dict(collection.official),
        **_correlations(snapshot, boards["boards"]),
        **_agreement(snapshot, graded),
        quality=_quality(snapshot, graded),
        examples=selected_examples,
        no_example=no_example,
        releases=release.release_drifts(snapshot),
    )


def collection_counts(snapshot: Snapshot) -> dict[str, int | None]:
    """Count the contents of the collection.

    ``passages`` are distinct, ``pairs`` are pooled; ``judged`` counts pairs with an
    official judgment, ``depth`` is the deepest rank of any system.
    """
    collection = snapshot.collection
    pools = collection.pools.values()
    return {
        "queries": len(collection.queries),
        "subtopics": sum(len(query.subtopics) for query in collection.queries),
        "passages": len({passage_id for pool in pools for passage_id in pool.counted}),
        "pairs": sum(len(pool.counted) for pool in pools),
        "systems": len(collection.systems),
        "depth": collection.depth,
        "judged": sum(int((pool.judgments != UNJUDGED).sum()) for pool in pools),
        "min_relevance": collection.min_relevance,
        "official": len(collection.official),
    }


def _labels(snapshot: Snapshot, graded: Settings | None) -> dict[str, Any]:
    if graded is None:
        return {"labels": {}, "unlabelled": 0, "sha256": ""}
    frozen = release.freeze(snapshot, graded, scores=False)
    values = frozen.labels().values()
    labels = Counter(math.floor(label + SAME_LABEL) for label in values)
    passages = sum(
        len(query.passage_ids) for query in frozen.queries if next(query.rated(), None)
    )
    return {
        "labels": dict(sorted(labels.items(), reverse=True)),
        "unlabelled": passages - len(values),
        "sha256": frozen.sha256,
    }


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


def _effects(
    snapshot: Snapshot, settings: Settings | None, lines: Sequence[QuestionLine]
) -> dict[str, int] | None:
    """Count questions by their effect; those on systems only if there are any."""
    reaches = [line.influence for line in lines if line.influence is not None]
    if settings is None or not reaches:
        return None
    effects = {
        "active": len(reaches),
        "unanswered": sum(not reach.passages for reach in reaches),
    }
    systems = len(snapshot.collection.systems)
    if systems:
        effects["answered_by_all"] = sum(reach.systems == systems for reach in reaches)
    if systems and snapshot.measure(settings).based_on != "texts":
        changes = [reach.influence for reach in reaches]
        effects["sole"] = changes.count(None)  # without it there is no other
        effects["moving_nothing"] = sum(
            change is not None and change <= NO_CHANGE for change in changes
        )
    return effects


def _boards(snapshot: Snapshot, settings: Settings | None) -> dict[str, Any]:
    """Build boards and tiers of the first, each with the reason if there are none."""
    none: dict[str, Any] = {"boards": (), "tiers": {}, "tier_note": ""}
    if settings is None and snapshot.gradebook.records:
        return none | {"no_board": "No grader is selected that can read these texts."}
    if settings is None:
        return none | {"no_board": "Nothing is graded yet, so there is no leaderboard."}
    if not snapshot.collection.systems:
        return none | {
            "no_board": "The collection has no runs, so no system is ranked."
        }
    try:
        first = scoring.board(snapshot, settings)
    except EvaluationError as error:
        return none | {"no_board": str(error)}
    if not first.standings:
        return none | {"no_board": " ".join(first.notes) or "No query is scored."}
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
    return {
        "boards": tuple(boards),
        "no_board": "",
        # With too few queries no test can reject, and a single tier would mislead.
        "tiers": {} if tested.tests.note else tested.tiers,
        "tier_note": tested.tests.note,
    }


def _correlations(snapshot: Snapshot, boards: Sequence[Leaderboard]) -> dict[str, Any]:
    """Correlate every board with the official one and those of judgments."""
    collection = snapshot.collection
    against = [OFFICIAL] if collection.official else []
    if any(map(is_judged, collection.pools.values())):
        against += [
            reference
            for reference in REFERENCES
            if collection.min_relevance is not None or "nDCG" in reference
        ]
    reason = ""
    if not boards:
        reason = "There is no leaderboard to correlate."
    elif len(collection.systems) < 2:
        reason = "A single system has no ranking to compare."
    elif not against:
        reason = (
            "There is no official leaderboard and there are no judgments, so there is "
            "nothing to compare with."
        )
    correlations = tuple(
        BoardCorrelation(
            board.settings,
            reference,
            correlate(snapshot, board.settings, against=reference),
        )
        for board in ([] if reason else boards)
        for reference in against
    )
    return {"correlations": correlations, "no_correlation": reason}


def _agreement(snapshot: Snapshot, settings: Settings | None) -> dict[str, Any]:
    """Compute tables of the grader and every kappa, with notes or a reason."""
    none = {"agreement": None, "agreement_notes": (), "kappas": ()}
    reason = ""
    if settings is None:
        reason = "Without grades there are no labels to compare."
    elif not any(map(is_judged, snapshot.collection.pools.values())):
        reason = "There are no official judgments to compare labels with."
    elif snapshot.collection.min_relevance is None:
        reason = (
            "The judgment from which a passage is relevant is not set, so labels are "
            "not compared with judgments."
        )
    if settings is None or reason:
        return none | {"no_agreement": reason}
    same: dict[str, Any] = {
        "min_answered": settings.min_answered,
        "label": settings.label,
    }
    try:
        tables = agreement_tables(
            snapshot, grader=settings.grader, min_rating=settings.min_rating, **same
        )
    except EvaluationError as error:
        return none | {"no_agreement": str(error)}
    kappas, notes = [], [tables.note]
    for record in snapshot.gradebook.records:
        rating = transferred_rating(snapshot, settings, record.name)
        if rating is None:
            rating = default_min_rating(record.spec.reading.kind)
        try:
            found = agreement(snapshot, grader=record.name, min_rating=rating, **same)
        except EvaluationError as error:
            notes.append(f"{record.name}: {error}")
        else:
            kappas.append((record.name, rating, found))
    return {
        "agreement": tables.tables,
        "agreement_notes": tuple(filter(None, notes)),
        "kappas": tuple(kappas),
        "no_agreement": "",
    }


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
