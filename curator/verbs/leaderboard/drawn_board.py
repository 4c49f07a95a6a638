"""``drawn_board``: uncertainty of a board whose grader was learned from checks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from curator.evaluation.checks.drawn_boards import (
    DRAWS,
    INFLUENCE_DRAWS,
    Levels,
    QueryUnits,
    drawn_scores,
)
from curator.evaluation.checks.learned import ENOUGH, Floats
from curator.evaluation.grades import GradedQuery, merge_segments
from curator.evaluation.leaderboard import mean_scores
from curator.evaluation.measures import Measure
from curator.evaluation.settings import HIGHEST_LABEL, Settings
from curator.formats.text.notices import counted
from curator.results import Result, column
from curator.snapshot import scoring
from curator.snapshot.gradebook import GraderRecord
from curator.snapshot.learned import PREFIX, LearnedGraders
from curator.snapshot.settings import BoardChoice, OptionValue, board_settings
from curator.snapshot.snapshot import Snapshot, cached_in_snapshot
from curator.tables.settings import settings_words
from curator.verbs.checks.next_checks import MAX_DEPTH, CheckKind
from curator.verbs.checks.quality import checked_pairs

MANY_UNITS = 500_000  # number of units from which on fewer draws are made
FEW_DRAWS, FEW_LOOKED_UP = 60, 4


@dataclass(frozen=True, slots=True)
class DrawnStanding:
    """A system's score and rank with 95 % intervals from the checks.

    ``corrected`` is the score at the level that the checks indicate; ``lower`` and
    ``upper`` bound the score under people's labels, ``rank_low`` and ``rank_high`` its
    rank, from the best to the worst.
    """

    columns: ClassVar = "rank system score lower upper rank_low rank_high corrected"

    system: str
    rank: int
    score: float
    corrected: float
    lower: float
    upper: float
    rank_low: int = field(metadata=column("rank_low"))
    rank_high: int = field(metadata=column("rank_high"))


@dataclass(frozen=True)
class DrawnBoard(Result[DrawnStanding], rows="standings"):
    """Every system's intervals of score and rank, from the number of ``checks``.

    ``sentence`` says how much of the order is settled, or gives the reason why there
    are no standings.
    """

    settings: Settings
    checks: int
    sentence: str
    standings: tuple[DrawnStanding, ...] = ()

    @property
    def caption(self) -> str:
        return settings_words(self.settings)

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentence, and how to read the columns."""
        if not self.standings:
            return (self.sentence,)
        return (
            self.sentence,
            f"From {counted(self.checks, 'check')}: under people’s labels, the score "
            "is between lower and upper and the rank between rank_low and rank_high, "
            "each with 95 %; corrected is the score at the level that the checks "
            "indicate.",
        )

    def by_system(self) -> dict[str, DrawnStanding]:
        return {row.system: row for row in self.standings}


def drawn_board(
    snapshot: Snapshot,
    /,
    settings: BoardChoice | None = None,
    *,
    by: str | None = None,
    **options: OptionValue,
) -> DrawnBoard:
    """Return intervals for the scores and ranks of a board learned from checks.

    Takes seconds, or minutes with millions of pairs. There are no standings if the
    grader is not learned from checks (``checked:A+B``).
    """
    settings = board_settings(snapshot, options, settings, by)
    if not settings.grader.startswith(PREFIX):
        reason = (
            f"{settings.grader or settings.measure} is not learned from checks, so "
            f"checks give no intervals of its board; expected {PREFIX}ONE+OTHER."
        )
        return DrawnBoard(settings, 0, reason)
    return _drawn(snapshot, settings)


@cached_in_snapshot
def _drawn(snapshot: Snapshot, settings: Settings) -> DrawnBoard:
    record, graders = snapshot.grader(settings.grader), snapshot.gradebook.learned
    measure, systems = snapshot.measure(settings), snapshot.collection.systems
    assert graders is not None  # else the record would not exist
    learned = graders.model(record)
    reason = ""
    if not learned.count:
        reason = f"Fewer than {ENOUGH} checks are too few to estimate its error."
    elif (
        settings.by != "query"
        or settings.questions
        or measure.based_on == "texts"
        or not measure.by_query
    ):
        reason = f"The error of {settings.measure} cannot be estimated here."
    rows = (
        {} if reason else scoring.scored_queries(snapshot, settings, snapshot.bank).rows
    )
    if not rows or not systems:
        return DrawnBoard(settings, learned.count, reason or "There is no board.")
    matrices = snapshot.matrices(record.name, snapshot.bank, rows)
    board_units = _Units(snapshot, graders, record, measure, matrices)
    queries = board_units.queries()
    units = sum(len(query.retrieved) for query in queries)
    few = measure.slow or units > MANY_UNITS
    board = mean_scores([*rows.values()])
    drawn = drawn_scores(
        learned,
        queries,
        board_units.score,
        board.score,
        highest=board_units.highest,
        draws=FEW_DRAWS if few else DRAWS,
        influence_draws=FEW_LOOKED_UP if few else INFLUENCE_DRAWS,
    )
    clipped = np.clip((drawn.corrected, drawn.lower, drawn.upper), 0.0, measure.highest)
    columns = (board.ranks, board.score, *clipped, drawn.best, drawn.worst)
    rows_of_systems = zip(systems, *(c.tolist() for c in columns), strict=True)
    standings = [DrawnStanding(*line) for line in rows_of_systems]
    standings.sort(key=lambda row: (row.rank, row.system))
    sentence = drawn.settled_ranks(board.score).sentence(learned.count, units)
    return DrawnBoard(settings, learned.count, sentence, tuple(standings))


@dataclass(frozen=True, eq=False)
class _Units:
    """The units a board is computed from, and the scores under drawn labels of them."""

    snapshot: Snapshot
    graders: LearnedGraders
    record: GraderRecord
    measure: Measure
    matrices: Mapping[str, GradedQuery]

    @property
    def grades_passages(self) -> bool:
        return self.record.spec.reading.kind == "direct"

    @property
    def highest(self) -> int:
        """The highest level: a grade, or 1 for yes."""
        return self.graders.highest if self.grades_passages else 1

    def queries(self) -> list[QueryUnits]:
        weights: defaultdict[str, dict[tuple[str | None, str], float]]
        weights = defaultdict(dict)
        of: CheckKind = "passages" if self.grades_passages else "pairs"
        checked = checked_pairs(self.snapshot, of)
        drawn = any(check.drawn for check in checked)
        for check in checked:
            if check.answer is not None:
                pair = check.item, check.passage_id
                weights[check.query_id][pair] = check.weight * drawn
        return [self._query(query_id, weights[query_id]) for query_id in self.matrices]

    def _query(
        self, query_id: str, weights: Mapping[tuple[str | None, str], float]
    ) -> QueryUnits:
        units = self.graders.units(self.record, query_id)
        pool, learned = units.pool, self.graders.model(self.record)
        board_units = self._places(query_id)
        indices = np.full(len(units.signals.values), -1)
        indices[board_units] = np.arange(len(board_units))
        places, values = self.graders.checked(self.record, query_id)
        kept = indices[places] >= 0
        weight_at = dict(zip(units.indices(weights), weights.values(), strict=True))
        weight = np.array([weight_at.get(place, 0.0) for place in places.tolist()])
        top = pool.top_k(MAX_DEPTH)
        retrieved = np.bincount(top[top >= 0], minlength=pool.size)
        predicted = learned.predicted.get(query_id, np.zeros(0))
        return QueryUnits(
            query_id,
            units.signals.select(board_units),
            retrieved[board_units % pool.size].astype(np.float64),
            indices[places][kept],
            np.rint(values * self.highest).astype(np.intp)[kept],
            predicted[kept],
            weight[kept],
        )

    def _places(self, query_id: str) -> NDArray[np.intp]:
        """The units of the board, item by item in the order of its matrix."""
        units = self.graders.units(self.record, query_id)
        positions = np.arange(units.pool.size)
        if self.grades_passages:
            return positions
        questions = self.snapshot.bank.questions_of(query_id)
        words = {question.question_id: question.text for question in questions}
        row = {item.text: number for number, item in enumerate(units.items)}
        rows = [row[words[item_id]] for item_id in self.matrices[query_id].item_ids]
        return (np.array(rows)[:, None] * len(positions) + positions).ravel()

    def score(self, query_id: str, labels: Levels) -> Floats:
        graded = self.matrices[query_id]
        shape = (len(labels), *graded.ratings.shape)
        yes = 1 if self.grades_passages else HIGHEST_LABEL["rated"]
        drawn = np.where(
            graded.ratings < 0, graded.ratings, yes * labels.reshape(shape)
        )
        plain = replace(graded, probabilities=None, gold=None, counted=False)
        scores = []
        for ratings in drawn.astype(np.int8):
            merged = merge_segments(replace(plain, ratings=ratings))
            scores.append(self.measure.row(merged).score)
        return np.stack(scores)
