"""The passages of a query's pool, and those that are ideal answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from curator.engine.settings import settings_from
from curator.evaluation.settings import Settings
from curator.verbs.history import reading
from curator.verbs.passages import pool_rows
from curator.visibility import votes
from curator.workspace.opened import Opened

if TYPE_CHECKING:
    from curator.engine.ideals import IdealAnswer


class Passages(Opened):
    """Pools, single passages, their texts, and ideal answers."""

    def passage(
        self, query_id: str, passage_id: str, settings: Settings | None = None
    ) -> reading.PassageView:
        """A pool passage opened: its text, judgment, label, answers and ranks."""
        boards = self._fresh()
        chosen = settings or settings_from(boards, {})
        found = reading.passage(self._connection, boards, query_id, passage_id, chosen)
        return votes.seen_passage(found, self.judge) if self._as_judge else found

    def pool(
        self,
        query_id: str,
        settings: Settings | None = None,
        *,
        since: int | None = None,
        **options: str | int | None,
    ) -> tuple[pool_rows.PooledPassage, ...]:
        """A query's passages in pool order: label, judgment, answers and ranks.

        With ``since``, also the label each had right after that event.
        """
        boards = self._fresh()
        chosen = settings or settings_from(boards, options)
        before = None if since is None else self._past(boards, since)
        return pool_rows.pool(boards, query_id, chosen, before)

    def answering(
        self, query_id: str, question_id: str, settings: Settings | None = None
    ) -> tuple[str, ...]:
        """The pool passages that answer a question, the best rated first."""
        boards = self._fresh()
        chosen = settings or settings_from(boards, {})
        return reading.answering(boards, query_id, question_id, chosen)

    def passage_texts(self, passage_ids: Sequence[str]) -> dict[str, str]:
        """Text by passage id, for those that have one."""
        return reading.passage_texts(self._connection, passage_ids)

    def ideals(self, query_id: str | None = None) -> tuple[IdealAnswer, ...]:
        """Ideal answers, what ROUGE compares with: marked, gold answers, gold articles.

        Raises UnknownNameError for a query there is not.
        """
        from curator.engine import ideals as ideal_answers

        return ideal_answers.ideals(self._connection, self._fresh(), query_id)
