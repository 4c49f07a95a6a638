"""Export labels as qrels, and boards, current or of a release.

Each file has a manifest next to it: the settings, the SHA-256 of the bank with its
grades, and the release if it is from one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from curator.errors import EvaluationError
from curator.evaluation.releases import QuestionLevel, Release
from curator.evaluation.settings import settings_fields
from curator.formats.codec import Carried
from curator.formats.manifests import write_manifest
from curator.formats.registry import exports
from curator.formats.text.notices import left_out, missing_grades
from curator.formats.text.output_files import output_file
from curator.formats.text.spreadsheets import is_csv
from curator.formats.trec.leaderboard_tsv import (
    GOLD,
    OVERALL,
    BoardColumn,
    write_leaderboard,
    write_leaderboard_csv,
)
from curator.formats.trec.qrels import write_qrels, write_question_qrels
from curator.formats.trec.scored_boards import (
    ALL,
    form_of,
    score_lines,
    trec_eval_line,
    write_by_system,
)
from curator.store.history import last_event, now
from curator.verbs.files.board_columns import board_columns, released_columns
from curator.verbs.files.dropped import not_carried
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    refuse_partial,
)
from curator.verbs.leaderboard.leaderboard import scores
from curator.verbs.releases.release import freeze
from curator.version import VERSION


def export_qrels(request: ExportRequest) -> ExportSummary:
    """Write labels for trec_eval, of every query with a kept item.

    Raises EvaluationError for labels by subtopic where no kept item is in one.
    """
    is_release = request.release is not None  # missing grades were accepted then
    frozen = request.release[1] if request.release else _freeze(request)
    refuse_partial(frozen.known, frozen.needed, request.allow_partial or is_release)
    notices = _subtopic_notices(frozen) if request.by_subtopic else []
    labels = frozen.levels(binary=request.binary, by_subtopic=request.by_subtopic)
    with output_file(request.target) as stream:
        write_qrels(stream, labels)
    notices += _empty_query_notices(request, frozen)
    if frozen.known < frozen.needed:
        number = frozen.needed - frozen.known
        notices.append(f"{missing_grades(number)}; labels use only the others.")
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
    frozen = request.release[1] if request.release else _freeze(request)
    levels = question_levels(frozen, graded=request.graded)
    is_release = request.release is not None
    refuse_partial(frozen.known, frozen.needed, request.allow_partial or is_release)
    with output_file(request.target) as stream:
        lines = write_question_qrels(stream, levels)
    notices = _empty_query_notices(request, frozen)
    if frozen.known < frozen.needed:
        number = frozen.needed - frozen.known
        notices.append(f"{missing_grades(number)}; they have no line.")
    content = {
        "graded": request.graded,
        "labels": lines,
        "questions": sum(len([*query.rated()]) for query in frozen.queries),
        "queries": _count_queries(frozen),
    }
    return _summary(request, frozen, lines, "labels", notices, content)


def question_levels(frozen: Release, *, graded: bool) -> Iterator[QuestionLevel]:
    """Return each level. Raises EvaluationError under a grader of whole passages."""
    if frozen.reading == "direct":
        raise EvaluationError(
            "Qrels of questions are undefined for a direct relevance grader: it grades "
            "the query, not questions. Export --qrels instead."
        )
    return frozen.question_levels(graded=graded)


def _empty_query_notices(request: ExportRequest, frozen: Release) -> list[str]:
    """Notice about queries that have no kept item now."""
    count = len(request.snapshot.collection.queries) - _count_queries(frozen)
    if not count or request.release is not None:
        return []
    return [left_out(count, "query without a kept item", "queries without a kept item")]


def _count_queries(frozen: Release) -> int:
    return sum(next(query.rated(), None) is not None for query in frozen.queries)


def _subtopic_notices(frozen: Release) -> list[str]:
    """Notices about items outside subtopics. Raises EvaluationError if all are."""
    outside = [
        [item.subtopic_id is None for item in query.rated()] for query in frozen.queries
    ]
    by_query = [flags for flags in outside if flags]
    queries = sum(map(all, by_query))
    if queries == len(by_query):
        raise EvaluationError(
            "No kept item is in a subtopic, so there are no labels by subtopic; leave "
            "out --by-subtopic."
        )
    items = sum(sum(flags) for flags in by_query if not all(flags))
    counts = {
        ("query without subtopics", "queries without subtopics"): queries,
        ("kept item without a subtopic", "kept items without a subtopic"): items,
    }
    return [left_out(number, *words) for words, number in counts.items() if number]


def export_leaderboard(request: ExportRequest) -> ExportSummary:
    """Write the board in the layout of the workbench, with correlations if possible.

    With an ending of evaluation tools, writes their format with the scores of every
    query; a release has no such scores.
    """
    if request.release is not None:
        frozen = request.release[1]
        systems = [row.system for row in frozen.board]
        means = [(row.system, ALL, row.score) for row in frozen.board]
        if not _write_scores(request, frozen.settings.measure, means):
            _write_board(request, systems, released_columns(frozen), {})
        notices = [] if systems else ["The release has no board: there were no runs."]
        content = {"systems": len(systems), "queries": len(frozen.queries)}
        return _summary(request, frozen, len(systems), "systems", notices, content)
    settings, snapshot = request.required_settings(), request.snapshot
    partial = request.allow_partial
    board, columns, notes = board_columns(snapshot, settings, partial=partial)
    refuse_partial(board.known, board.needed, partial)
    systems = [row.system for row in board.standings]
    references = [name for name in (OVERALL, GOLD) if name in columns[0].scores]
    by_topic: Iterable[tuple[str, str, float]] = ()
    if systems and _tool_format(request):
        by_topic = scores(snapshot, settings).by_topic()
    if _write_scores(request, settings.measure, by_topic):
        notes = []  # they are about columns of the table
    else:
        lines = [*references, *systems]
        _write_board(request, lines, columns, snapshot.collection.official)
    frozen_now = _freeze(request) if settings.grader else None
    content = {"systems": len(systems), "queries": board.queries}
    notices = list(dict.fromkeys((*board.notes, *notes)))
    return _summary(request, frozen_now, len(systems), "systems", notices, content)


def _write_board(
    request: ExportRequest,
    systems: Sequence[str],
    columns: Sequence[BoardColumn],
    official: Mapping[str, float],
) -> None:
    write = write_leaderboard_csv if is_csv(request.target) else write_leaderboard
    with output_file(request.target) as stream:
        write(stream, systems, columns, official)


def _write_scores(
    request: ExportRequest, measure: str, rows: Iterable[tuple[str, str, float]]
) -> bool:
    """Write (system, topic, score) for evaluation tools; False for another ending."""
    form = _tool_format(request)
    if form == "zip":
        by_system: dict[str, list[str]] = {}
        for system, topic, score in rows:
            line = trec_eval_line(measure, topic, score)
            by_system.setdefault(system, []).append(f"{line}\n")
        write_by_system(request.target, by_system)
    elif form:
        with output_file(request.target) as stream:
            stream.writelines(f"{line}\n" for line in score_lines(form, measure, rows))
    return bool(form)


def _tool_format(request: ExportRequest) -> str:
    """The format that a board's name requests, "zip" for trec_eval; "" for a table."""
    if request.kind != "leaderboard":
        return ""
    zipped = request.target.name.lower().endswith(".zip")
    return "zip" if zipped else form_of(request.target.name)


def _freeze(request: ExportRequest) -> Release:
    return freeze(request.snapshot, request.required_settings(), scores=False)


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
