"""``correlate``: a board against the official one, or against judged measures."""

from __future__ import annotations

from dataclasses import replace

from curator.boards import Boards
from curator.errors import EvaluationError
from curator.evaluation.correlation import (
    Correlation,
    RandomTies,
    ReferenceKind,
    correlate_random_ties,
)
from curator.evaluation.correlation import (
    correlate as correlate_boards,
)
from curator.evaluation.judged import judged_scores
from curator.evaluation.settings import Settings
from curator.verbs.scoring import board


def correlate(
    boards: Boards,
    settings: Settings,
    *,
    against: str = "official",
    ties: str = "average",
) -> Correlation | RandomTies:
    """Spearman, Kendall and tau AP between the board and a reference.

    ``against`` is ``official`` or ``judgments:<measure>``, the measure computed from
    the official judgments. ``ties`` is ``average``, or ``random`` for the procedure
    of Sander & Dietz 2021, section 4.1.1. Raises EvaluationError where there is no
    such reference.
    """
    if ties not in ("average", "random"):
        raise EvaluationError(f"Ties are average or random, not '{ties}'.")
    standings = board(boards, settings)
    scores = standings.scores()
    if not scores:
        raise EvaluationError("There is no board to correlate: " + standings.notes[0])
    if against == "official":
        if not boards.collection.official:
            raise EvaluationError(
                "No official board in this workspace: `curator import WORKSPACE "
                "--official FILE.json` brings one, or use --against "
                "judgments:nDCG@10."
            )
        reference, errors = dict(boards.collection.official), None
    else:
        reference, errors = judged_scores(boards.collection, measure_of(against))
    kind: ReferenceKind = "ranks" if against == "official" else "scores"
    missing = standings.needed - standings.known
    note = f"{missing:,} grades are missing; scores rest on the others."
    if ties == "average":
        found = correlate_boards(scores, reference, reference_is=kind)
        return replace(found, note=f"{found.note} {note}".strip()) if missing else found
    shuffled = correlate_random_ties(
        scores,
        {standing.system: standing.stderr for standing in standings.standings},
        reference,
        reference_is=kind,
        reference_standard_errors=errors,
    )
    if not missing:
        return shuffled
    return replace(shuffled, note=f"{shuffled.note} {note}".strip())


def measure_of(against: str) -> str:
    """The measure in ``judgments:<measure>``."""
    family, _, measure = against.partition(":")
    if family != "judgments" or not measure:
        raise EvaluationError(
            f"A board is compared against 'official' or 'judgments:<measure>', such as "
            f"judgments:nDCG@10; not against '{against}'."
        )
    return measure
