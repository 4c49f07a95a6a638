"""Asking graders for what is missing, here or in a process beside the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from curator.verbs.grading import jobs as work
from curator.workspace.history import History
from curator.workspace.opened import Progress

if TYPE_CHECKING:
    from curator.verbs.grading import reparse as rereading
    from curator.verbs.grading import summary, unreadable
    from curator.verbs.grading.run_grader import Tally
    from grading.costs import Prices
    from grading.graders.embedding import Encoder
    from grading.prompts.prompt import Prompt


class Grading(History):
    """Grades, responses that state none, and jobs; grades ``since`` a past bank too."""

    def grade(
        self,
        grader: str = "embedding",
        *,
        query_id: str | None = None,
        since: int | None = None,
        dry_run: bool = False,
        again: bool = False,
        prices: Prices | None = None,
        prompt: Prompt | None = None,
        encoder: Encoder | None = None,
        tally: Tally | None = None,
        progress: Progress | None = None,
    ) -> summary.GradeSummary:
        """Ask a grader for every grade that is missing; what is known is not asked.

        With ``since``, also for what the bank asked right after that event, so that
        ``impact(since=…)`` compares whole boards. ``again`` asks for unreadable
        responses once more, ``prices`` says what tokens cost, ``prompt`` is one of your
        own. ``encoder`` is where the texts are encoded if not in this process;
        ``tally`` counts what is asked while it is asked. Raises GradingError where the
        model is missing.
        """
        from curator.verbs.grading import grade as grading
        from curator.verbs.grading import summary

        bank = None if since is None else self.bank_at(since)
        return grading.grade(
            self._connection,
            self._fresh,
            grader,
            summary.Order(query_id, bank, dry_run, again, prices),
            prompt=prompt,
            encoder=encoder,
            tally=tally,
            progress=progress,
        )

    def reparse(self, grader: str) -> rereading.Reread:
        """Read a grader's stored responses again, as a grader of their own.

        No model is asked. Raises UnknownNameError, and NotGradableError for a grader
        without responses to read.
        """
        from curator.verbs.grading import reparse as rereading

        return rereading.reparse(self._connection, self._fresh(), grader)

    def unreadable(
        self, grader: str, *, query_id: str | None = None
    ) -> tuple[unreadable.Unreadable, ...]:
        """Responses that state no rating, with their words: unknown, never 0."""
        from curator.verbs.grading import unreadable

        return unreadable.unreadable(
            self._connection, self._fresh(), grader, query_id=query_id
        )

    def lags_behind_edits(self, grader: str) -> bool:
        """Whether a local grader lacks grades, and only where people have edited."""
        from curator.verbs.grading import regrade

        boards = self._fresh()
        return boards.once(
            ("lags behind edits", grader),
            lambda: regrade.lags_behind_edits(self._connection, boards, grader),
        )

    def start_job(
        self,
        grader: str = "embedding",
        *,
        query_id: str | None = None,
        again: bool = False,
        prompt: Prompt | None = None,
    ) -> work.Job:
        """Grade what is missing in a process of its own, which outlives this one.

        Raises JobError where a job of this grader is not done, else as ``grade``.
        """
        from curator.verbs.grading import grade as grading

        return grading.start_job(
            self._connection,
            self._fresh,
            self.path,
            grader,
            by=self.judge,
            query_id=query_id,
            again=again,
            prompt=prompt,
        )

    def jobs(self) -> tuple[work.Job, ...]:
        """The work beside the app and how far it is, the latest first."""
        return work.jobs(self._connection)

    def pause_job(self, job_id: int) -> work.Job:
        """Let a job end after the portion that it is at. Raises JobError."""
        return work.pause(self._connection, job_id)

    def stop_job(self, job_id: int) -> work.Job:
        """Let a job end and stand in no other's way. Raises JobError."""
        return work.stop(self._connection, job_id)

    def resume_job(self, job_id: int) -> work.Job:
        """Let a paused, stopped or failed job go on. Raises JobError."""
        return work.resume(self._connection, self.path, job_id)
