"""``compare``: measures side by side, and systems held against each other.

``topics``: one system's score in every query, against all systems'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator.engine import scoring
from curator.engine.question_groups import rests_on_questions
from curator.engine.settings import (
    Chosen,
    Named,
    Options,
    board_settings,
    several,
)
from curator.engine.settings import settings as chosen_settings
from curator.engine.state import State
from curator.errors import CuratorError, EvaluationError
from curator.evaluation.comparison import (
    MeasurePair,
    QueryDifference,
    ScoreMatrix,
    measure_pairs,
    query_differences,
    score_matrix,
)
from curator.evaluation.leaderboard import Leaderboard, Standing
from curator.evaluation.measures.measure import Row
from curator.evaluation.ranks import TIE_TOLERANCE, rank_ranges
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MIN_ANSWERED,
    OFFICIAL,
    Settings,
)
from curator.evaluation.significance import PairTest, PairTests, pair_tests, tiers
from curator.results import Result

USUAL = ("cover", "P@20", "nDCG@10")


@dataclass(frozen=True)
class Significance(Result[PairTest], table="compare.significance_table"):
    """The tests of all pairs of systems under one setting, and the tiers they make."""

    settings: Settings
    tests: PairTests
    tiers: dict[str, int]


@dataclass(frozen=True)
class Between:
    """The queries on which two systems differ, the largest difference first."""

    settings: Settings
    first: str
    second: str
    queries: tuple[QueryDifference, ...]


@dataclass(frozen=True)
class Comparison(Result[str], table="compare.comparison_tables"):
    """Boards of the same systems under several settings, in the order asked for.

    ``pairs`` correlates every two; ``significance`` and ``between`` are of the first,
    None unless asked for. ``systems`` are in the order of the first board.
    """

    boards: tuple[Leaderboard, ...]
    pairs: tuple[MeasurePair, ...]
    significance: Significance | None = None
    between: Between | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """Every system, in the order of the first board that has any."""
        ranked = next((one for one in self.boards if one.standings), self.boards[0])
        return tuple(standing.system for standing in ranked.standings)

    @property
    def notes(self) -> tuple[str, ...]:
        """What the boards and their correlations do not rest on, each said once."""
        notes = [note for one in self.boards for note in one.notes]
        notes += [pair.note for pair in self.pairs]
        notes += [self.significance.tests.note] if self.significance else []
        return tuple(dict.fromkeys(filter(None, notes)))


def asked(
    state: State,
    measures: Sequence[Chosen] = (),
    graders: Sequence[str] = (),
    *,
    min_rating: int | None = None,
    k: int = DEFAULT_K,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
) -> tuple[Settings, ...]:
    """Settings for every measure under every grader, grader by grader.

    Settings among the measures stand as they are. Without measures that of the first
    board, and the usual ones that the grader can give: one that grades passages as a
    whole has no Cover. Raises as ``settings`` does, for measures that were named also
    where a grader cannot give them.
    """
    found: list[Settings] = []
    for grader in graders or (None,):
        wanted = [
            measure
            if isinstance(measure, Settings)
            else chosen_settings(
                state, grader, measure, min_rating, k, min_answered, label
            )
            for measure in measures or (None, *USUAL)
        ]
        if measures:
            found += wanted
            continue
        boards = {one: _board(state, one) for one in wanted}
        able = [one for one, board in boards.items() if board and board.standings]
        # Where there is no board at all, the usual ones say why.
        found += able or [one for one, board in boards.items() if board]
    return tuple(dict.fromkeys(found))


def _board(state: State, settings: Settings) -> Leaderboard | None:
    """The board under these settings; None where there is none even in principle."""
    try:
        return scoring.board(state, settings)
    except CuratorError:
        return None


def compare(
    state: State,
    settings: Named | Sequence[Chosen] = (),
    *,
    measures: Named | Sequence[Named] = (),
    graders: Sequence[str] = (),
    min_rating: int | None = None,
    k: int = DEFAULT_K,
    min_answered: int = DEFAULT_MIN_ANSWERED,
    label: str | None = None,
    tests: bool = False,
    between: tuple[str, str] | None = None,
    by: str | None = None,
    questions: Sequence[str] = (),
) -> Comparison:
    """Boards under these settings side by side, and how alike they are.

    A measure, here or in ``measures``, stands for its boards under every grader named;
    without any, the first board, then Cover, P@20 and nDCG@10. ``tests`` adds the
    randomisation tests of all pairs of systems, ``between`` the queries on which two
    differ, both under the first settings. ``by`` is what all are the mean over, "query"
    or "subtopic"; where it is not said and some are by query, all are. ``questions``
    names groups of questions, each with boards of its own; boards that rest on none
    stand there once. Raises
    EvaluationError without settings, UnknownNameError for a system there is not.
    """
    given = [*several(settings), *several(measures)]
    under = asked(
        *(state, given, graders),
        min_rating=min_rating,
        k=k,
        min_answered=min_answered,
        label=label,
    )
    if not under:
        raise EvaluationError("Name a measure to compare, such as --measure nDCG@10.")
    if by is None and any(o.by == "query" for o in under if o.grader != OFFICIAL):
        by = "query"  # scores are held against each other topic by topic
    chosen = tuple(
        dict.fromkeys(
            board_settings(
                state,
                {"questions": group if rests_on_questions(state, board) else None},
                board,
                by,
            )
            for group in questions or (None,)
            for board in under
        )
    )
    return Comparison(
        boards=tuple(scoring.board(state, one) for one in chosen),
        pairs=state.cached(
            ("measure pairs", chosen),
            lambda: measure_pairs(
                [scoring.board(state, one) for one in chosen],
                [matrix_of(state, one) for one in chosen],
            ),
        ),
        significance=significance(state, chosen[0]) if tests else None,
        between=differences(state, chosen[0], *between) if between else None,
    )


def significance(
    state: State,
    /,
    settings: Chosen | None = None,
    **options: Options,
) -> Significance:
    """All pairs of systems tested, and the board in tiers; computed once a state."""
    chosen = board_settings(state, options, settings)

    def computed() -> Significance:
        tested = pair_tests(matrix_of(state, chosen))
        order = [one.system for one in scoring.board(state, chosen).standings]
        return Significance(chosen, tested, tiers(order, tested))

    return state.cached(("significance", chosen), computed)


def differences(state: State, settings: Settings, first: str, second: str) -> Between:
    """Every query's scores of two systems.

    Raises UnknownNameError, and EvaluationError for one system twice.
    """
    if first == second:
        raise EvaluationError(f"'{first}' does not differ from itself: name another.")
    found = query_differences(matrix_of(state, settings), first, second)
    return Between(settings, first, second, found)


def matrix_of(state: State, settings: Settings) -> ScoreMatrix:
    """Every counting query's score of every system: what the board is the mean of."""
    return score_matrix(rows_of(state, settings), state.collection.systems)


def rows_of(state: State, settings: Settings) -> Mapping[str, Row]:
    """Every counting query's row; none of the official ranks."""
    if settings.grader == OFFICIAL:
        return {}
    return scoring.scored_queries(state, settings, state.bank).rows


@dataclass(frozen=True, slots=True)
class Topic:
    """One query: this system's score and place, and what all systems got there.

    ``rank`` is 1 for the best; ties share it. Where grades of the query are missing it
    is by what is known and lies in ``rank_range``, as the score does between ``lower``
    and ``upper``; None where the measure has no bounds.
    """

    query_id: str
    score: float
    rank: int
    minimum: float
    median: float
    maximum: float
    rank_range: tuple[int, int] | None
    lower: float | None
    upper: float | None

    @property
    def over_median(self) -> float:
        """How far the score is above the median; below it is negative."""
        return self.score - self.median


@dataclass(frozen=True)
class SystemTopics(Result[Topic], table="compare.topic_table"):
    """A system's line on its board and its topics, furthest below the median first.

    ``standing`` is None where no query counts; ``systems`` is how many the minimum,
    median and maximum are of, this one included.
    """

    settings: Settings
    system: str
    standing: Standing | None
    systems: int
    topics: tuple[Topic, ...]
    board: Leaderboard

    @property
    def notes(self) -> tuple[str, ...]:
        """What the board does not rest on."""
        return self.board.notes


def topics(
    state: State,
    /,
    system: str,
    settings: Chosen | None = None,
    *,
    by: str | None = None,
    **options: Options,
) -> SystemTopics:
    """One system's score in every query against all systems' range and median.

    ``by`` "subtopic": in every subtopic. Raises UnknownNameError.
    """
    settings = board_settings(state, options, settings, by)
    rows = rows_of(state, settings)
    matrix = score_matrix(rows, state.collection.systems)
    column = matrix.position(system)
    found = []
    for query_id, row in rows.items():
        scores, lower, upper = row.score, row.lower, row.upper
        score = float(scores[column])
        rank = 1 + int((scores > score + TIE_TOLERANCE).sum())
        within: tuple[int, int] | None = None
        if lower is not None and upper is not None:
            closed = np.array_equal(lower, upper)
            within = (rank, rank) if closed else rank_ranges(lower, upper)[column]
        found.append(
            Topic(
                query_id=query_id,
                score=score,
                rank=rank,
                minimum=float(scores.min()),
                median=float(np.median(scores)),
                maximum=float(scores.max()),
                rank_range=within,
                lower=None if lower is None else float(lower[column]),
                upper=None if upper is None else float(upper[column]),
            )
        )
    # Rounded, or the last bits of equal differences would decide their order.
    found.sort(key=lambda one: round(one.over_median, 9))
    board = scoring.board(state, settings)
    standing = next((one for one in board.standings if one.system == system), None)
    return SystemTopics(
        settings, system, standing, len(matrix.systems), tuple(found), board
    )
