"""``sweep``: how alike board and reference are at every minimum rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from curator.engine import scoring
from curator.engine.settings import settings
from curator.engine.state import State
from curator.errors import EvaluationError
from curator.evaluation.correlation import Correlation
from curator.evaluation.settings import DEFAULT_K, DEFAULT_MEASURE, Settings
from curator.verbs.leaderboard.correlation import correlate

RATINGS = range(1, 6)


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


def sweep(
    state: State,
    measures: Sequence[str] = (),
    *,
    grader: str | None = None,
    k: int = DEFAULT_K,
    against: str = "official",
) -> tuple[Sweep, ...]:
    """Each measure's correlation with the reference at every minimum rating.

    Cover's where no measure is named. Raises as ``sweep_of`` does.
    """
    return tuple(
        sweep_of(state, settings(state, grader, one, k=k), against=against)
        for one in measures or (DEFAULT_MEASURE,)
    )


def sweep_of(state: State, settings: Settings, *, against: str = "official") -> Sweep:
    """The correlations at minimum ratings 1 to 5, each as ``correlate`` gives it.

    Raises EvaluationError for a grader that does not rate, whose answers no minimum
    rating changes, and where there is no such reference.

    Source of the thresholds: Farzi & Dietz 2024, sections 3.3.1 and 3.3.2.
    """
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
    return state.cached(
        ("sweep", replace(settings, min_rating=0), against),
        lambda: _swept(state, settings, against),
    )


def _swept(state: State, settings: Settings, against: str) -> Sweep:
    points: dict[int, Correlation] = {}
    scores = []
    for min_rating in RATINGS:
        at = replace(settings, min_rating=min_rating)
        found = correlate(state, at, against=against)
        assert isinstance(found, Correlation)  # as it is without random ties
        points[min_rating] = found
        scores.append(scoring.board(state, at).scores())
    notes = list(dict.fromkeys(one.note for one in points.values() if one.note))
    if all(one == scores[0] for one in scores):
        notes.append(f"{settings.measure} has the same scores at every minimum rating.")
    return Sweep(settings, against, points, " ".join(notes))
