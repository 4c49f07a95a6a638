"""``report``: everything a published page says of a workspace, as one frozen value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from curator.collection.pools import UNJUDGED, Collection, Query
from curator.engine import scoring
from curator.engine import settings as chosen_settings
from curator.engine.gradebook import GraderRecord
from curator.engine.languages import Languages, languages
from curator.engine.settings import Chosen, Options, carried_rating, report_settings
from curator.engine.state import State
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.agreement import AgreementTables
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import OFFICIAL, SAME_LABEL, Settings, usual_rating
from curator.store import counts as store_activity
from curator.verbs.checks.quality import Quality, check_quality
from curator.verbs.compare import comparison
from curator.verbs.curate.question_rows import QuestionLine, question_lines
from curator.verbs.files.report.examples import Example, examples
from curator.verbs.leaderboard.leaderboard import (
    Correlated,
    agreement,
    agreement_tables,
    correlate,
)
from curator.verbs.proposals.decisions import Share, decisions
from curator.verbs.releases import release
from curator.verbs.setup.status import GraderState, graders
from curator.version import VERSION

STILL = 1e-12  # a change of a score that is none
REFERENCES = ("judgments:nDCG@10", "judgments:P@20")
"""The boards of judgments that a report compares with, beside the official one."""


@dataclass(frozen=True, slots=True)
class CollectionFigures:
    """What the collection holds. ``passages`` are distinct, ``pairs`` are pooled.

    ``judged`` counts pairs with an official judgment, ``depth`` the deepest rank of
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
    """What the active questions do under the settings' grader.

    ``unanswered`` no passage answers, ``answered_by_all`` every system answers within
    the ranks looked at, ``moving_nothing`` change no system's score in their query;
    each by question id. ``sole`` are the only question of their query, so nothing can
    be compared. None for what cannot be said without systems.
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
    """Everything the page says, for one setting.

    ``settings`` is None where nothing is graded, or nothing by a grader that reads the
    texts. ``bank`` has the kept questions by
    query. ``per_query`` says how many queries have how many questions of the grader's
    kind. ``boards`` begins with that of the settings, the usual ones after it;
    ``no_board`` says why it is empty, as do ``no_correlation``, ``no_agreement`` and
    ``no_example`` of theirs. ``labels`` counts passages by label, ``unlabelled`` those
    of which no grade is known, ``quality`` what people's checks say of every grader,
    None without any. ``as_of`` is the latest time in the history, ``sha256``
    that of the kept bank with its grades, "" where there is none.
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
    authors: Share
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
    correlations: tuple[Correlated, ...]
    no_correlation: str
    agreement: AgreementTables | None
    agreement_note: str
    kappas: tuple[Kappa, ...]
    no_agreement: str
    quality: Quality | None
    examples: tuple[Example, ...]
    no_example: str
    sha256: str
    releases: tuple[release.Drift, ...]

    @property
    def its_graders(self) -> dict[str, tuple[GraderRecord, GraderState]]:
        """The settings' grader and those it rests on, by name."""
        by_name = {state.name: (record, state) for record, state in self.graders}
        found: dict[str, tuple[GraderRecord, GraderState]] = {}
        waiting = [self.settings.grader] if self.settings else []
        while waiting:
            name = waiting.pop(0)
            if name in by_name and name not in found:
                found[name] = by_name[name]
                waiting += [part.name for part in by_name[name][0].parts]
        return found

    @property
    def grader(self) -> GraderState | None:
        """The settings' grader, None without one."""
        return next((state for _, state in self.its_graders.values()), None)


def report(
    state: State, /, settings: Chosen | None = None, **options: Options
) -> Report:
    """Everything the published page says, as one value; ``export`` writes it.

    Also of a workspace without grades; what is missing says why. Rests on what whoever
    asks may see of the file alone: no clock, no model, nothing random.
    """
    state = state.seen
    settings = report_settings(state, options, settings)
    collection, bank = state.collection, state.bank
    history = store_activity.activity(state.with_texts.connection)  # numbers
    graded = settings if settings is not None and settings.grader else None
    lines = question_lines(state, settings)
    kept = [line for line in lines if line.question.state == "kept"]
    frozen = release.freeze(state, graded, scores=False) if graded else None
    values = frozen.labels().values() if frozen else ()
    labels = Counter(math.floor(label + SAME_LABEL) for label in values)
    labelled = sum(
        len(query.passage_ids)
        for query in (frozen.queries if frozen else ())
        if next(query.rated(), None)
    )
    boards, no_board, tiers, tier_note = _boards(state, settings)
    correlations, no_correlation = _correlations(state, boards)
    tables, agreement_note, kappas, no_agreement = _agreement(state, graded)
    shown, no_example = examples(state, graded)
    return Report(
        title=collection.title,
        version=VERSION,
        as_of=history.latest,
        began=history.began,
        edits=history.edits,
        imported=history.imported,
        settings=settings,
        collection=_figures(collection),
        languages=languages(state),
        states={
            one: sum(question.state == one for question in bank)
            for one in ("kept", "proposed", "retired")
        },
        kinds=dict(Counter(sorted(line.question.kind for line in kept))),
        done=len({query_id for query_id, _ in bank.done}),
        authors=decisions(state).bank,
        bank=tuple(
            (state.queries[query_id], tuple(of_query))
            for query_id, of_query in groupby(kept, lambda one: one.question.query_id)
        ),
        per_query=_per_query(state, graded),
        health=_health(state, settings, lines),
        graders=tuple(zip(state.gradebook.records, graders(state), strict=True)),
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
        quality=_quality(state, graded),
        examples=shown,
        no_example=no_example,
        sha256=frozen.sha256 if frozen else "",
        releases=release.release_drifts(state),
    )


def _figures(collection: Collection) -> CollectionFigures:
    pools = collection.pools.values()
    return CollectionFigures(
        queries=len(collection.queries),
        subtopics=sum(len(query.subtopics) for query in collection.queries),
        passages=len({one for pool in pools for one in pool.counted}),
        pairs=sum(len(pool.counted) for pool in pools),
        systems=len(collection.systems),
        depth=collection.depth,
        judged=sum(int((pool.judgments != UNJUDGED).sum()) for pool in pools),
        min_relevance=collection.min_relevance,
        official=len(collection.official),
        blind=collection.blind and not collection.mask_salt,
    )


def _per_query(state: State, graded: Settings | None) -> dict[int, int]:
    """All kinds together where nothing is graded, or a passage is graded as a whole."""
    kind = state.grader(graded.grader).spec.reading.item_kind if graded else "query"
    counts = Counter(
        sum(
            one.state == "kept" and kind in ("query", "any", one.kind)
            for one in state.bank.of_query(query_id)
        )
        for query_id in state.query_ids()
    )
    return dict(sorted(counts.items()))


def _health(
    state: State, settings: Settings | None, lines: Sequence[QuestionLine]
) -> Health | None:
    """None where no grader asks the questions of the bank."""
    found = [line.influence for line in lines if line.influence is not None]
    if settings is None or not found:
        return None
    systems = len(state.collection.systems)
    moves = systems and state.measure(settings).rests_on != "texts"
    return Health(
        active=len(found),
        unanswered=tuple(one.question_id for one in found if not one.passages),
        answered_by_all=tuple(
            one.question_id for one in found if one.systems == systems
        )
        if systems
        else None,
        moving_nothing=tuple(
            one.question_id
            for one in found
            if one.influence is not None and one.influence <= STILL
        )
        if moves
        else None,
        sole=sum(one.influence is None for one in found) if moves else 0,
    )


def _boards(
    state: State, settings: Settings | None
) -> tuple[tuple[Leaderboard, ...], str, Mapping[str, int], str]:
    """(boards, why there are none, tiers of the asked one, why it has none)."""
    if settings is None and state.gradebook.records:
        return (), "No grader is named that reads these texts.", {}, ""
    if settings is None:
        return (), "Nothing is graded yet, so there is no board.", {}, ""
    if not state.collection.systems:
        return (), "The collection has no runs, so no system is ranked.", {}, ""
    try:
        asked = scoring.board(state, settings)
    except EvaluationError as error:
        return (), str(error), {}, ""
    if not asked.standings:
        return (), " ".join(asked.notes) or "No query is scored.", {}, ""
    boards = [asked]
    for measure in comparison.USUAL if settings.grader else ():
        try:
            other = chosen_settings.settings(
                *(state, settings.grader, measure, settings.min_rating, settings.k),
                settings.min_answered,
                settings.label,
            )
            found = scoring.board(state, other)
        except CuratorError:  # undefined under this grader
            continue
        if found.settings != settings and found.standings:
            boards.append(found)
    tested = comparison.significance(state, settings)
    # A test that cannot come out makes one tier of everything: that says nothing.
    tiers = {} if tested.tests.note else tested.tiers
    return tuple(boards), "", tiers, tested.tests.note


def _correlations(
    state: State, boards: Sequence[Leaderboard]
) -> tuple[tuple[Correlated, ...], str]:
    """Every board against the official one and those of judgments, or why not."""
    if not boards:
        return (), "Without a board there is nothing to correlate."
    collection = state.collection
    if len(collection.systems) < 2:
        return (), "One system alone has no order to compare."
    against = [OFFICIAL] if collection.official else []
    if _is_judged(collection):
        against += [
            one
            for one in REFERENCES
            if collection.min_relevance is not None or "nDCG" in one
        ]
    if not against:
        return (), (
            "No official board and no judgments are known, so the boards are compared "
            "with nothing."
        )
    return tuple(
        Correlated(
            board.settings,
            one,
            correlate(state, board.settings, against=one),
        )
        for board in boards
        for one in against
    ), ""


def _is_judged(collection: Collection) -> bool:
    return any((one.judgments != UNJUDGED).any() for one in collection.pools.values())


def _agreement(
    state: State, settings: Settings | None
) -> tuple[AgreementTables | None, str, tuple[Kappa, ...], str]:
    """(tables of the asked grader, a note, every grader's kappa, why there is none)."""
    missing = ""
    if settings is None:
        return None, "", (), "Without grades there are no labels to compare."
    if not _is_judged(state.collection):
        missing = (
            "No official judgments are known, so labels are compared with nobody’s."
        )
    elif state.collection.min_relevance is None:
        missing = (
            "There are judgments, but nobody has said from which one on a passage "
            "counts as relevant, so labels are not compared with them."
        )
    if missing:
        return None, "", (), missing
    try:
        found = agreement_tables(
            state,
            grader=settings.grader,
            min_rating=settings.min_rating,
            min_answered=settings.min_answered,
            label=settings.label,
        )
    except EvaluationError as error:
        return None, "", (), str(error)
    kappas = (_kappa(state, one, settings) for one in state.gradebook.records)
    return found.tables, found.note, tuple(kappas), ""


def _quality(state: State, settings: Settings | None) -> Quality | None:
    """What people's checks say of every grader, None without any."""
    if settings is None:
        return None
    try:
        return check_quality(
            state,
            min_rating=settings.min_rating,
            min_answered=settings.min_answered,
            label=settings.label,
        )
    except EvaluationError:  # nobody checked anything
        return None


def _kappa(state: State, grader: GraderRecord, settings: Settings) -> Kappa:
    carried = carried_rating(state, settings, grader.name)
    cut = usual_rating(grader.spec.reading.kind) if carried is None else carried
    try:
        found = agreement(
            state,
            grader=grader.name,
            min_rating=cut,
            min_answered=settings.min_answered,
            label=settings.label,
        )
    except EvaluationError as error:
        return Kappa(grader.name, cut, None, 0, str(error))
    return Kappa(grader.name, cut, found.kappa, found.compared, found.note)
