"""``correlate``: a board against the official one, or against judged measures.

``sweep``: the same at every minimum rating.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from curator.engine.scoring import board
from curator.engine.settings import Options, settings_from
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.correlation import (
    Correlation,
    MissingStandardErrorError,
    RandomTies,
    ReferenceKind,
    correlate_random_ties,
)
from curator.evaluation.correlation import correlate as correlate_boards
from curator.evaluation.leaderboard import judged_scores, relevant_from
from curator.evaluation.settings import DEFAULT_K, DEFAULT_MEASURE, Settings

JUDGMENTS = "judgments"
"""The grader of a board that the official judgments make."""

OFFICIAL = "official"
RATINGS = range(1, 6)

Side = tuple[dict[str, float], dict[str, float | None]]
"""A board as a correlation takes it: scores and standard errors by system."""


@dataclass(frozen=True)
class Correlated:
    """One board against one reference."""

    settings: Settings
    against: str
    found: Correlation | RandomTies


@dataclass(frozen=True)
class Sweep:
    """One measure's correlation with the reference at each minimum rating, 1 to 5.

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
    settings: Settings | None = None,
    *,
    against: str = OFFICIAL,
    ties: str = "average",
    **options: Options,
) -> Correlation | RandomTies:
    """How alike the board is to a reference: Spearman, Kendall and tau AP.

    ``against`` is ``official`` or ``judgments:<measure>``, the measure computed from
    the official judgments. ``ties`` is ``average``, or ``random`` for the procedure
    of Sander & Dietz 2021, section 4.1.1. Raises EvaluationError where there is no
    such reference.
    """
    settings = settings_from(state, options, settings)
    if ties not in ("average", "random"):
        raise EvaluationError(f"Ties are average or random, not '{ties}'.")
    ours, errors, note = _board(state, settings)
    kind: ReferenceKind = "ranks" if against == OFFICIAL else "scores"
    theirs: Mapping[str, float] = state.collection.official
    their_errors: Mapping[str, float | None] | None = None
    if against != OFFICIAL:
        theirs, their_errors = _judged(state, measure_of(against))
    elif not theirs:
        raise EvaluationError(
            "No official board in this workspace: `curator import WORKSPACE "
            "--official FILE.json` brings one, or use --against judgments:nDCG@10."
        )
    found: Correlation | RandomTies
    if ties == "average":
        found = correlate_boards(ours, theirs, reference_is=kind)
    else:
        found = correlate_random_ties(
            ours,
            errors,
            theirs,
            reference_is=kind,
            reference_standard_errors=their_errors,
        )
    return replace(found, note=f"{found.note} {note}".strip())


def correlations(
    state: State,
    /,
    measures: Sequence[str],
    *,
    against: Sequence[str] = (OFFICIAL,),
    ties: str = "average",
    **options: Options,
) -> tuple[Correlated, ...]:
    """Every measure's board against every reference, as Sander & Dietz 2021, Table 1.

    ``judgments:<measure>`` is a board of the official judgments, on either side. A
    pair of which one board has no standard errors has no random ties; the others do.
    """
    asked = [correlated_settings(state, measure, **options) for measure in measures]

    def one_of_several(settings: Settings, one: str) -> Correlation | RandomTies:
        try:
            return correlate(state, settings, against=one, ties=ties)
        except MissingStandardErrorError as error:
            if len(asked) * len(against) == 1:
                raise
            note = f"{settings.measure} against {one}: {error}"
            return RandomTies(0, None, None, None, None, 0, 0, note=note)

    return tuple(
        Correlated(settings, one, one_of_several(settings, one))
        for settings in asked
        for one in against
    )


def correlated_settings(state: State, /, measure: str, **options: Options) -> Settings:
    """The settings of a board to correlate; ``judgments:<measure>`` needs no grader."""
    if not measure.startswith(f"{JUDGMENTS}:"):
        return settings_from(state, {**options, "measure": measure})
    judged = measure_of(measure)
    return Settings(JUDGMENTS, judged, relevant_from(state.collection, judged))


def measure_of(against: str) -> str:
    """The measure in ``judgments:<measure>``."""
    family, _, measure = against.partition(":")
    if family != JUDGMENTS or not measure:
        raise EvaluationError(
            f"A board is compared against 'official' or 'judgments:<measure>', such as "
            f"judgments:nDCG@10; not against '{against}'."
        )
    return measure


def _board(state: State, settings: Settings) -> tuple[*Side, str]:
    """The board to correlate; a sentence on what it does not rest on."""
    if settings.grader == JUDGMENTS:
        return *_judged(state, settings.measure), ""
    made = board(state, settings)
    if not made.standings:
        raise EvaluationError("There is no board to correlate: " + made.notes[0])
    missing = made.needed - made.known
    note = f"{missing:,} grades are missing; scores rest on the others."
    errors = {one.system: one.stderr for one in made.standings}
    return made.scores(), errors, note if missing else ""


def _judged(state: State, measure: str) -> Side:
    return state.cached(
        (JUDGMENTS, measure), lambda: judged_scores(state.collection, measure)
    )


def sweep(
    state: State,
    measures: Sequence[str] = (),
    *,
    grader: str | None = None,
    k: int = DEFAULT_K,
    against: str = OFFICIAL,
) -> tuple[Sweep, ...]:
    """Each measure's correlations at minimum ratings 1 to 5, as ``correlate`` has them.

    Cover's where no measure is named. Raises EvaluationError for a grader that does
    not rate, whose answers no minimum rating changes, and where there is no such
    reference.

    Source of the thresholds: Farzi & Dietz 2024, sections 3.3.1 and 3.3.2.
    """
    return tuple(
        _sweep(state, chosen_settings(state, grader, one, k=k), against)
        for one in measures or (DEFAULT_MEASURE,)
    )


def _sweep(state: State, settings: Settings, against: str) -> Sweep:
    if not settings.grader:
        raise EvaluationError(
            f"{settings.measure} rests on no grades, so there is no minimum rating to "
            "sweep."
        )
    if state.grader(settings.grader).spec.reading.kind != "rated":
        raise EvaluationError(
            f"'{settings.grader}' gives no ratings of 0 to 5, so there is no minimum "
            "rating to sweep: name a grader that rates with --grader NAME."
        )

    def swept() -> Sweep:
        at = [replace(settings, min_rating=rating) for rating in RATINGS]
        found = [correlate(state, one, against=against) for one in at]
        scores = [board(state, one).scores() for one in at]
        notes = list(dict.fromkeys(one.note for one in found if one.note))
        if all(one == scores[0] for one in scores):
            notes.append(
                f"{settings.measure} has the same scores at every minimum rating."
            )
        points = dict(zip(RATINGS, cast("list[Correlation]", found), strict=True))
        return Sweep(settings, against, points, " ".join(notes))

    return state.cached(("sweep", replace(settings, min_rating=0), against), swept)
