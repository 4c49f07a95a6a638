"""``compare``: measures side by side, and comparisons of systems.

``topics``: a system's score in every query, compared with all systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from curator.errors import CuratorError, EvaluationError
from curator.evaluation.comparison import (
    MeasurePair,
    QueryDifference,
    ScoreMatrix,
    measure_pairs,
    query_differences,
    score_matrix,
)
from curator.evaluation.leaderboard import BoardRow, Leaderboard
from curator.evaluation.measures import accepts_label
from curator.evaluation.measures.measure import Row
from curator.evaluation.ranks import TIE_TOLERANCE
from curator.evaluation.ranks import rank_ranges as rank_ranges_of_bounds
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_LABEL,
    DEFAULT_MIN_ANSWERED,
    OFFICIAL,
    Settings,
)
from curator.evaluation.significance import (
    PairTest,
    PairTests,
    pair_tests,
    rank_ranges,
    tiers,
)
from curator.results import FLAT, HIDDEN, NOWHERE, Result, computed
from curator.snapshot import scoring
from curator.snapshot.question_groups import depends_on_questions
from curator.snapshot.settings import (
    BoardChoice,
    MeasureOrName,
    OptionValue,
    board_settings,
    measure_list,
    parse_label_rule,
)
from curator.snapshot.settings import settings as chosen_settings
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot

USUAL_MEASURES = ("cover", "P@20", "nDCG@10")


@dataclass(frozen=True)
class Significance(Result[PairTest], table="compare.significance_table"):
    """The tests of all pairs of systems under one setting, and the tiers they make.

    ``rank_ranges`` has the best and the worst rank of each system that the tests leave
    open at 95 %; empty without tests.
    """

    settings: Settings
    tests: PairTests = field(metadata=FLAT)
    tiers: dict[str, int]
    rank_ranges: dict[str, tuple[int, int]]


@dataclass(frozen=True)
class SystemDifferences:
    """The queries on which two systems differ, the largest difference first."""

    settings: Settings
    first: str = field(metadata=HIDDEN)
    second: str = field(metadata=HIDDEN)
    queries: tuple[QueryDifference, ...]

    @property
    @computed()
    def systems(self) -> tuple[str, str]:
        return self.first, self.second


@dataclass(frozen=True)
class Comparison(Result[str], table="compare.comparison_tables"):
    """Boards of the same systems under several settings, in the order requested.

    ``pairs`` correlates every two; ``significance`` and ``between`` are of the first,
    None unless requested. ``systems`` are in the order of the first board.
    """

    boards: tuple[Leaderboard, ...]
    pairs: tuple[MeasurePair, ...]
    significance: Significance | None = None
    between: SystemDifferences | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """Every system, in the order of the first board that has any."""
        ranked = next(filter(None, (board.standings for board in self.boards)), ())
        return tuple(row.system for row in ranked)

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings of the boards and of their correlations, without repetition."""
        notes = [note for board in self.boards for note in board.notes]
        notes += [pair.note for pair in self.pairs]
        notes += [self.significance.tests.note] if self.significance else []
        return tuple(dict.fromkeys(filter(None, notes)))


def _requested_settings(
    snapshot: Snapshot,
    measures: Sequence[BoardChoice],
    graders: Sequence[str],
    options: Mapping[str, Any],
) -> tuple[Settings, ...]:
    """Settings for every measure under every grader, grader by grader.

    Settings among the measures are used unchanged. Without measures, those of the first
    board and the usual ones that the grader and the label support: a grader of whole
    passages has no Cover. Raises as ``settings`` does, for named measures also where
    a grader does not support them.
    """
    rule = parse_label_rule(options["label"] or DEFAULT_LABEL, options["min_answered"])
    usual = (measure for measure in USUAL_MEASURES if accepts_label(measure, rule))
    choices: Sequence[BoardChoice | None] = measures or (None, *usual)
    chosen: list[Settings] = []
    for grader in graders or (None,):
        candidates = []
        for measure in choices:
            if not isinstance(measure, Settings):
                measure = chosen_settings(snapshot, grader, measure, **options)
            candidates.append(measure)
        if measures:
            chosen += candidates
            continue
        possible: list[Leaderboard] = []
        for candidate in candidates:
            with suppress(CuratorError):  # some do not apply to the grader
                possible.append(scoring.board(snapshot, candidate))
        # Without any standings the usual boards are listed for their notes.
        shown_boards = [board for board in possible if board.standings] or possible
        chosen += [board.settings for board in shown_boards]
    return tuple(dict.fromkeys(chosen))


def compare(
    snapshot: Snapshot,
    settings: MeasureOrName | Sequence[BoardChoice] = (),
    *,
    measures: MeasureOrName | Sequence[MeasureOrName] = (),
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
    """Compare boards: scores, ranks and correlations.

    Kendall's tau and Spearman's rho come with 95 % bootstrap intervals over queries. A
    measure gives a board under every grader named. By default all are by query if some
    are. Each group of questions has boards of its own; boards that do not depend on
    questions are listed once. Raises EvaluationError without settings, UnknownNameError
    for an unknown system.

    Args:
        measures (--measure -m NAME): Measure; repeat for several. [that of the first
            board, cover, P@20 and nDCG@10]
        graders (NAME): Grader, or the start of its name; repeat for several. [the
            first]
        tests: Test all pairs of systems for significance under the first measure.
        between (SYSTEM SYSTEM): List the queries on which these two differ most.
        questions (--questions GROUP): Only question, nugget, written, proposed,
            imported, by:NAME or import:N; repeat for several.
    """
    named = [*measure_list(settings), *measure_list(measures)]
    rating: dict[str, Any] = {"min_rating": min_rating, "k": k}
    rule = {"min_answered": min_answered, "label": label}
    requested = _requested_settings(snapshot, named, graders, rating | rule)
    if not requested:
        raise EvaluationError("Name a measure to compare, such as --measure nDCG@10.")
    if by is None and any(s.by == "query" for s in requested if s.grader != OFFICIAL):
        by = "query"  # scores are compared query by query
    chosen: dict[Settings, None] = {}
    for group, board in product(questions or (None,), requested):
        options = {
            "questions": group if depends_on_questions(snapshot, board) else None
        }
        chosen[board_settings(snapshot, options, board, by)] = None
    first = next(iter(chosen))
    return Comparison(
        boards=tuple(scoring.board(snapshot, setting) for setting in chosen),
        pairs=_pairs(snapshot, *chosen),
        significance=significance(snapshot, first) if tests else None,
        between=differences(snapshot, first, *between) if between else None,
    )


@cached_in_snapshot
def _pairs(snapshot: Snapshot, *chosen: Settings) -> tuple[MeasurePair, ...]:
    return measure_pairs(
        [scoring.board(snapshot, settings) for settings in chosen],
        [matrix_of(snapshot, settings) for settings in chosen],
    )


def significance(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    **options: OptionValue,
) -> Significance:
    """Test all pairs of systems, and divide the board into tiers."""
    return _significance(snapshot, board_settings(snapshot, options, settings))


@cached_in_snapshot
def _significance(snapshot: Snapshot, settings: Settings) -> Significance:
    tested = pair_tests(matrix_of(snapshot, settings))
    order = [row.system for row in scoring.board(snapshot, settings).standings]
    ranges = rank_ranges(order, tested)
    return Significance(settings, tested, tiers(order, tested), ranges)


def differences(
    snapshot: Snapshot, settings: Settings, first: str, second: str
) -> SystemDifferences:
    """Compare two systems' scores in every query.

    Raises UnknownNameError, and EvaluationError for the same system twice.
    """
    if first == second:
        raise EvaluationError(f"'{first}' is named twice. Name two systems.")
    query_rows = query_differences(matrix_of(snapshot, settings), first, second)
    return SystemDifferences(settings, first, second, query_rows)


def matrix_of(snapshot: Snapshot, settings: Settings) -> ScoreMatrix:
    """The score of every system in every counting query; the board is its mean."""
    return score_matrix(rows_of(snapshot, settings), snapshot.collection.systems)


def rows_of(snapshot: Snapshot, settings: Settings) -> Mapping[str, Row]:
    """The row of every counting query; {} for official ranks."""
    if settings.grader == OFFICIAL:
        return {}
    return scoring.scored_queries(snapshot, settings, snapshot.bank).rows


@dataclass(frozen=True, slots=True)
class ComparedQuery:
    """A query: a system's score and rank, and the scores of all systems.

    ``rank`` is 1 for the best; ties share it. Where grades of the query are missing,
    score and rank are those by the known grades; the true ones lie between ``lower``
    and ``upper`` and in ``rank_range``, None where the measure has no bounds.
    """

    query_id: str
    score: float
    rank: int = field(metadata=HIDDEN)
    minimum: float
    median: float
    maximum: float
    rank_range: tuple[int, int] | None
    lower: float | None
    upper: float | None

    @property
    @computed(json="rank", only=NOWHERE)
    def certain_rank(self) -> int | None:
        """The rank, None if missing grades leave it open."""
        return self.rank if self.rank_range == (self.rank, self.rank) else None

    @property
    def above_median(self) -> float:
        return self.score - self.median


@dataclass(frozen=True)
class SystemTopics(Result[ComparedQuery], table="compare.topic_table"):
    """A system's line on its board and its topics, furthest below the median first.

    ``board_row`` is None where no query counts; ``systems`` is the number of systems in
    the minimum, median and maximum, this one included.
    """

    settings: Settings
    system: str
    board_row: BoardRow | None
    systems: int
    topics: tuple[ComparedQuery, ...]
    board: Leaderboard

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings of the board."""
        return self.board.notes


def topics(
    snapshot: Snapshot,
    /,
    system: str,
    settings: BoardChoice | None = None,
    *,
    by: str | None = None,
    **options: OptionValue,
) -> SystemTopics:
    """Compare a system's score in every query with all systems' range and median.

    The query furthest below the median comes first. Raises UnknownNameError.
    """
    settings = board_settings(snapshot, options, settings, by)
    rows = rows_of(snapshot, settings)
    matrix = score_matrix(rows, snapshot.collection.systems)
    column = matrix.position(system)
    topic_list = []
    for query_id, row in rows.items():
        scores, lower, upper = row.score, row.lower, row.upper
        score = float(scores[column])
        rank = 1 + int((scores > score + TIE_TOLERANCE).sum())
        rank_range: tuple[int, int] | None = None
        if lower is not None and upper is not None:
            rank_range = rank, rank
            if not np.array_equal(lower, upper):
                rank_range = rank_ranges_of_bounds(lower, upper)[column]
        topic_list.append(
            ComparedQuery(
                query_id=query_id,
                score=score,
                rank=rank,
                minimum=float(scores.min()),
                median=float(np.median(scores)),
                maximum=float(scores.max()),
                rank_range=rank_range,
                lower=None if lower is None else float(lower[column]),
                upper=None if upper is None else float(upper[column]),
            )
        )
    # Rounded so that floating-point noise does not decide the order of ties.
    topic_list.sort(key=lambda topic: round(topic.above_median, 9))
    board = scoring.board(snapshot, settings)
    own_row = next((row for row in board.standings if row.system == system), None)
    return SystemTopics(
        settings, system, own_row, len(matrix.systems), tuple(topic_list), board
    )
