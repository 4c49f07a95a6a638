"""``topics``: one system's score in every query, against all systems'."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from curator.engine.scoring import board
from curator.engine.settings import Options, settings_from
from curator.engine.state import State
from curator.evaluation.leaderboard import Standing
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.evaluation.settings import Settings
from curator.verbs.compare.comparison import matrix_of


@dataclass(frozen=True, slots=True)
class Topic:
    """One query: this system's score and place, and what all systems got there.

    ``rank`` is 1 for the best; ties share it.
    """

    query_id: str
    score: float
    rank: int
    minimum: float
    median: float
    maximum: float

    @property
    def over_median(self) -> float:
        """How far the score is above the median; below it is negative."""
        return self.score - self.median


@dataclass(frozen=True)
class SystemTopics:
    """A system's line on the board and its topics, the furthest below the median first.

    ``standing`` is None where no query counts; ``systems`` is how many the minimum,
    median and maximum are of, this one included.
    """

    settings: Settings
    system: str
    standing: Standing | None
    systems: int
    topics: tuple[Topic, ...]
    notes: tuple[str, ...] = ()


def topics(
    state: State, /, system: str, settings: Settings | None = None, **options: Options
) -> SystemTopics:
    """One system's score in every query against all systems' range and median.

    Raises UnknownNameError.
    """
    settings = settings_from(state, options, settings)
    matrix = matrix_of(state, settings)
    column = matrix.position(system)
    found = []
    for query_id, scores in zip(matrix.query_ids, matrix.scores, strict=True):
        score = float(scores[column])
        found.append(
            Topic(
                query_id=query_id,
                score=score,
                rank=1 + int((scores > score + TIE_TOLERANCE).sum()),
                minimum=float(scores.min()),
                median=float(np.median(scores)),
                maximum=float(scores.max()),
            )
        )
    # Rounded, or the last bits of equal differences would decide their order.
    found.sort(key=lambda one: round(one.over_median, 9))
    standings = board(state, settings)
    own = [one for one in standings.standings if one.system == system]
    return SystemTopics(
        settings=settings,
        system=system,
        standing=own[0] if own else None,
        systems=len(matrix.systems),
        topics=tuple(found),
        notes=standings.notes,
    )
