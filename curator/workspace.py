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
from curator.snapshot.methods import lazy_modules, reads
from curator.snapshot.opened import OpenWorkspace, Progress
from curator.store import connection as store_connection

if TYPE_CHECKING:
    from curator.snapshot import ideals as ideal_answers
    from curator.snapshot import settings
    from curator.verbs.adjudication import differences
    from curator.verbs.answers import answer_checks, ava_grader, extracted
    from curator.verbs.checks import batch as batches
    from curator.verbs.checks import gold as golden
    from curator.verbs.checks import next_checks as next_pairs
    from curator.verbs.checks import quality
    from curator.verbs.checks import record as recorded
    from curator.verbs.compare import comparison
    from curator.verbs.curate import (
        edits,
        impact,
        leave_one_out,
        near_duplicates,
        question_rows,
    )
    from curator.verbs.files import (
        backup,
        dropped,
        export,
        figure,
        imports,
        repair,
        verify,
    )
    from curator.verbs.files.backup import BackedUp
    from curator.verbs.files.bundles import read as bundle
    from curator.verbs.files.report import report
    from curator.verbs.grading import grade, jobs, missing, reparse
    from curator.verbs.grading import try_endpoint as endpoints
    from curator.verbs.history import board_history, history
    from curator.verbs.judges import agreement as judges
    from curator.verbs.judges import boards as judge_boards
    from curator.verbs.judges import record as judge_record
    from curator.verbs.leaderboard import (
        drawn_board,
        grader_agreement,
        leaderboard,
    )
    from curator.verbs.next import next_steps as nexts
    from curator.verbs.norming import rounds
    from curator.verbs.overview import overview
    from curator.verbs.passages import (
        coverage,
        highlights,
        labels,
        order,
        passage,
        pool_depth,
        pool_rows,
        rouge_agreement,
    )
    from curator.verbs.proposals import decisions, generate
    from curator.verbs.releases import readiness, release
    from curator.verbs.setup import restricted, status
    from curator.verbs.setup import settings as setup
    from curator.verbs.stability import stability
    from curator.verbs.team import assignment, people, progress
    from curator.verbs.validity import validity
else:
    settings, ideal_answers = lazy_modules("curator.snapshot", "settings", "ideals")
    (differences,) = lazy_modules("curator.verbs.adjudication", "differences")
    answer_checks, ava_grader, extracted = lazy_modules(
        "curator.verbs.answers", "answer_checks", "ava_grader", "extracted"
    )
    next_pairs, recorded, quality, batches, golden = lazy_modules(
        "curator.verbs.checks", "next_checks", "record", "quality", "batch", "gold"
    )
    (comparison,) = lazy_modules("curator.verbs.compare", "comparison")
    edits, impact, leave_one_out, near_duplicates, question_rows = lazy_modules(
        "curator.verbs.curate",
        "edits",
        "impact",
        "leave_one_out",
        "near_duplicates",
        "question_rows",
    )
    backup, export, figure, imports, dropped, bundle, repair, verify, report = (
        lazy_modules(
            "curator.verbs.files",
            "backup",
            "export",
            "figure",
            "imports",
            "dropped",
            "bundles.read",
            "repair",
            "verify",
            "report.report",
        )
    )
    grade, jobs, missing, reparse, endpoints = lazy_modules(
        "curator.verbs.grading", "grade", "jobs", "missing", "reparse", "try_endpoint"
    )
    board_history, history = lazy_modules(
        "curator.verbs.history", "board_history", "history"
    )
    judges, judge_boards, judge_record = lazy_modules(
        "curator.verbs.judges", "agreement", "boards", "record"
    )
    drawn_board, grader_agreement, leaderboard = lazy_modules(
        "curator.verbs.leaderboard", "drawn_board", "grader_agreement", "leaderboard"
    )
    (nexts,) = lazy_modules("curator.verbs.next", "next_steps")
    (rounds,) = lazy_modules("curator.verbs.norming", "rounds")
    (overview,) = lazy_modules("curator.verbs.overview", "overview")
    coverage, labels, order, passage, pool_depth, pool_rows, rouge_agreement = (
        lazy_modules(
            "curator.verbs.passages",
            "coverage",
            "labels",
            "order",
            "passage",
            "pool_depth",
            "pool_rows",
            "rouge_agreement",
        )
    )
    (highlights,) = lazy_modules("curator.verbs.passages", "highlights")
    decisions, generate = lazy_modules(
        "curator.verbs.proposals", "decisions", "generate"
    )
    readiness, release = lazy_modules("curator.verbs.releases", "readiness", "release")
    restricted, setup, status = lazy_modules(
        "curator.verbs.setup", "restricted", "settings", "status"
    )
    (stability,) = lazy_modules("curator.verbs.stability", "stability")
    assignment, people, progress = lazy_modules(
        "curator.verbs.team", "assignment", "people", "progress"
    )
    (validity,) = lazy_modules("curator.verbs.validity", "validity")

__all__ = ["Progress", "Workspace", "default_judge"]

AS_JUDGE_VARIABLE = "CURATOR_AS_JUDGE"  # set for commands that the app runs for a judge


class Workspace(OpenWorkspace):
    """An open workspace file and the judge working on it.

    Not shared between threads: every script run, command or test opens its own.
    Expensive data are cached per process and path, and read again only if the file's
    versions changed.
    """

    # A noun's own method is the last of its module, whose name it takes.

    # Contents and settings of the workspace
    collection = reads(status.collection)
    bank = reads(status.bank)
    graders = reads(status.graders)
    languages = reads(status.languages)
    default_grader = reads(settings.default_grader)
    measures = reads(settings.measures)
    highest_rating = reads(settings.highest_rating)
    fitting_rating = reads(settings.fitting_rating)
    settings = reads(settings.settings)
    statistics = reads(status.statistics)
    status = status.status
    set_up = setup.set_up
    restrictions = reads(restricted.restrictions)
    restrict = restricted.restrict

    # Overview
    overview = reads(overview.overview)

    # Curate
    question_numbers = reads(question_rows.question_numbers)
    questions = reads(question_rows.questions)
    solo = reads(impact.solo)
    if_kept = reads(impact.if_kept)
    if_added = reads(impact.if_added)
    if_reworded = reads(impact.if_reworded)
    what_ifs = reads(impact.what_ifs)
    impact = reads(impact.impact)
    near = reads(near_duplicates.near)
    next_steps = reads(nexts.next_steps)
    apply = edits.apply
    undo = edits.undo
    redo = edits.redo
    explain = edits.explain

    # Passages
    qrels = reads(labels.qrels)
    question_qrels = reads(labels.question_qrels)
    judgments = reads(labels.judgments)
    ratings = reads(labels.ratings)
    runs = reads(labels.runs)
    labels = reads(labels.labels)
    to_read = reads(pool_rows.to_read)
    pool = reads(pool_rows.pool)
    pool_to_depth = reads(pool_depth.pool_to_depth)
    holding = reads(order.holding)
    letters = reads(order.letters)
    coverage = reads(coverage.coverage)
    passage_texts = reads(passage.passage_texts)
    answering = reads(passage.answering)
    passage = reads(passage.passage)
    ideals = reads(ideal_answers.ideals)
    rouge_agreement = reads(rouge_agreement.rouge_agreement)
    word_agreement = reads(highlights.word_agreement)
    record_ideals = highlights.record_ideals
    mark_ideals = edits.mark_ideals

    # Leaderboard
    scores = reads(leaderboard.scores)
    correlate = reads(leaderboard.correlate)
    correlations = reads(leaderboard.correlations)
    agreement_tables = reads(leaderboard.agreement_tables)
    agreement = reads(leaderboard.agreement)
    grader_agreement = reads(grader_agreement.grader_agreement)
    sweep = reads(leaderboard.sweep)
    drawn_board = reads(drawn_board.drawn_board)
    leaderboard = reads(leaderboard.leaderboard)
    leave_out = reads(leave_one_out.leave_out)
    leave_out_each = reads(leave_one_out.leave_out_each)
    grounded_questions = reads(leave_one_out.grounded_questions)

    # Compare
    compare = reads(comparison.compare)
    significance = reads(comparison.significance)
    topics = reads(comparison.topics)

    # Validity
    validity = reads(validity.validity)

    # Stability
    stability = reads(stability.stability)

    # Grading
    start_job = grade.start_job
    grade = grade.grade
    reparse = reparse.reparse
    unreadable = reads(missing.unreadable)
    lags_behind_edits = reads(missing.lags_behind_edits)
    pause_job = jobs.pause_job
    resume_job = jobs.resume_job
    stop_job = jobs.stop_job
    jobs = reads(jobs.jobs)
    try_endpoint = endpoints.try_endpoint

    # Proposals
    default_request = reads(generate.default_request)
    gate = reads(generate.gate)
    generations = reads(generate.generations)
    abandoned = reads(generate.abandoned)
    decisions = reads(decisions.decisions)
    recover = generate.recover
    stop_asking = generate.stop_asking
    start_generation = generate.start_generation
    generate = generate.generate

    # Judges
    judges = reads(judges.judges)
    pyramid_curves = reads(judge_boards.pyramid_curves)
    pyramid_tests = reads(judge_boards.pyramid_tests)
    judge_boards = reads(judge_boards.judge_boards)
    record_votes = judge_record.record_votes

    # Team
    add_people = people.add_people
    remove_people = people.remove_people
    people = reads(people.people)
    assignments = reads(assignment.assignments)
    assign = assignment.assign
    assign_evenly = assignment.assign_evenly
    reassign = assignment.reassign
    unassign = assignment.unassign
    handovers = reads(assignment.handovers)
    progress = reads(progress.progress)

    # Adjudication
    adjudication = reads(differences.adjudication)
    decide = differences.decide

    # Norming
    norming_rounds = reads(rounds.norming_rounds)
    norming = reads(rounds.norming)
    open_norming = rounds.open_norming
    reveal_norming = rounds.reveal_norming
    close_norming = rounds.close_norming
    answer_norming = rounds.answer_norming
    record_norming = rounds.record_norming
    comment_norming = rounds.comment_norming

    # Answers
    answers = reads(extracted.answers)
    located_answers = reads(extracted.located_answers)
    known_answers = reads(extracted.known_answers)
    answer_sources = reads(extracted.answer_sources)
    answer_checks = reads(answer_checks.answer_checks)
    ava_models = reads(ava_grader.ava_models)

    # Checks
    next_checks = reads(next_pairs.next_checks)
    record_checks = recorded.record_checks
    check_quality = reads(quality.check_quality)
    check_batch = reads(batches.check_batch)
    check_queue = reads(batches.check_queue)
    draw_batch = batches.draw_batch
    answer_check = batches.answer_check
    confirm_checks = batches.confirm_checks
    gold = golden.gold
    mark_gold = golden.mark_gold

    # History
    done_marks = reads(history.done_marks)
    retirements = reads(history.retirements)
    rewordings = reads(history.rewordings)
    baselines = reads(history.baselines)
    board_history = reads(board_history.board_history)
    event_of = reads(history.event_of)
    bank_at = reads(history.bank_at)
    traces = reads(history.traces)
    events = reads(history.events)
    history = reads(history.history)

    # Releases
    readiness = reads(readiness.readiness)
    releases = reads(release.releases)
    release_named = reads(release.release_named)
    release_difference = reads(release.release_difference)
    release_drifts = reads(release.release_drifts)
    restore_release = release.restore_release
    release = release.release

    # Files
    import_ = imports.import_
    import_bundle = bundle.import_bundle
    export = export.export
    dropped = reads(dropped.dropped)
    report = reads(report.report)
    figure = reads(figure.figure)
    verify = verify.verify
    repair = repair.repair
    backup = backup.backup

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
