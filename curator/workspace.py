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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
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
    blind_verdicts,
    blind_votes,
    correlating,
    deciding,
    editing,
    human_first,
    if_kept,
    impacting,
    leaving_out,
    near,
    offering,
    pooling,
    proposals,
    questioning,
    reading,
    retiring,
    scoring,
    setting_up,
    stating,
    what_ifs,
)
from curator.verbs.orders import Order

# The verbs with parsers and graders behind them are imported where they are called: a
# cold `curator leaderboard` would spend a third of its time on them.
if TYPE_CHECKING:
    from curator.evaluation.agreement import Agreement
    from curator.evaluation.correlation import Correlation, RandomTies
    from curator.evaluation.impact import Impact
    from curator.evaluation.leaderboard import Leaderboard
    from curator.evaluation.releases import Difference, Release
    from curator.report.contents import Report
    from curator.store.releases import ReleaseRecord
    from curator.verbs import (
        answers,
        ava_models,
        compared_checks,
        comparing,
        export_orders,
        generating,
        grade_orders,
        importing,
        judge_boards,
        judging,
        known_answers,
        rereading,
        sweeping,
        topics,
        unreadable,
        verifying,
    )
    from curator.verbs.asking import Tally
    from curator.verbs.ideals import IdealAnswer, Span
    from curator.verbs.readiness import Readiness
    from curator.verbs.releasing import Drift
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
        """Every question in every state, by query.

        Opened ``as_judge``, without votes on questions that the judge has not voted on,
        and without verdicts on answers that the judge has not judged.
        """
        boards = self._fresh()
        return self._seen_boards(boards).bank

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
        UnknownNameError, and EvaluationError for thresholds out of range or, opened as
        a judge, for the votes of another that are hidden.
        """
        boards = self._fresh()
        found = scoring.settings(boards, grader, measure, min_rating, k)
        if self._as_judge:
            named = boards.measure(found)
            blind_votes.refuse_judge(boards.bank, named, self.judge)
        return found

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
        gold: Files | None = None,
        reports: Files | None = None,
        ir_dataset: str | Sequence[str] = (),
        min_relevance: int | None = None,
        title: str | None = None,
        tokenizer: str | None = None,
        progress: Progress | None = None,
    ) -> tuple[importing.ImportSummary, ...]:
        """Read files, one or several of each kind, all in one write or not at all.

        ``ir_dataset`` names datasets of the ir_datasets library, ``tokenizer`` what
        cuts generated reports into passages ("words" for None). Importing a file again
        changes nothing. ``progress`` gets (bytes read, bytes in all files). Raises
        InputFileError and ImportConflictError, each one line.
        """
        from curator.verbs import importing

        given: dict[str, Files | None] = {
            "queries": queries,
            "passages": passages,
            "bank": bank,
            "autograder": autograder,
            "runs": runs,
            "reports": reports,
            "judgments": judgments,
            "official": official,
            "gold": gold,
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
            tokenizer=tokenizer,
            ir_datasets=[ir_dataset] if isinstance(ir_dataset, str) else ir_dataset,
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
    ) -> grade_orders.GradeSummary:
        """Ask a grader for every grade that is missing; what is known is not asked.

        With ``since``, also for what the bank asked right after that event, so that
        ``impact(since=…)`` compares whole boards. ``again`` asks for unreadable
        responses once more, ``prices`` says what tokens cost, ``prompt`` is one of your
        own. ``encoder`` is where the texts are encoded if not in this process;
        ``tally`` counts what is asked while it is asked. Raises GradingError where the
        model is missing.
        """
        from curator.verbs import grade_orders, grading

        bank = None if since is None else self.bank_at(since)
        return grading.grade(
            self._connection,
            self._fresh,
            grader,
            grade_orders.Order(query_id, bank, dry_run, again, prices),
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
        seconds: float | None = None,
    ) -> editing.Batch:
        """Make the edits, all or none, as one batch that undoes as one.

        ``shown`` and ``seconds`` are kept with the events: what the judge could see,
        and how long they looked. ``nonce`` is the caller's own name for this save; sent
        again, it answers with the batch that it saved and saves nothing. Raises
        EditError, StaleEditError with both texts where a question changed since
        ``based_on``.
        """
        many = list(edits) if isinstance(edits, Iterable) else [edits]
        return editing.apply(
            self._connection,
            many,
            by=by or self.judge,
            shown=shown,
            nonce=nonce,
            seconds=seconds,
        )

    def mark_ideals(
        self,
        query_id: str,
        passage_id: str,
        spans: Iterable[Span] = ((0, None),),
        *,
        marked: bool = True,
        shown: str | None = None,
        nonce: str | None = None,
    ) -> editing.Batch:
        """Mark a passage, or spans of its text, as ideal answers, or take marks away.

        A span is (start, end) in characters, end exclusive; (0, None) is all of it.
        ``shown`` and ``nonce`` as in ``apply``. Raises EditError, UnknownNameError.
        """
        from curator.verbs import ideals as ideal_answers

        edits = ideal_answers.marking(
            self._connection,
            self._fresh(),
            query_id,
            passage_id,
            spans,
            marked=marked,
        )
        return self.apply(edits, shown=shown, nonce=nonce)

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
        human_first: int | None = None,
        generation: Order | None = None,
    ) -> setting_up.Setup:
        """Set what the organizer decides, and what is then set; None leaves as it is.

        ``guidelines`` is Markdown for the judges, "" takes them away; ``human_first``
        how many questions a judge writes in a query before seeing a proposal there, 0
        for none; ``generation`` how models are asked unless somebody says otherwise.
        Raises SettingError where one is too long or out of range.
        """
        return setting_up.set_up(
            self._connection,
            title=title,
            guidelines=guidelines,
            blind=blind,
            min_relevance=min_relevance,
            human_first=human_first,
            generation=generation,
        )

    # Questions that a model proposes

    def usual_order(self) -> Order:
        """How models are asked unless somebody says otherwise; no model, by default."""
        return setting_up.setup(self._connection).generation or Order(model="")

    def generate(
        self,
        order: Order,
        *,
        settings: Settings | None = None,
        dry_run: bool = False,
        prices: Prices | None = None,
        tally: Tally | None = None,
        progress: Progress | None = None,
    ) -> generating.GenerateSummary:
        """Ask an LLM for questions; what it proposes counts for nothing until kept.

        What has an answer already is not asked again. ``settings`` say which passages
        no question covers, where the order is ``grounded``: by default those of the
        first grader. Raises PromptError and EndpointError, each one line.
        """
        from curator.verbs import generating

        return generating.generate(
            self._connection,
            self._fresh,
            order,
            by=self.judge,
            settings=settings or self._covering(order),
            dry_run=dry_run,
            prices=prices,
            tally=tally,
            progress=progress,
        )

    def start_generation(
        self, order: Order, *, settings: Settings | None = None
    ) -> work.Job:
        """Do the same in a process of its own, which outlives this one.

        Raises JobError where a job that asks this model is not done.
        """
        from curator.verbs import generating

        return generating.start_job(
            self._connection,
            self._fresh,
            self.path,
            order,
            by=self.judge,
            settings=settings or self._covering(order),
        )

    def salvage(self) -> bool:
        """Keep what had arrived for askings that have died; whether there were any."""
        from curator.verbs import proposing

        return proposing.salvage(self._connection)

    def generations(
        self,
        *,
        query_id: str | None = None,
        asking: bool = False,
        unread: bool = False,
    ) -> tuple[proposals.Generation, ...]:
        """What models were asked to propose and what they said, the latest first.

        ``asking``: only what is being asked now; ``unread``: only what could not be
        read, nor was answered since. What a judge is not to see yet is left out.
        """
        closed = self._closed()
        found = proposals.generations(
            self._connection, query_id=query_id, asking=asking, unread=unread
        )
        return tuple(one for one in found if one.query_id not in closed)

    def gate(self, query_id: str) -> human_first.Gate:
        """How many questions I have to write here before I am shown proposals."""
        boards = self._boards.current(self._connection)
        return human_first.gate(self._connection, boards, query_id, self.judge)

    def if_kept(self, query_id: str, settings: Settings) -> if_kept.Proposed:
        """What keeping each proposal of the query would do; changes nothing."""
        return if_kept.if_kept(self._fresh(), query_id, settings)

    def near(self, query_id: str) -> dict[str, near.Near]:
        """The question that each of the query's is nearest to in meaning, if any."""
        return near.near(self._connection, self._fresh(), query_id)

    def decisions(self) -> deciding.Decisions:
        """Who wrote what, and what people made of what was proposed."""
        boards = self._boards.current(self._connection)
        return boards.once(
            ("decisions",), lambda: deciding.decisions(self._connection, boards)
        )

    def leave_out(self, system: str, settings: Settings) -> leaving_out.LeftOut:
        """The board without the questions that rest on one system's passages alone."""
        return leaving_out.leave_out(self._fresh(), system, settings)

    def leave_out_each(self, settings: Settings) -> tuple[leaving_out.LeftOut, ...]:
        """The same for every system that has questions of its own."""
        return leaving_out.leave_out_each(self._fresh(), settings)

    # What judges find important

    def judges(self) -> judging.Judges:
        """Who has voted on how much, how far judges agree and where they differ.

        Opened ``as_judge``, over the votes that the judge may see.
        """
        from curator.verbs import judging

        return judging.judges(self._seen_boards(self._fresh()))

    def pyramid_curves(
        self, settings: Settings | None = None, **options: str | int | None
    ) -> judge_boards.PyramidCurves:
        """What another judge adds to the pyramid: one point for 1, 2, … judges."""
        from curator.verbs import judge_boards

        boards = self._seen_boards(self._fresh())
        chosen = settings or scoring.settings_from(boards, options)
        return judge_boards.pyramid_curves(boards, chosen)

    def judge_boards(
        self, settings: Settings | None = None, **options: str | int | None
    ) -> judge_boards.JudgeBoards:
        """Each judge's own board beside the nugget pyramid of all, with their τ.

        Of the settings grader, min_rating and k count.
        """
        from curator.verbs import judge_boards

        boards = self._seen_boards(self._fresh())
        chosen = settings or scoring.settings_from(boards, options)
        return judge_boards.judge_boards(boards, chosen)

    def grounded_questions(self) -> int:
        """How many kept questions were proposed from a passage."""
        return leaving_out.grounded_questions(self._fresh())

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

    def measures(self) -> tuple[str, ...]:
        """The measures that this workspace has what it takes for, to choose from."""
        return offering.measures(self._fresh())

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
    ) -> comparing.Comparison:
        """Boards under these settings side by side, and how alike they are.

        Without ``settings``, every measure named under every grader named: by default
        Cover, P@20 and nDCG@10 under the first. ``tests`` tests all pairs of systems,
        ``between`` lists the queries on which two differ, both under the first.
        """
        from curator.verbs import comparing

        boards = self._fresh()
        chosen = tuple(settings) or comparing.asked(
            boards, measures, graders, min_rating=min_rating, k=k
        )
        return comparing.compare(boards, chosen, tests=tests, between=between)

    def significance(self, settings: Settings) -> comparing.Significance:
        """All pairs of systems tested under these settings, and the board in tiers."""
        from curator.verbs import comparing

        return comparing.significance(self._fresh(), settings)

    def topics(
        self,
        system: str,
        settings: Settings | None = None,
        **options: str | int | None,
    ) -> topics.SystemTopics:
        """One system's score in every query against all systems' range and median."""
        from curator.verbs import topics

        boards = self._fresh()
        chosen = settings or scoring.settings_from(boards, options)
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
        chosen = settings or scoring.settings_from(boards, options)
        return correlating.correlate(boards, chosen, against=against, ties=ties)

    def correlations(
        self,
        measures: Sequence[str],
        *,
        against: Sequence[str] = (correlating.OFFICIAL,),
        ties: str = "average",
        **options: str | int | None,
    ) -> tuple[correlating.Correlated, ...]:
        """Every measure's board against every reference.

        ``judgments:<measure>`` is a board of the official judgments, on either side.
        """
        boards = self._fresh()
        asked = [
            correlating.correlated_settings(boards, measure, **options)
            for measure in measures
        ]
        return correlating.correlations(boards, asked, against=against, ties=ties)

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

    def agreement_tables(
        self, *, grader: str | None = None, min_relevance: int | None = None
    ) -> agreeing.GraderTables:
        """Labels against judgments in graded, lenient and strict tables, with kappa.

        Beside them the kappa of every direct relevance grader here. Raises as
        ``agreement`` does.
        """
        boards = self._fresh()
        name = scoring.grader_name(boards, grader)
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
        from curator.verbs import sweeping

        boards = self._fresh()
        return tuple(
            sweeping.sweep(boards, one, against=against)
            for one in sweeping.asked(boards, measures, grader=grader, k=k)
        )

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
        lines = questioning.question_lines(boards, chosen, query_id=query_id)
        if not self._as_judge:
            return lines
        measure = chosen.measure if chosen else ""
        return blind_votes.seen_lines(lines, measure, self.judge)

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
        chosen = settings or scoring.settings_from(boards, options)
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
        return blind_votes.seen_what_ifs(found, settings.measure, voted)

    def solo(self, question_id: str, settings: Settings) -> Impact:
        """The query's own board, and what it would be under this question alone.

        Raises EvaluationError where that would tell a judge votes that are hidden.
        """
        boards = self._fresh()
        if self._as_judge:
            voted = self._voted(boards)
            blind_votes.refuse_solo(question_id, settings.measure, voted)
        return impacting.solo(boards, question_id, settings)

    def event_of(self, said: int | str) -> int:
        """The event meant by its number, or by the release that it is the latest of.

        Whatever looks like a number is one. Raises UnknownNameError.
        """
        from curator.store import releases

        return releases.event_of(self._connection, said)

    def bank_at(self, event: int) -> Bank:
        """The bank as it was right after this event; 0 is before the first."""
        boards = self._fresh()
        past = self._past(boards, event)
        if not self._as_judge:
            return past
        seen = blind_votes.seen_past(past, self._voted(boards))
        return blind_verdicts.seen_bank(seen, self._judged(boards))

    def history(
        self, *, query_id: str | None = None, limit: int | None = None
    ) -> tuple[reading.Event, ...]:
        """What people changed, by whom and when; the latest first, imports left out."""
        closed = self._closed()
        events = reading.history(self._connection, query_id=query_id, limit=limit)
        if not self._as_judge:
            return events
        boards, hidden = self._fresh(), self._hidden()
        voted, judged = self._voted(boards), self._judged(boards)
        return tuple(
            one
            for one in events
            if human_first.may_be_seen(one, closed, hidden)
            and blind_votes.may_be_seen(one, voted, self.judge)
            and blind_verdicts.may_be_seen(one, judged, self.judge)
        )

    def retirements(self, query_id: str) -> dict[str, retiring.Retirement]:
        """Who retired the query's retired questions, when and why; by question id."""
        found = retiring.retirements(self._connection, query_id)
        hidden = self._hidden().get(query_id, ())
        return {one: what for one, what in found.items() if one not in hidden}

    def baselines(self, query_id: str | None = None) -> reading.Baselines:
        """Events to compare with: before my last batch, and as imported."""
        return reading.baselines(self._connection, by=self.judge, query_id=query_id)

    def passage(
        self, query_id: str, passage_id: str, settings: Settings | None = None
    ) -> reading.PassageView:
        """A pool passage opened: its text, judgment, label, answers and ranks."""
        boards = self._fresh()
        chosen = settings or scoring.settings_from(boards, {})
        found = reading.passage(self._connection, boards, query_id, passage_id, chosen)
        return blind_votes.seen_passage(found, self.judge) if self._as_judge else found

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
        before = None if since is None else self._past(boards, since)
        return pooling.pool(boards, query_id, chosen, before)

    def ideals(self, query_id: str | None = None) -> tuple[IdealAnswer, ...]:
        """Ideal answers, what ROUGE compares with: marked, gold answers, gold articles.

        Raises UnknownNameError for a query there is not.
        """
        from curator.verbs import ideals as ideal_answers

        return ideal_answers.ideals(self._connection, self._fresh(), query_id)

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

    def known_answers(
        self, query_id: str | None = None
    ) -> tuple[known_answers.KnownQuestion, ...]:
        """Kept questions with the answers known to be correct or incorrect.

        Gold answers, the other choices beside them, and what most judges say, be it
        shown to this one or not.
        """
        from curator.verbs import known_answers

        return known_answers.known_answers(self._fresh().bank, query_id)

    def answer_checks(
        self, source: str | None = None, graders: Sequence[str] | None = None
    ) -> compared_checks.AnswerChecks:
        """String matching, AVA graders and people on what one grader answered.

        ``source`` is the answering grader, ``graders`` are AVA graders of its answers,
        by default all. Opened ``as_judge``, over the verdicts that the judge may see.
        """
        from curator.verbs import answer_checks

        boards = self._seen_boards(self._fresh())
        return answer_checks.answer_checks(self._connection, boards, source, graders)

    def answer_sources(self) -> tuple[str, ...]:
        """The graders whose answers can be checked; the one with most grades first."""
        from curator.verbs import answer_sources

        return answer_sources.source_names(self._fresh())

    def ava_models(self) -> tuple[ava_models.AvaModel, ...]:
        """The model behind each AVA grader, by the card that lies in its folder."""
        from curator.verbs import ava_models

        return ava_models.ava_models(self._fresh())

    def passage_texts(self, passage_ids: Sequence[str]) -> dict[str, str]:
        """Text by passage id, for those that have one."""
        return reading.passage_texts(self._connection, passage_ids)

    def export(
        self,
        kind: str,
        target: str | Path,
        settings: Settings | None = None,
        *,
        release: str | None = None,
        binary: bool = False,
        by_subtopic: bool = False,
        allow_partial: bool = False,
        **options: str | int | None,
    ) -> export_orders.ExportSummary:
        """Write one of ``verbs.exporting.EXPORTERS`` to a file.

        Numbers are those under the settings, or of a ``release``. Raises
        EvaluationError where grades are missing and ``allow_partial`` is not said.
        """
        from curator.verbs import exporting

        boards = self._fresh()
        if kind not in exporting.OF_NUMBERS:  # a board is everybody's, a vote is not
            boards = self._seen_boards(boards)
        found = None
        if release is not None:
            found = self.release_named(release)
        elif settings is None and kind in exporting.OF_NUMBERS:
            settings = scoring.settings_from(boards, options)
        elif settings is None and kind in ("report", "bundle"):
            settings = self._report_settings(boards, options)
        return exporting.export(
            exporting.ExportOrder(
                self._connection,
                boards,
                kind,
                Path(target),
                settings,
                found,
                binary=binary,
                by_subtopic=by_subtopic,
                allow_partial=allow_partial,
                closed=self._closed(),
                by=self.judge,
            )
        )

    def report(
        self, settings: Settings | None = None, **options: str | int | None
    ) -> Report:
        """Everything the published page says, as one value; ``export`` writes it.

        Also of a workspace without grades. Opened as a judge, over what the judge may
        see.
        """
        from curator.verbs import reporting

        boards = self._seen_boards(self._fresh())
        chosen = settings or self._report_settings(boards, options)
        return reporting.report(self._connection, boards, chosen)

    def losses(self, kind: str) -> tuple[str, ...]:
        """What an export of this kind has no place for: "12 votes", "3 subtopics"."""
        from curator.verbs import losses

        return losses.lost(self._connection, self._seen_boards(self._fresh()), kind)

    # Releases

    def readiness(self, settings: Settings | None) -> Readiness:
        """What a release would lack under these settings: grades, decisions, ticks."""
        from curator.verbs import readiness

        boards = self._fresh()
        seen, closed = self._seen_boards(boards).bank, len(self._closed())
        return readiness.readiness(boards, settings, seen=seen, closed=closed)

    def release_drifts(self) -> tuple[Drift, ...]:
        """Each release with the labels that its grader gives otherwise by now."""
        from curator.verbs import releasing

        return releasing.drifts(self._connection, self._whole())

    def release(
        self,
        name: str,
        settings: Settings | None = None,
        *,
        why: str = "",
        allow_partial: bool = False,
        **options: str | int | None,
    ) -> ReleaseRecord:
        """Freeze the kept bank, its settings and its labels; they never change again.

        Raises ReleaseError for a name that is taken, EvaluationError where grades are
        missing and ``allow_partial`` is not said.
        """
        from curator.verbs import releasing

        return releasing.release(
            self._connection,
            self._whole,
            name,
            settings or scoring.settings_from(self._fresh(), options),
            by=self.judge,
            why=why,
            allow_partial=allow_partial,
        )

    def releases(self) -> tuple[ReleaseRecord, ...]:
        """Every release, the latest first: who froze what, when and why."""
        from curator.store import releases

        return releases.read_releases(self._connection)

    def release_named(self, name: str) -> tuple[ReleaseRecord, Release]:
        """A release with its content. Raises UnknownNameError.

        Opened ``as_judge`` in blind mode, without its board, which has names in it.
        """
        from curator.store import releases

        record, frozen = releases.read_release(self._connection, name)
        if self._as_judge and self._fresh().collection.blind:
            frozen = replace(frozen, board=())
        return record, frozen

    def release_difference(self, name: str, other: str | None = None) -> Difference:
        """What differs from a release to another, or to the workspace as it is.

        Opened ``as_judge`` in blind mode, without the boards.
        """
        from curator.verbs import releasing

        found = releasing.compared(self._connection, self._whole(), name, other)
        if self._as_judge and self._fresh().collection.blind:
            return replace(found, systems=())
        return found

    def restore_release(self, name: str) -> editing.Batch:
        """Make the kept bank that of a release again, as edits that undo as one.

        Raises NothingToChangeError where it is that already, UnknownNameError.
        """
        from curator.verbs import restoring

        return restoring.restore(self._connection, self._whole, name, by=self.judge)

    def import_bundle(self, path: str | Path) -> importing.ImportSummary:
        """Rebuild the workspace of a bundle in this one, which must hold nothing.

        Raises WorkspaceError where it holds anything, BundleError for a bundle that is
        not whole; nothing is kept then.
        """
        from curator.verbs import unbundling

        return unbundling.import_bundle(self._connection, Path(path))

    def verify(self, against: str | Path | None = None) -> verifying.Verification:
        """Re-hash every text, rebuild every rating, compute every exported number.

        The numbers of the bundle that this was rebuilt from, and those of ``against``:
        a bundle, qrels or a board. Raises BundleError and InputFileError for a file
        that cannot be read.
        """
        from curator.verbs import recomputing, verifying

        found = verifying.verify(self._connection)
        # What differs names systems, which a judge in blind mode is not to see.
        hidden = self._as_judge and bool(setting_up.setup(self._connection).blind)
        whole = None if hidden else self._whole
        file = None if against is None else Path(against)
        return recomputing.with_numbers(self._connection, found, whole, file)

    def _fresh(self) -> Boards:
        boards = self._boards.current(self._connection)
        if self._as_judge and boards.collection.blind:
            boards = boards.blinded()
        if self._as_judge:
            boards = human_first.seen_by(self._connection, boards, self.judge)
        return boards

    def _whole(self) -> Boards:
        """The boards with every name and every question, whoever opened this."""
        return self._boards.current(self._connection)

    def _report_settings(
        self, boards: Boards, options: Mapping[str, str | int | None]
    ) -> Settings | None:
        """The settings of a report; None where nothing is graded."""
        from curator.verbs import reporting

        return reporting.report_settings(boards, options)

    def _covering(self, order: Order) -> Settings | None:
        """The settings that say which passages are covered, where that matters."""
        boards = self._fresh()
        if not order.grounded or not boards.gradebook.records:
            return None
        return scoring.settings_from(boards, {})

    def _seen_boards(self, boards: Boards) -> Boards:
        """The boards with the votes that whoever opened this may see."""
        if not self._as_judge:
            return boards
        return blind_votes.seen_boards(boards, self.judge)

    def _voted(self, boards: Boards) -> frozenset[str]:
        """The questions on which they have a vote."""
        return boards.once(
            ("voted on", self.judge),
            lambda: blind_votes.voted_on(boards.bank, self.judge),
        )

    def _judged(self, boards: Boards) -> frozenset[blind_verdicts.Words]:
        """The answers on which they have a verdict."""
        return boards.once(
            ("judged by", self.judge),
            lambda: blind_verdicts.judged_by(boards.bank, self.judge),
        )

    def _past(self, boards: Boards, event: int) -> Bank:
        """The bank as it was, with everybody's votes."""
        past = reading.bank_at(self._connection, boards, event)
        closed = self._closed()
        if not closed:
            return past
        return human_first.past_seen(past, boards.bank, closed, self._hidden())

    def _closed(self) -> frozenset[str]:
        """The queries whose proposals whoever opened this is not to see yet."""
        if not self._as_judge:
            return frozenset()
        boards = self._boards.current(self._connection)
        return human_first.closed_queries(self._connection, boards, self.judge)

    def _hidden(self) -> dict[str, frozenset[str]]:
        """By query, the ids of the proposals that they are not to see yet."""
        if not self._as_judge:
            return {}
        boards = self._boards.current(self._connection)
        return human_first.hidden_questions(self._connection, boards, self.judge)


def default_judge() -> str:
    """Who edits are signed by: ``CURATOR_USER``, else the operating system's user."""
    try:
        return os.environ.get("CURATOR_USER") or getpass.getuser()
    except OSError:
        return "unknown"
