"""A workspace: one SQLite file, and every verb as a short method.

>>> with Workspace.open("dl19.db") as workspace:
...     board = workspace.leaderboard(measure="P@20", min_rating=4)

Each method opens nothing but the workspace's own connection, calls one verb and
returns a frozen result that the command line and the pages only render.
"""

from __future__ import annotations

import getpass
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from curator import jobs as work
from curator.bank.edits import Edit
from curator.bank.questions import Bank
from curator.boards import Boards, boards_for
from curator.collection.pools import Collection
from curator.evaluation.settings import (
    DEFAULT_K,
    DEFAULT_MEASURE,
    DEFAULT_MIN_RATING,
    Settings,
)
from curator.store import clocks as store_clocks
from curator.store import connection as store_connection
from curator.verbs import (
    agreeing,
    correlating,
    editing,
    impacting,
    pooling,
    questioning,
    reading,
    retiring,
    scoring,
    setting_up,
    stating,
    what_ifs,
)

# The verbs with parsers and graders behind them are imported where they are called: a
# cold `curator leaderboard` would spend a third of its time on them.
if TYPE_CHECKING:
    from curator.evaluation.agreement import Agreement
    from curator.evaluation.correlation import Correlation, RandomTies
    from curator.evaluation.impact import Impact
    from curator.evaluation.leaderboard import Leaderboard
    from curator.verbs import (
        answers,
        exporting,
        grading,
        importing,
        rereading,
        unreadable,
        verifying,
    )
    from curator.verbs.asking import Tally
    from grading.costs import Prices
    from grading.graders.embedding import Encoder
    from grading.prompts.prompt import Prompt

Progress = Callable[[int, int], None]
Files = str | Path | Sequence[str | Path]


class Workspace:
    """An open workspace file and who is working on it.

    Not shared between threads: every script run, command or test opens its own. What
    is expensive to load is kept per process and path, and reloaded only where the
    file's clocks say that it changed.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        judge: str,
        *,
        as_judge: bool = False,
    ) -> None:
        self.path = path
        self.judge = judge
        self._as_judge = as_judge
        self._connection = connection
        self._boards = boards_for(path)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = False,
        judge: str | None = None,
        as_judge: bool = False,
        patience: float | None = None,
    ) -> Workspace:
        """The workspace in this file, brought up to date.

        ``judge`` signs edits: by default ``CURATOR_USER``, else the user of the
        operating system. Opened ``as_judge``, nothing shows system names, judgments
        and official ranks while the collection is in blind mode. ``patience`` is how
        many seconds a save waits for another writer, a minute by default. Raises
        WorkspaceError for a file that is missing (without ``create``), not a
        workspace, or made by a newer Curator.
        """
        path = Path(path)
        connection = store_connection.open_workspace(path, create=create)
        if patience is not None:
            store_connection.be_patient(connection, patience)
        return cls(path, connection, judge or default_judge(), as_judge=as_judge)

    def close(self) -> None:
        """Close the file; nothing is ever left unsaved."""
        self._connection.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # What is there

    def collection(self) -> Collection:
        """Queries, pools, systems, official ranks; the same object until it changes."""
        return self._fresh().collection

    def bank(self) -> Bank:
        """Every question in every state, by query."""
        return self._fresh().bank

    def status(self) -> stating.Status:
        """The six steps with their state, counts by name, and what graders miss."""
        return stating.status(self._connection, self._fresh(), self.path)

    def settings(
        self,
        *,
        grader: str | None = None,
        measure: str = DEFAULT_MEASURE,
        min_rating: int = DEFAULT_MIN_RATING,
        k: int = DEFAULT_K,
    ) -> Settings:
        """The settings with the grader's full name; its name may be cut short.

        Without a grader the first one of the workspace is meant. Raises
        UnknownNameError, and EvaluationError for thresholds out of range.
        """
        boards = self._fresh()
        return scoring.settings(boards, grader, measure, min_rating, k)

    def graders(self) -> tuple[stating.GraderState, ...]:
        """Every grader: name, kind, model, grades known and needed."""
        boards = self._fresh()
        return boards.once(("graders",), lambda: stating.grader_states(boards))

    def pulse(self, *, besides: Iterable[str] = ()) -> int:
        """A number that differs after every change anyone makes; cheap to ask for.

        Grades of the graders named ``besides`` are left out.
        """
        return store_clocks.pulse(self._connection, besides)

    def writable(self) -> bool:
        """Whether an edit could be saved now, as far as the file decides that."""
        return store_connection.writable(self._connection)

    def checkpoint(self) -> None:
        """Move what SQLite's log holds into the file, as far as nobody is waiting."""
        store_connection.checkpoint(self._connection)

    # Changing it

    def import_(
        self,
        *,
        autograder: Files | None = None,
        bank: Files | None = None,
        queries: Files | None = None,
        passages: Files | None = None,
        runs: Files | None = None,
        judgments: Files | None = None,
        official: Files | None = None,
        min_relevance: int | None = None,
        title: str | None = None,
        progress: Progress | None = None,
    ) -> tuple[importing.ImportSummary, ...]:
        """Read files, one or several of each kind, all in one write or not at all.

        Importing a file again changes nothing. ``progress`` gets (bytes read, bytes
        in all files). Raises InputFileError and ImportConflictError, each one line.
        """
        from curator.verbs import importing

        given: dict[str, Files | None] = {
            "queries": queries,
            "passages": passages,
            "bank": bank,
            "autograder": autograder,
            "runs": runs,
            "judgments": judgments,
            "official": official,
        }
        return importing.import_files(
            self._connection,
            [
                (kind, Path(file))
                for kind, files in given.items()
                for file in importing.listed_files(files)
            ],
            by=self.judge,
            min_relevance=min_relevance,
            title=title,
            progress=progress,
        )

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
    ) -> grading.GradeSummary:
        """Ask a grader for every grade that is missing; what is known is not asked.

        With ``since``, also for what the bank asked right after that event, so that
        ``impact(since=…)`` compares whole boards. ``again`` asks for unreadable
        responses once more, ``prices`` says what tokens cost, ``prompt`` is one of your
        own. ``encoder`` is where the texts are encoded if not in this process;
        ``tally`` counts what is asked while it is asked. Raises GradingError where the
        model is missing.
        """
        from curator.verbs import grading

        bank = None if since is None else self.bank_at(since)
        return grading.grade(
            self._connection,
            self._fresh,
            grader,
            grading.Order(query_id, bank, dry_run, again, prices),
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
        from curator.verbs import rereading

        return rereading.reparse(self._connection, self._fresh(), grader)

    def unreadable(
        self, grader: str, *, query_id: str | None = None
    ) -> tuple[unreadable.Unreadable, ...]:
        """Responses that state no rating, with their words: unknown, never 0."""
        from curator.verbs import unreadable

        return unreadable.unreadable(
            self._connection, self._fresh(), grader, query_id=query_id
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
        from curator.verbs import grading

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

    def lags_behind_edits(self, grader: str) -> bool:
        """Whether a local grader lacks grades, and only where people have edited."""
        from curator.verbs import catching_up

        boards = self._fresh()
        return boards.once(
            ("lags behind edits", grader),
            lambda: catching_up.lags_behind_edits(self._connection, boards, grader),
        )

    def apply(
        self,
        edits: Edit | Iterable[Edit],
        *,
        by: str | None = None,
        shown: str | None = None,
        nonce: str | None = None,
    ) -> editing.Batch:
        """Make the edits, all or none, as one batch that undoes as one.

        ``shown`` is kept with the events: what the judge could see. ``nonce`` is the
        caller's own name for this save; sent again, it answers with the batch that it
        saved and saves nothing. Raises EditError, StaleEditError with both texts where
        a question changed since ``based_on``.
        """
        many = list(edits) if isinstance(edits, Iterable) else [edits]
        return editing.apply(
            self._connection, many, by=by or self.judge, shown=shown, nonce=nonce
        )

    def undo(
        self,
        query_id: str | None = None,
        *,
        event: int | None = None,
        shown: str | None = None,
        nonce: str | None = None,
    ) -> editing.Batch:
        """Take back my latest batch (in this query), or the batch of one event.

        ``shown`` and ``nonce`` as in ``apply``. Raises UndoError where there is none,
        or where someone has changed one of its questions since; then nothing is undone
        and the question is named.
        """
        return editing.undo(
            self._connection,
            by=self.judge,
            query_id=query_id,
            event=event,
            shown=shown,
            nonce=nonce,
        )

    def redo(
        self,
        query_id: str | None = None,
        *,
        shown: str | None = None,
        nonce: str | None = None,
    ) -> editing.Batch:
        """Make again what my latest undo (in this query) took back."""
        return editing.redo(
            self._connection,
            by=self.judge,
            query_id=query_id,
            shown=shown,
            nonce=nonce,
        )

    def explain(self, question_id: str, reason: str) -> None:
        """Say why I retired this question, or take the reason away with "".

        Changes neither bank nor history but the words of that event. Raises EditError
        unless the latest that happened to the question is its retirement by me.
        """
        retiring.explain(self._connection, question_id, reason, by=self.judge)

    def set_up(
        self,
        *,
        title: str | None = None,
        guidelines: str | None = None,
        blind: bool | None = None,
        min_relevance: int | None = None,
    ) -> setting_up.Setup:
        """Set what the organizer decides, and what is then set; None leaves as it is.

        ``guidelines`` is Markdown for the judges, "" takes them away. Raises
        SettingError where one is too long.
        """
        return setting_up.set_up(
            self._connection,
            title=title,
            guidelines=guidelines,
            blind=blind,
            min_relevance=min_relevance,
        )

    # Looking at it

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
        chosen = settings or scoring.settings_from(boards, options)
        return scoring.board(boards, chosen, query_id=query_id, subtopic_id=subtopic_id)

    def scores(
        self,
        settings: Settings | None = None,
        *,
        by: str = "query",
        **options: str | int | None,
    ) -> scoring.ScoreTable:
        """One score per system and query (or subtopic), as trec_eval -q prints."""
        boards = self._fresh()
        chosen = settings or scoring.settings_from(boards, options)
        return scoring.score_table(boards, chosen, by=by)

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
        chosen = settings or scoring.settings_from(boards, options)
        return correlating.correlate(boards, chosen, against=against, ties=ties)

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
        chosen = scoring.settings(
            boards, grader, DEFAULT_MEASURE, min_rating, DEFAULT_K
        )
        return agreeing.agree(boards, chosen, min_relevance=min_relevance)

    def questions(
        self,
        settings: Settings | None = None,
        *,
        query_id: str | None = None,
        **options: str | int | None,
    ) -> tuple[questioning.QuestionLine, ...]:
        """The bank with each question's reach and influence, retired ones included."""
        boards = self._fresh()
        chosen = settings
        if chosen is None and boards.gradebook.records:
            chosen = scoring.settings_from(boards, options)
        return questioning.question_lines(boards, chosen, query_id=query_id)

    def impact(
        self,
        edits: Iterable[Edit] = (),
        *,
        since: int | None = None,
        settings: Settings | None = None,
        query_id: str | None = None,
        encoder: Encoder | None = None,
        **options: str | int | None,
    ) -> Impact:
        """What would differ after these edits, or what differs since an event.

        Changes nothing: a new text is graded in memory (by ``encoder`` if not in this
        process), or its grades are missing where the grader was imported. With
        ``query_id``, scores and ranks in that query alone.
        """
        boards = self._fresh()
        chosen = settings or scoring.settings_from(boards, options)
        if since is not None:
            return impacting.since(
                self._connection, boards, since, chosen, query_id=query_id
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
        return what_ifs.what_ifs(self._fresh(), query_id, settings)

    def solo(self, question_id: str, settings: Settings) -> Impact:
        """The query's own board, and what it would be under this question alone."""
        return impacting.solo(self._fresh(), question_id, settings)

    def bank_at(self, event: int) -> Bank:
        """The bank as it was right after this event; 0 is before the first."""
        return reading.bank_at(self._connection, self._fresh(), event)

    def history(
        self, *, query_id: str | None = None, limit: int | None = None
    ) -> tuple[reading.Event, ...]:
        """What people changed, by whom and when; the latest first, imports left out."""
        return reading.history(self._connection, query_id=query_id, limit=limit)

    def retirements(self, query_id: str) -> dict[str, retiring.Retirement]:
        """Who retired the query's retired questions, when and why; by question id."""
        return retiring.retirements(self._connection, query_id)

    def baselines(self, query_id: str | None = None) -> reading.Baselines:
        """Events to compare with: before my last batch, and as imported."""
        return reading.baselines(self._connection, by=self.judge, query_id=query_id)

    def passage(
        self, query_id: str, passage_id: str, settings: Settings | None = None
    ) -> reading.PassageView:
        """A pool passage opened: its text, judgment, label, answers and ranks."""
        boards = self._fresh()
        chosen = settings or scoring.settings_from(boards, {})
        return reading.passage(self._connection, boards, query_id, passage_id, chosen)

    def pool(
        self,
        query_id: str,
        settings: Settings | None = None,
        *,
        since: int | None = None,
        **options: str | int | None,
    ) -> tuple[pooling.PooledPassage, ...]:
        """A query's passages in pool order: label, judgment, answers and ranks.

        With ``since``, also the label each had right after that event.
        """
        boards = self._fresh()
        chosen = settings or scoring.settings_from(boards, options)
        before = None if since is None else self.bank_at(since)
        return pooling.pool(boards, query_id, chosen, before)

    def answering(
        self, query_id: str, question_id: str, settings: Settings | None = None
    ) -> tuple[str, ...]:
        """The pool passages that answer a question, the best rated first."""
        boards = self._fresh()
        chosen = settings or scoring.settings_from(boards, {})
        return reading.answering(boards, query_id, question_id, chosen)

    def answers(
        self, query_id: str, passage_ids: Sequence[str], grader: str
    ) -> answers.Answers:
        """What an answering grader answered, by passage and question; {} for others."""
        from curator.verbs import answers

        return answers.answers(
            self._connection, self._fresh(), grader, query_id, passage_ids
        )

    def passage_texts(self, passage_ids: Sequence[str]) -> dict[str, str]:
        """Text by passage id, for those that have one."""
        return reading.passage_texts(self._connection, passage_ids)

    def export(
        self,
        kind: str,
        target: str | Path,
        settings: Settings | None = None,
        *,
        binary: bool = False,
        allow_partial: bool = False,
        **options: str | int | None,
    ) -> exporting.ExportSummary:
        """Write ``bank``, ``qrels``, ``autograder`` or ``leaderboard`` to a file.

        Raises EvaluationError where grades are missing and ``allow_partial`` is not
        said.
        """
        from curator.verbs import exporting

        boards = self._fresh()
        if settings is None and kind in ("qrels", "leaderboard"):
            settings = scoring.settings_from(boards, options)
        return exporting.export(
            self._connection,
            boards,
            kind,
            Path(target),
            settings,
            binary=binary,
            allow_partial=allow_partial,
        )

    def verify(self) -> verifying.Verification:
        """Re-hash every text and rebuild every rating vector from the responses."""
        from curator.verbs import verifying

        return verifying.verify(self._connection)

    def _fresh(self) -> Boards:
        boards = self._boards.current(self._connection)
        if self._as_judge and boards.collection.blind:
            return boards.blinded()
        return boards


def default_judge() -> str:
    """Who edits are signed by: ``CURATOR_USER``, else the operating system's user."""
    try:
        return os.environ.get("CURATOR_USER") or getpass.getuser()
    except OSError:
        return "unknown"
