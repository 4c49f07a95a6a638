"""What each question does to the board, and what an edit would."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from curator.bank.edits import Edit
from curator.engine.settings import settings_from
from curator.evaluation.settings import Settings
from curator.verbs.curate import impact as impacting
from curator.verbs.curate import question_rows, what_ifs
from curator.visibility import votes
from curator.workspace.history import History

if TYPE_CHECKING:
    from curator.evaluation.impact import Impact
    from grading.graders.embedding import Encoder


class Influence(History):
    """Reach and influence by question, and the impact of edits made or not."""

    def questions(
        self,
        settings: Settings | None = None,
        *,
        query_id: str | None = None,
        **options: str | int | None,
    ) -> tuple[question_rows.QuestionLine, ...]:
        """The bank with each question's reach and influence, retired ones included."""
        boards = self._fresh()
        chosen = settings
        if chosen is None and boards.gradebook.records:
            chosen = settings_from(boards, options)
        lines = question_rows.question_lines(boards, chosen, query_id=query_id)
        if not self._as_judge:
            return lines
        measure = chosen.measure if chosen else ""
        return votes.seen_lines(lines, measure, self.judge)

    def impact(
        self,
        edits: Iterable[Edit] = (),
        *,
        since: int | str | None = None,
        settings: Settings | None = None,
        query_id: str | None = None,
        encoder: Encoder | None = None,
        **options: str | int | None,
    ) -> Impact:
        """What would differ after these edits, or since an event or a release.

        Changes nothing: a new text is graded in memory (by ``encoder`` if not in this
        process), or its grades are missing where the grader was imported. With
        ``query_id``, scores and ranks in that query alone.
        """
        boards = self._fresh()
        chosen = settings or settings_from(boards, options)
        if since is not None:
            event = self.event_of(since)
            return impacting.since(
                self._connection, boards, event, chosen, query_id=query_id
            )
        return impacting.preview(
            self._connection,
            boards,
            list(edits),
            chosen,
            judge=self.judge,
            query_id=query_id,
            encoder=encoder,
        )

    def what_ifs(
        self, query_id: str, settings: Settings
    ) -> tuple[what_ifs.WhatIf, ...]:
        """What retiring each kept question of the query would do; changes nothing."""
        boards = self._fresh()
        found = what_ifs.what_ifs(boards, query_id, settings)
        if not self._as_judge:
            return found
        voted = self._voted(boards)
        return votes.seen_what_ifs(found, settings.measure, voted)

    def solo(self, question_id: str, settings: Settings) -> Impact:
        """The query's own board, and what it would be under this question alone.

        Raises EvaluationError where that would tell a judge votes that are hidden.
        """
        boards = self._fresh()
        if self._as_judge:
            voted = self._voted(boards)
            votes.refuse_solo(question_id, settings.measure, voted)
        return impacting.solo(boards, question_id, settings)
