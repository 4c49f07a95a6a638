"""A workspace: one SQLite file, with every verb as a method.

>>> with Workspace.open("dl19.db") as workspace:
...     board = workspace.leaderboard("P@20", min_rating=4)

A reading verb works on a snapshot and returns a frozen result, which the command line
and the pages only display; ``with workspace.snapshot():`` gives several verbs the same
snapshot. Verbs are defined, with their parameters and results, in ``curator.verbs``
under the noun that is on the screen.
"""

from __future__ import annotations

import getpass
import os
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from curator.bank.marks import GOLD, is_gold
from curator.errors import WorkspaceError
from curator.formats.text.records import NOT_IN_NAMES
from curator.snapshot.methods import lazy_verbs
from curator.snapshot.opened import OpenWorkspace, Progress
from curator.store import connection as store_connection

if TYPE_CHECKING:
    from curator.snapshot.snapshot import Snapshot
    from curator.verbs.files.backup import BackedUp

    class ForEditors(OpenWorkspace, Snapshot):
        """Editors bind a verb of a snapshot only to what they take for one."""

else:
    ForEditors = OpenWorkspace

__all__ = ["Progress", "Workspace", "default_judge"]

AS_JUDGE_VARIABLE = "CURATOR_AS_JUDGE"  # set for commands that the app runs for a judge


@lazy_verbs(__file__)
class Workspace(ForEditors):
    """An open workspace file and the judge working on it.

    Not shared between threads: every script run, command or test opens its own.
    Expensive data are cached per process and path, and read again only if the file's
    versions changed.
    """

    if TYPE_CHECKING:
        from curator.snapshot.ideals import ideals
        from curator.snapshot.settings import (
            default_grader,
            fitting_rating,
            highest_rating,
            measures,
            settings,
        )
        from curator.verbs.adjudication import adjudication, decide
        from curator.verbs.answers.answer_checks import answer_checks
        from curator.verbs.answers.ava_grader import ava_models
        from curator.verbs.answers.extracted import (
            answer_sources,
            answers,
            known_answers,
            located_answers,
        )
        from curator.verbs.checks.batch import (
            answer_check,
            check_batch,
            check_queue,
            confirm_checks,
            draw_batch,
        )
        from curator.verbs.checks.gold import gold, mark_gold
        from curator.verbs.checks.next_checks import next_checks
        from curator.verbs.checks.quality import check_quality
        from curator.verbs.checks.record import record_checks
        from curator.verbs.checks.trust import trust
        from curator.verbs.compare import compare, significance, topics
        from curator.verbs.curate.edits import apply, explain, mark_ideals, redo, undo
        from curator.verbs.curate.impact import (
            if_added,
            if_kept,
            if_reworded,
            impact,
            near,
            solo,
            what_ifs,
        )
        from curator.verbs.curate.leave_one_out import (
            grounded_questions,
            leave_out,
            leave_out_each,
        )
        from curator.verbs.curate.question_rows import question_numbers, questions
        from curator.verbs.files.backup import backup, repair
        from curator.verbs.files.bundles.read import import_bundle
        from curator.verbs.files.export import export
        from curator.verbs.files.export_request import dropped
        from curator.verbs.files.figure import figure
        from curator.verbs.files.imports import import_
        from curator.verbs.files.report.report import report
        from curator.verbs.files.verify import verify
        from curator.verbs.grading.grade import grade, start_job
        from curator.verbs.grading.jobs import jobs, pause_job, resume_job, stop_job
        from curator.verbs.grading.missing import lags_behind_edits, unreadable
        from curator.verbs.grading.reparse import reparse
        from curator.verbs.history import (
            bank_at,
            baselines,
            board_history,
            done_marks,
            event_of,
            events,
            history,
            retirements,
            rewordings,
            traces,
        )
        from curator.verbs.judges import judges, pyramid, record_votes
        from curator.verbs.leaderboard.drawn_board import drawn_board
        from curator.verbs.leaderboard.grader_agreement import grader_agreement
        from curator.verbs.leaderboard.leaderboard import (
            agreement,
            correlate,
            correlations,
            leaderboard,
            scores,
            sweep,
        )
        from curator.verbs.next import next_steps
        from curator.verbs.norming import (
            answer_norming,
            close_norming,
            comment_norming,
            norming,
            norming_rounds,
            open_norming,
            record_norming,
            reveal_norming,
        )
        from curator.verbs.overview import overview
        from curator.verbs.passages.labels import (
            coverage,
            judgments,
            labels,
            qrels,
            question_qrels,
            ratings,
            runs,
        )
        from curator.verbs.passages.passage import answering, passage, passage_texts
        from curator.verbs.passages.pool_rows import (
            holding,
            letters,
            pool,
            pool_to_depth,
            to_read,
        )
        from curator.verbs.passages.rouge_agreement import (
            record_ideals,
            rouge_agreement,
            word_agreement,
        )
        from curator.verbs.proposals.decisions import decisions
        from curator.verbs.proposals.generate import (
            abandoned,
            default_request,
            gate,
            generate,
            generations,
            recover,
            start_generation,
            stop_asking,
        )
        from curator.verbs.releases import (
            readiness,
            release,
            release_difference,
            release_drifts,
            release_named,
            releases,
            restore_release,
        )
        from curator.verbs.setup import (
            bank,
            collection,
            graders,
            languages,
            restrict,
            restrictions,
            set_up,
            statistics,
            status,
            try_endpoint,
        )
        from curator.verbs.stability.stability import stability
        from curator.verbs.team import (
            add_people,
            assign,
            assign_evenly,
            assignments,
            handovers,
            people,
            progress,
            reassign,
            remove_people,
            unassign,
        )
        from curator.verbs.validity.validity import validity

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
        """Open the workspace in this file and migrate it to the current schema.

        ``judge`` signs edits: by default ``CURATOR_USER``, else the user of the
        operating system. With ``as_judge``, as in the app, the judge's listed role
        applies (``people``), and everything is hidden that a judge may not see.
        Without, it is opened by the file's owner. ``patience`` is how many seconds a
        save waits for another writer, a minute by default. Raises WorkspaceError for a
        file that is missing (without ``create``), not a workspace, or made by a newer
        Curator, and for a judge's name that is not printable; RoleError for a judge who
        is not listed.
        """
        path = Path(path)
        judge = judge or default_judge()
        if (
            not judge.strip()
            or NOT_IN_NAMES.search(judge)
            or (as_judge and is_gold(judge))
        ):
            raise WorkspaceError(
                f"{judge!r} cannot be a judge's name: expected visible characters on "
                f"one line, not beginning with {GOLD}. Set another with CURATOR_USER."
            )
        connection = store_connection.open_workspace(path, create=create)
        if patience is not None:
            store_connection.set_busy_timeout(connection, patience)
        try:
            return cls(path, connection, judge, as_judge=as_judge)
        except BaseException as error:
            try:
                _report_damage(connection, path, error)
            finally:
                connection.close()
            raise

    @staticmethod
    def restore(file: str | Path, path: str | Path, *, force: bool = False) -> BackedUp:
        """Replace the workspace at ``path`` with the copy ``file``; see ``backup``."""
        from curator.verbs.files.backup import restore

        return restore(file, path, force=force)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(
        self, kind: object = None, error: BaseException | None = None, at: object = None
    ) -> None:
        """Close the file. Raises WorkspaceError for an error that its damage caused."""
        try:
            _report_damage(self.connection, self.path, error)
        finally:
            self.close()


def _report_damage(
    connection: sqlite3.Connection, path: Path, error: BaseException | None
) -> None:
    if isinstance(error, Exception):
        from curator.store.bundles.integrity import raise_if_damaged

        raise_if_damaged(error, path, connection)


def default_judge() -> str:
    """Return the name that signs edits: ``CURATOR_USER``, else the system's user."""
    try:
        return os.environ.get("CURATOR_USER") or getpass.getuser()
    except OSError:
        return "unknown"
