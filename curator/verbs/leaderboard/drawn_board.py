"""``drawn_board``: how far a board that was learned from checks can be believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from curator.engine import scoring
from curator.engine.gradebook import GraderRecord
from curator.engine.learned import FAMILY, LearnedGraders
from curator.engine.settings import Chosen, Options, board_settings
from curator.engine.state import State
from curator.evaluation.checks.drawn_boards import (
    DRAWS,
    INFLUENCE_DRAWS,
    Levels,
    QueryUnits,
    drawn_scores,
)
from curator.evaluation.checks.learned import ENOUGH, Floats
from curator.evaluation.grades import GradedQuery, as_counted
from curator.evaluation.leaderboard import mean_scores
from curator.evaluation.measures import Measure
from curator.evaluation.settings import HIGHEST_LABEL, Settings
from curator.formats.text.notices import counted
from curator.results import Result
from curator.verbs.checks.next_checks import DEEPEST, Of
from curator.verbs.checks.quality import checked_pairs

MANY = 500_000  # units, from which on fewer draws are made
FEW_DRAWS, FEW_LOOKED_UP = 60, 4


@dataclass(frozen=True, slots=True)
class DrawnStanding:
    """A system's score and rank with what the checks leave open of them.

    The score at the level that the checks tell is ``corrected``; ``lower`` and
    ``upper`` hold what people's labels would make of it, ``rank_low`` and ``rank_high``
    its rank, from the best to the worst, each with 95 %.
    """

    system: str
    rank: int
    score: float
    corrected: float
    lower: float
    upper: float
    rank_low: int
    rank_high: int


@dataclass(frozen=True)
class DrawnBoard(Result[DrawnStanding], table="leaderboard.drawn_table"):
    """Every system's interval and range of ranks, from so many ``checks``.

    ``sentence`` says how much of the order is settled, or why nothing can be said:
    then there are no standings.
    """

    settings: Settings
    checks: int
    sentence: str
    standings: tuple[DrawnStanding, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentence, and how to read what stands in the table."""
        if not self.standings:
            return (self.sentence,)
        return (
            self.sentence,
            f"From {counted(self.checks, 'check')}: lower and upper hold what people’s "
            "labels would make of a score, rank_low and rank_high its rank, each with "
            "95 %; corrected is the score at the level that the checks tell.",
        )

    def by_system(self) -> dict[str, DrawnStanding]:
        """The standings by system."""
        return {one.system: one for one in self.standings}


def drawn_board(
    state: State,
    /,
    settings: Chosen | None = None,
    *,
    by: str | None = None,
    **options: Options,
) -> DrawnBoard:
    """What the checks leave open of the board under these settings.

    It takes seconds, and minutes where there are millions of pairs. There are no
    standings where the grader is not learned from checks (``checked:A+B``).
    """
    settings = board_settings(state, options, settings, by)
    if not settings.grader.startswith(FAMILY):
        said = (
            f"{settings.grader or settings.measure} is not learned from checks, so "
            f"they leave nothing open of its board; expected {FAMILY}ONE+OTHER."
        )
        return DrawnBoard(settings, 0, said)
    return state.cached(("drawn board", settings), lambda: _drawn(state, settings))


def _drawn(state: State, settings: Settings) -> DrawnBoard:
    record, graders = state.grader(settings.grader), state.gradebook.learned
    measure, systems = state.measure(settings), state.collection.systems
    assert graders is not None  # or there were no such record
    learned = graders.learned(record)
    said = ""
    if not learned.count:
        said = f"With fewer than {ENOUGH} checks nothing is said of how far it is off."
    elif (
        settings.by != "query"
        or settings.questions
        or measure.rests_on == "texts"
        or not measure.by_query
    ):
        said = f"Nothing is said of how far {settings.measure} is off here."
    rows = {} if said else scoring.scored_queries(state, settings, state.bank).rows
    if not rows or not systems:
        return DrawnBoard(settings, learned.count, said or "There is no board.")
    matrices = state.matrices(record.name, state.bank, rows)
    drawn = _Units(state, graders, record, measure, matrices)
    queries = drawn.queries()
    units = sum(len(one.retrieved) for one in queries)
    few = measure.slow or units > MANY
    board = mean_scores([*rows.values()])
    found = drawn_scores(
        learned,
        queries,
        drawn.score,
        board.score,
        highest=drawn.highest,
        draws=FEW_DRAWS if few else DRAWS,
        looked_up=FEW_LOOKED_UP if few else INFLUENCE_DRAWS,
    )
    columns = (
        systems,
        board.ranks.tolist(),
        board.score.tolist(),
        *(
            np.clip(one, 0.0, measure.highest).tolist()
            for one in (found.corrected, found.lower, found.upper)
        ),
        *(one.tolist() for one in (found.best, found.worst)),
    )
    standings = [DrawnStanding(*line) for line in zip(*columns, strict=True)]
    standings.sort(key=lambda one: (one.rank, one.system))
    sentence = found.settled(board.score).sentence(learned.count, units)
    return DrawnBoard(settings, learned.count, sentence, tuple(standings))


@dataclass(frozen=True, eq=False)
class _Units:
    """The units that a board rests on, and the scores that labels of them make."""

    state: State
    graders: LearnedGraders
    record: GraderRecord
    measure: Measure
    matrices: Mapping[str, GradedQuery]

    @property
    def of_passages(self) -> bool:
        return self.record.spec.reading.kind == "direct"

    @property
    def highest(self) -> int:
        """The highest level: a grade, or 1 for yes."""
        return self.graders.highest if self.of_passages else 1

    def queries(self) -> list[QueryUnits]:
        weights: dict[str, dict[tuple[str | None, str], float]] = {}
        of: Of = "passages" if self.of_passages else "pairs"
        checked = checked_pairs(self.state.seen, of)
        drawn = any(one.drawn for one in checked)
        for one in checked:
            if one.answer is not None:
                pair = one.item, one.passage_id
                weights.setdefault(one.query_id, {})[pair] = one.weight * drawn
        return [self._query(q, weights.get(q, {})) for q in self.matrices]

    def _query(
        self, query_id: str, weights: Mapping[tuple[str | None, str], float]
    ) -> QueryUnits:
        units = self.graders.units(self.record, query_id)
        pool, learned = units.pool, self.graders.learned(self.record)
        here = self._places(query_id)
        at = np.full(len(units.signals.values), -1)
        at[here] = np.arange(len(here))
        places, said = self.graders.checked(self.record, query_id)
        kept = at[places] >= 0
        of_place = {
            place: weights[pair]
            for pair, place in zip(weights, units.place(weights), strict=True)
        }
        weight = np.array([of_place.get(one, 0.0) for one in places.tolist()])
        top = pool.top_k(DEEPEST)
        retrieved = np.bincount(top[top >= 0], minlength=pool.size)
        predicted = learned.predicted.get(query_id, np.zeros(0))
        return QueryUnits(
            query_id,
            units.signals.rows(here),
            retrieved[here % pool.size].astype(np.float64),
            at[places][kept],
            np.rint(said * self.highest).astype(np.intp)[kept],
            predicted[kept],
            weight[kept],
        )

    def _places(self, query_id: str) -> NDArray[np.intp]:
        """The units of the board, item by item in the order of its matrix."""
        units = self.graders.units(self.record, query_id)
        every = np.arange(units.pool.size)
        if self.of_passages:
            return every
        words = {q.question_id: q.text for q in self.state.bank.of_query(query_id)}
        row = {one.text: number for number, one in enumerate(units.items)}
        rows = [row[words[one]] for one in self.matrices[query_id].item_ids]
        return (np.array(rows)[:, None] * len(every) + every).ravel()

    def score(self, query_id: str, labels: Levels) -> Floats:
        graded = self.matrices[query_id]
        shape = (len(labels), *graded.ratings.shape)
        yes = 1 if self.of_passages else HIGHEST_LABEL["rated"]
        ratings = np.where(
            graded.ratings < 0, graded.ratings, yes * labels.reshape(shape)
        )
        plain = replace(graded, probabilities=None, gold=None, counted=False)
        return np.stack(
            [
                self.measure.row(
                    as_counted(replace(plain, ratings=one.astype(np.int8)))
                ).score
                for one in ratings
            ]
        )
