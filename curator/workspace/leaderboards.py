"""Boards, and how alike they are to each other, to references and to judgments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.engine import available_measures, scoring
from curator.engine import settings as chosen_settings
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_RATING,
    Settings,
)
from curator.verbs.leaderboard import agreement as agreeing
from curator.verbs.leaderboard import correlation, score_tables
from curator.workspace.opened import Opened

if TYPE_CHECKING:
    from curator.evaluation.agreement import Agreement
    from curator.evaluation.correlation import Correlation, RandomTies
    from curator.evaluation.leaderboard import Leaderboard
    from curator.verbs.compare import comparison, topics
    from curator.verbs.leaderboard import sweep as sweeping


class Leaderboards(Opened):
    """Boards and scores, comparison, correlation, agreement, sweeps."""

    def leaderboard(
        self,
        settings: Settings | None = None,
        *,
        query_id: str | None = None,
        subtopic_id: str | None = None,
        **options: str | int | None,
    ) -> Leaderboard:
        """The board under these settings, or under ``settings(**options)``.

        Over one query only, or over one subtopic's questions, where asked.
        """
        boards = self._fresh()
        chosen = settings or chosen_settings.settings_from(boards, options)
        return scoring.board(boards, chosen, query_id=query_id, subtopic_id=subtopic_id)

    def scores(
        self,
        settings: Settings | None = None,
        *,
        by: str = "query",
        **options: str | int | None,
    ) -> score_tables.ScoreTable:
        """One score per system and query (or subtopic), as trec_eval -q prints."""
        boards = self._fresh()
        chosen = settings or chosen_settings.settings_from(boards, options)
        return score_tables.score_table(boards, chosen, by=by)

    def measures(self) -> tuple[str, ...]:
        """The measures that this workspace has what it takes for, to choose from."""
        return available_measures.measures(self._fresh())

    def compare(
        self,
        settings: Sequence[Settings] = (),
        *,
        measures: Sequence[str] = (),
        graders: Sequence[str] = (),
        min_rating: int = DEFAULT_MIN_RATING,
        k: int = DEFAULT_K,
        tests: bool = False,
        between: tuple[str, str] | None = None,
    ) -> comparison.Comparison:
        """Boards under these settings side by side, and how alike they are.

        Without ``settings``, every measure named under every grader named: by default
        Cover, P@20 and nDCG@10 under the first. ``tests`` tests all pairs of systems,
        ``between`` lists the queries on which two differ, both under the first.
        """
        from curator.verbs.compare import comparison

        boards = self._fresh()
        chosen = tuple(settings) or comparison.asked(
            boards, measures, graders, min_rating=min_rating, k=k
        )
        return comparison.compare(boards, chosen, tests=tests, between=between)

    def significance(self, settings: Settings) -> comparison.Significance:
        """All pairs of systems tested under these settings, and the board in tiers."""
        from curator.verbs.compare import comparison

        return comparison.significance(self._fresh(), settings)

    def topics(
        self,
        system: str,
        settings: Settings | None = None,
        **options: str | int | None,
    ) -> topics.SystemTopics:
        """One system's score in every query against all systems' range and median."""
        from curator.verbs.compare import topics

        boards = self._fresh()
        chosen = settings or chosen_settings.settings_from(boards, options)
        return topics.topics(boards, system, chosen)

    def correlate(
        self,
        settings: Settings | None = None,
        *,
        against: str = "official",
        ties: str = "average",
        **options: str | int | None,
    ) -> Correlation | RandomTies:
        """How alike the board is to a reference; Spearman, Kendall and tau AP."""
        boards = self._fresh()
        chosen = settings or chosen_settings.settings_from(boards, options)
        return correlation.correlate(boards, chosen, against=against, ties=ties)

    def correlations(
        self,
        measures: Sequence[str],
        *,
        against: Sequence[str] = (correlation.OFFICIAL,),
        ties: str = "average",
        **options: str | int | None,
    ) -> tuple[correlation.Correlated, ...]:
        """Every measure's board against every reference.

        ``judgments:<measure>`` is a board of the official judgments, on either side.
        """
        boards = self._fresh()
        asked = [
            correlation.correlated_settings(boards, measure, **options)
            for measure in measures
        ]
        return correlation.correlations(boards, asked, against=against, ties=ties)

    def agreement(
        self,
        *,
        grader: str | None = None,
        min_rating: int = DEFAULT_MIN_RATING,
        min_relevance: int | None = None,
    ) -> Agreement:
        """Labels against the official judgments: a 2x2 table and Cohen's kappa.

        Raises EvaluationError where nobody has said from which judgment a passage is
        relevant.
        """
        boards = self._fresh()
        chosen = chosen_settings.settings(
            boards, grader, DEFAULT_MEASURE, min_rating, DEFAULT_K
        )
        return agreeing.agree(boards, chosen, min_relevance=min_relevance)

    def agreement_tables(
        self, *, grader: str | None = None, min_relevance: int | None = None
    ) -> agreeing.GraderTables:
        """Labels against judgments in graded, lenient and strict tables, with kappa.

        Beside them the kappa of every direct relevance grader here. Raises as
        ``agreement`` does.
        """
        boards = self._fresh()
        name = chosen_settings.grader_name(boards, grader)
        return agreeing.tables(boards, name, min_relevance=min_relevance)

    def sweep(
        self,
        measures: Sequence[str] = (),
        *,
        grader: str | None = None,
        k: int = DEFAULT_K,
        against: str = "official",
    ) -> tuple[sweeping.Sweep, ...]:
        """Each measure's correlation with the reference at every minimum rating.

        Cover's where no measure is named. Raises EvaluationError for a grader that
        does not rate.
        """
        from curator.verbs.leaderboard import sweep as sweeping

        boards = self._fresh()
        return tuple(
            sweeping.sweep(boards, one, against=against)
            for one in sweeping.asked(boards, measures, grader=grader, k=k)
        )
