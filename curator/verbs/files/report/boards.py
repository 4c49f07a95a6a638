"""What a report says of systems and of judges: boards, correlations, agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from curator.collection.pools import UNJUDGED
from curator.engine import scoring
from curator.engine import settings as chosen_settings
from curator.engine.state import State
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.agreement import AgreementTables
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.settings import Settings, correct_from
from curator.verbs.compare import comparison
from curator.verbs.files.report.contents import Kappa
from curator.verbs.leaderboard import agreement, correlation

REFERENCES = ("judgments:nDCG@10", "judgments:P@20")
"""The boards of judgments that a report compares with, beside the official one."""


@dataclass(frozen=True)
class Ranked:
    """The asked board and the usual ones, and the tiers of the asked one."""

    boards: tuple[Leaderboard, ...] = ()
    missing: str = ""
    tiers: Mapping[str, int] = field(default_factory=dict)
    tier_note: str = ""


@dataclass(frozen=True)
class Alike:
    """Every board against every reference, or why there is none."""

    rows: tuple[correlation.Correlated, ...] = ()
    missing: str = ""


@dataclass(frozen=True)
class Agreed:
    """Labels against judgments, of the asked grader in full, or why there is none."""

    tables: AgreementTables | None = None
    note: str = ""
    kappas: tuple[Kappa, ...] = ()
    missing: str = ""


def ranked(state: State, settings: Settings | None) -> Ranked:
    """The boards under these settings: the asked measure first, then the usual ones."""
    if settings is None:
        return Ranked(missing="Nothing is graded yet, so there is no board.")
    if not state.collection.systems:
        return Ranked(missing="The collection has no runs, so no system is ranked.")
    try:
        asked = scoring.board(state, settings)
    except EvaluationError as error:
        return Ranked(missing=str(error))
    if not asked.standings:
        return Ranked(missing=" ".join(asked.notes) or "No query is scored.")
    tested = comparison.significance(state, settings)
    # A test that cannot come out makes one tier of everything: that says nothing.
    tiers = {} if tested.tests.note else tested.tiers
    others = []
    for measure in comparison.USUAL if settings.grader else ():
        other = _board(state, settings, measure)
        if other is not None and other.settings != settings and other.standings:
            others.append(other)
    return Ranked((asked, *others), "", tiers, tested.tests.note)


def _board(state: State, settings: Settings, measure: str) -> Leaderboard | None:
    """The board of another measure under the same grader; None where undefined."""
    try:
        other = chosen_settings.settings(
            state, settings.grader, measure, settings.min_rating, settings.k
        )
        return scoring.board(state, other)
    except CuratorError:
        return None


def correlated(state: State, standing: Sequence[Leaderboard]) -> Alike:
    """Every board of the report against the official one and those of judgments."""
    if not standing:
        return Alike(missing="Without a board there is nothing to correlate.")
    collection = state.collection
    if len(collection.systems) < 2:
        return Alike(missing="One system alone has no order to compare.")
    against = [correlation.OFFICIAL] if collection.official else []
    if any((pool.judgments != UNJUDGED).any() for pool in collection.pools.values()):
        against += [
            one
            for one in REFERENCES
            if collection.min_relevance is not None or "nDCG" in one
        ]
    if not against:
        return Alike(
            missing="No official board and no judgments are known, so the boards are "
            "compared with nothing."
        )
    rows = []
    for board in standing:
        for one in against:
            found = correlation.correlate(state, board.settings, against=one)
            rows.append(correlation.Correlated(board.settings, one, found))
    return Alike(tuple(rows))


def agreed(state: State, settings: Settings | None) -> Agreed:
    """The tables of the asked grader, and kappa of every grader here beside it."""
    if settings is None:
        return Agreed(missing="Without grades there are no labels to compare.")
    collection = state.collection
    if collection.min_relevance is None and any(
        (pool.judgments != UNJUDGED).any() for pool in collection.pools.values()
    ):
        return Agreed(
            missing="There are judgments, but nobody has said from which one on a "
            "passage counts as relevant, so labels are not compared with them."
        )
    if not any(
        (pool.judgments != UNJUDGED).any() for pool in collection.pools.values()
    ):
        return Agreed(
            missing="No official judgments are known, so labels are compared with "
            "nobody’s."
        )
    try:
        found = agreement.agreement_tables(state, grader=settings.grader)
    except EvaluationError as error:
        return Agreed(missing=str(error))
    return Agreed(
        found.tables,
        found.note,
        tuple(
            _kappa(state, record.name, settings) for record in state.gradebook.records
        ),
    )


def _kappa(state: State, grader: str, settings: Settings) -> Kappa:
    kind = state.grader(grader).spec.reading.kind
    own = Settings(grader, "P@20", correct_from(kind, settings.min_rating))
    try:
        found = agreement.agreement(state, grader=own.grader, min_rating=own.min_rating)
    except EvaluationError as error:
        return Kappa(grader, own.min_rating, None, 0, str(error))
    return Kappa(grader, own.min_rating, found.kappa, found.compared, found.note)
