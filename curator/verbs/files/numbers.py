"""Export labels as qrels, and boards, current or of a release.

Each file has a manifest next to it: the settings, the SHA-256 of the bank with its
grades, and the release if it is from one. In an exported board EXAM and n-EXAM have
fixed columns; any other measure requested follows them. With gold articles, the ROUGE-1
F1 of Sander & Dietz 2021, Table 4, is added next to EXAM.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from curator.errors import EvaluationError
from curator.evaluation.correlation import correlate
from curator.evaluation.leaderboard import Leaderboard
from curator.evaluation.measures import uses_k
from curator.evaluation.releases import Release
from curator.evaluation.settings import DEFAULT_K, Settings, settings_fields
from curator.formats.codec import Carried
from curator.formats.registry import exports
from curator.formats.text.notices import left_out, missing_grades
from curator.formats.text.output_files import output_file, write_manifest
from curator.formats.text.spreadsheets import is_csv
from curator.formats.trec.qrels import write_qrels, write_question_qrels
from curator.formats.trec.scored_boards import (
    ALL,
    GOLD,
    OVERALL,
    BoardColumn,
    form_of,
    score_lines,
    trec_eval_line,
    write_by_system,
    write_leaderboard,
    write_leaderboard_csv,
)
from curator.snapshot.scoring import board
from curator.snapshot.snapshot import Snapshot
from curator.store.history import last_event, now
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    not_carried,
    refuse_partial,
)
from curator.verbs.leaderboard.leaderboard import scores
from curator.verbs.releases import freeze
from curator.version import VERSION

EXAM, N_EXAM = "cover", "n-exam"  # EXAM is Cover
GOLD_ROUGE = "rouge-1-f1(joined,gold)"
CORRELATIONS = ("spearman", "kendall")


def export_qrels(request: ExportRequest) -> ExportSummary:
    """Write labels for trec_eval, of every query with a kept item.

    Raises EvaluationError for labels by subtopic where no kept item is in one.
    """
    frozen, notices = _frozen(request, "labels use only the others")
    if request.by_subtopic:
        notices = _subtopic_notices(frozen) + notices
    labels = frozen.levels(binary=request.binary, by_subtopic=request.by_subtopic)
    with output_file(request.target) as stream:
        write_qrels(stream, labels)
    content: dict[str, Any] = {
        "binary": request.binary,
        "by_subtopic": request.by_subtopic,
        "labels": len(labels),
        "queries": len({query_id for query_id, _ in labels}),
    }
    scale = frozen.level_scale(by_subtopic=request.by_subtopic)
    if scale > 1 and not request.binary:
        relevant = frozen.relevant_from * scale
        rule = f"each label times {scale:,}, rounded down"
        content["levels"] = {"rule": rule, "scale": scale, "relevant_from": relevant}
        notices.append(
            f"Levels are {rule}. A label of {frozen.relevant_from}, from which a "
            f"passage is relevant, is {relevant:,}: P(rel={relevant})@20 in "
            "ir_measures, or --binary."
        )
    return _summary(request, frozen, len(labels), "labels", notices, content)


def export_question_qrels(request: ExportRequest) -> ExportSummary:
    """Write the questions that each passage answers, of every query with a kept item.

    Raises EvaluationError under a direct relevance grader.
    """
    frozen, notices = _frozen(request, "they have no line")
    levels = [*frozen.question_levels(graded=request.graded)]
    with output_file(request.target) as stream:
        lines = write_question_qrels(stream, levels)
    items = [len([*query.rated()]) for query in frozen.queries]
    content = {
        "graded": request.graded,
        "labels": lines,
        "questions": sum(items),
        "queries": sum(map(bool, items)),
    }
    return _summary(request, frozen, lines, "labels", notices, content)


def _frozen(request: ExportRequest, otherwise: str) -> tuple[Release, list[str]]:
    """Return the release, or the current bank as one, and notices on what it lacks.

    Raises EvaluationError where grades are missing that were not accepted.
    """
    notices = []
    if request.release is not None:  # missing grades were accepted then
        frozen = request.release[1]
    else:
        frozen = freeze(request.snapshot, request.required_settings(), scores=False)
        refuse_partial(frozen.known, frozen.needed, request.allow_partial)
        queries = len(request.snapshot.collection.queries)
        queries -= sum(
            next(query.rated(), None) is not None for query in frozen.queries
        )
        if queries:
            words = "query without a kept item", "queries without a kept item"
            notices.append(left_out(queries, *words))
    if frozen.known < frozen.needed:
        missing = missing_grades(frozen.needed - frozen.known)
        notices.append(f"{missing}; {otherwise}.")
    return frozen, notices


def _subtopic_notices(frozen: Release) -> list[str]:
    """Count items outside subtopics. Raises EvaluationError if all are."""
    outside = [
        item.subtopic_id is None for query in frozen.queries for item in query.rated()
    ]
    if all(outside):
        raise EvaluationError(
            "No kept item is in a subtopic, so there are no labels by subtopic; leave "
            "out --by-subtopic."
        )
    words = "kept item without a subtopic", "kept items without a subtopic"
    return [left_out(sum(outside), *words)] if any(outside) else []


def export_leaderboard(request: ExportRequest) -> ExportSummary:
    """Write the board in the layout of the workbench, with correlations if possible.

    With an ending of evaluation tools, writes their format with the scores of every
    query; a release has no such scores.
    """
    snapshot, form = request.snapshot, _tool_format(request)
    frozen: Release | None = None
    by_topic: Iterable[tuple[str, str, float]] = ()
    official: Mapping[str, float] = {}
    if request.release is not None:
        frozen = request.release[1]
        measure, queries = frozen.settings.measure, len(frozen.queries)
        systems = lines = [row.system for row in frozen.board]
        scores_by_system = {row.system: (row.score, row.stderr) for row in frozen.board}
        columns = [
            BoardColumn(name, scores_by_system if name == measure else {})
            for name in dict.fromkeys((EXAM, N_EXAM, measure))
        ]
        by_topic = [(row.system, ALL, row.score) for row in frozen.board]
        notices = [] if systems else ["The release has no board: there were no runs."]
    else:
        settings, partial = request.required_settings(), request.allow_partial
        current, columns, notes = board_columns(snapshot, settings, partial=partial)
        refuse_partial(current.known, current.needed, partial)
        measure, queries = settings.measure, current.queries
        systems = [row.system for row in current.standings]
        references = [name for name in (OVERALL, GOLD) if name in columns[0].scores]
        lines, official = [*references, *systems], snapshot.collection.official
        if systems and form:
            by_topic = scores(snapshot, settings).by_topic()
        # Notes on columns are for the table.
        notices = [*dict.fromkeys((*current.notes, *([] if form else notes)))]
        if settings.grader:
            frozen = freeze(snapshot, settings, scores=False)
    if form == "zip":
        by_system: dict[str, list[str]] = {}
        for system, topic, score in by_topic:
            line = trec_eval_line(measure, topic, score)
            by_system.setdefault(system, []).append(f"{line}\n")
        write_by_system(request.target, by_system)
    else:
        with output_file(request.target) as stream:
            if form:
                for line in score_lines(form, measure, by_topic):
                    stream.write(f"{line}\n")
            elif is_csv(request.target):
                write_leaderboard_csv(stream, lines, columns, official)
            else:
                write_leaderboard(stream, lines, columns, official)
    content = {"systems": len(systems), "queries": queries}
    return _summary(request, frozen, len(systems), "systems", notices, content)


def _tool_format(request: ExportRequest) -> str:
    """The format that a board's name requests, "zip" for trec_eval; "" for a table."""
    if request.kind != "leaderboard":
        return ""
    zipped = request.target.name.lower().endswith(".zip")
    return "zip" if zipped else form_of(request.target.name)


def _summary(
    request: ExportRequest,
    frozen: Release | None,
    written: int,
    what: str,
    notices: Iterable[str],
    content: dict[str, Any],
) -> ExportSummary:
    """Write the manifest with this ``content``, and return the summary."""
    snapshot, record = request.snapshot, request.release and request.release[0]
    # A release has its own bank, so nothing of the current one is lost.
    carries = exports()[request.kind].carries
    carries = Carried() if _tool_format(request) else carries
    lost = () if request.release else not_carried(snapshot, carries)
    grades = {"known": frozen.known, "needed": frozen.needed} if frozen else None
    event = record.event_id if record else last_event(snapshot.full.connection)
    release_fields = ("name", "sha256", "at", "by", "why")
    settings = settings_fields(
        frozen.settings if frozen else request.required_settings()
    )
    sidecar = write_manifest(
        request.target,
        {
            "kind": request.kind,
            "made_by": f"Curator {VERSION}",
            "at": now(),
            "by": snapshot.viewer.judge,
            "collection": snapshot.collection.title,
            "settings": settings,
            "allow_partial": request.allow_partial,
            **content,
            "grades": grades,
            "bank_sha256": frozen.sha256 if frozen else None,
            "event": event,
            "release": record
            and {name: getattr(record, name) for name in release_fields}
            | record.evidence_json(),
        },
    )
    return ExportSummary(
        request.kind, request.target, written, what, tuple(notices), lost, sidecar
    )


def board_columns(
    snapshot: Snapshot, settings: Settings, *, partial: bool = False
) -> tuple[Leaderboard, list[BoardColumn], list[str]]:
    """Return the requested board, the columns of its export, and notes on these.

    EXAM's and n-EXAM's columns come first, empty where they are undefined. A column
    that was not requested is left out, with a note, where it is undefined or its grades
    are incomplete, unless ``partial``.
    """
    if settings.measure == "exam":  # another name of Cover
        settings = replace(settings, measure=EXAM)
    requested, official = board(snapshot, settings), snapshot.collection.official
    if not requested.standings:  # its notes say why
        exam = requested if settings.measure == EXAM else None
        return requested, [_column(EXAM, exam, official), BoardColumn(N_EXAM)], []
    is_exam = settings.measure in (EXAM, N_EXAM)
    boards, notes = {settings.measure: requested}, list[str]()
    gold = is_exam and any(pool.gold for pool in snapshot.collection.pools.values())
    graded = (EXAM, N_EXAM) if gold else (EXAM,)
    for name in (*(graded if settings.grader else ()), *([GOLD_ROUGE] if gold else ())):
        if name == settings.measure:
            continue
        try:
            extra = board(snapshot, replace(settings, measure=name))
        except EvaluationError as error:  # undefined under this grader
            notes.append(_named(name, str(error)))
            continue
        missing = extra.needed - extra.known
        if missing and not partial:
            notes.append(f"{name}: {missing_grades(missing)}, so it is left out.")
            continue
        if extra.standings:
            boards[name] = extra
        notes += [_named(name, note) for note in extra.notes]
    if EXAM in boards and not uses_k(settings.measure) and settings.k != DEFAULT_K:
        notes.append(
            f"exam is Cover of the first {settings.k} passages, the depth of "
            f"{settings.measure}."
        )
    if requested.known < requested.needed:
        missing = requested.needed - requested.known
        notes.append(f"{missing_grades(missing, requested.needed)}.")
    names = dict.fromkeys((EXAM, N_EXAM, *boards))
    columns = [_column(name, boards.get(name), official) for name in names]
    if N_EXAM in boards:
        # The gold articles' own scores, a line of Sander & Dietz 2021, Table 4.
        for place, score in enumerate((boards[N_EXAM].gold_exam, 1.0)):
            gold_first = {GOLD: (score, None), **columns[place].scores}
            columns[place] = replace(columns[place], scores=gold_first)
    return requested, columns, notes


def _named(measure: str, note: str) -> str:
    starts = note.lower().startswith(measure.lower())
    return note if starts else f"{measure}: {note}"


def _column(
    name: str, leaderboard: Leaderboard | None, official: Mapping[str, float]
) -> BoardColumn:
    """The board's scores and correlations; for EXAM also the whole pool's score."""
    if leaderboard is None:
        return BoardColumn(name)
    scores: dict[str, tuple[float | None, float | None]] = {}
    if name == EXAM and leaderboard.overall is not None:
        scores[OVERALL] = leaderboard.overall, None
    scores |= {row.system: (row.score, row.stderr) for row in leaderboard.standings}
    if not official or not leaderboard.standings:
        return BoardColumn(name, scores)
    correlation = correlate(leaderboard.scores(), official, reference_is="ranks")
    return BoardColumn(
        name, scores, {kind: getattr(correlation, kind) for kind in CORRELATIONS}
    )
