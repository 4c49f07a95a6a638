"""Exports of numbers: labels as qrels and boards, of now or of a release.

Beside each file stands a manifest: the settings, the SHA-256 of the bank with its
grades, and the release where it is one's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from curator.errors import EvaluationError
from curator.evaluation.releases import Release
from curator.formats.manifests import write_manifest
from curator.formats.registry import exports
from curator.formats.text.notices import left_out, missing_grades
from curator.formats.text.output_files import output_file
from curator.formats.text.spreadsheets import is_csv
from curator.formats.trec.leaderboard_tsv import (
    write_leaderboard,
    write_leaderboard_csv,
)
from curator.formats.trec.qrels import write_qrels
from curator.store.history import last_event, now
from curator.verbs.files.board_columns import (
    board_columns,
    correlation_rows,
    extra_measure,
    leaderboard_rows,
    released_columns,
)
from curator.verbs.files.dropped import not_carried
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    refuse_partial,
)
from curator.verbs.releases.release import freeze
from curator.version import VERSION


def export_qrels(request: ExportRequest) -> ExportSummary:
    """Labels for trec_eval, of every query with a kept item.

    Raises EvaluationError for labels by subtopic where no kept item is in one.
    """
    given = request.release is not None  # of which nothing is asked any more
    frozen = request.release[1] if request.release else _frozen_now(request)
    refuse_partial(frozen.known, frozen.needed, request.allow_partial or given)
    notices = _without_subtopic(frozen) if request.by_subtopic else []
    labels = frozen.labels(binary=request.binary, by_subtopic=request.by_subtopic)
    with output_file(request.target) as stream:
        write_qrels(stream, labels)
    counted_queries = {
        query.query_id for query in frozen.queries if next(query.rated(), None)
    }
    left = len(request.state.collection.queries) - len(counted_queries)
    if left and not given:
        queries = "query without a kept item", "queries without a kept item"
        notices.append(left_out(left, *queries))
    if frozen.known < frozen.needed:
        number = frozen.needed - frozen.known
        notices.append(f"{missing_grades(number)}; labels rest on the others.")
    content = {
        "binary": request.binary,
        "by_subtopic": request.by_subtopic,
        "labels": len(labels),
        "queries": len({query_id for query_id, _ in labels}),
    }
    return _summary(request, frozen, len(labels), "labels", notices, content)


def _without_subtopic(frozen: Release) -> list[str]:
    """What labels by subtopic leave out. Raises EvaluationError if it is everything."""
    outside = {
        query.query_id: [item.subtopic_id is None for item in query.rated()]
        for query in frozen.queries
    }
    asked = [many for many in outside.values() if many]
    queries = sum(map(all, asked))
    items = sum(sum(many) for many in asked if not all(many))
    if queries == len(asked):
        raise EvaluationError(
            "No kept item is in a subtopic, so there are no labels by subtopic; leave "
            "out --by-subtopic."
        )
    notices = []
    if queries:
        words = "query without subtopics", "queries without subtopics"
        notices.append(left_out(queries, *words))
    if items:
        words = "kept item without a subtopic", "kept items without a subtopic"
        notices.append(left_out(items, *words))
    return notices


def export_leaderboard(request: ExportRequest) -> ExportSummary:
    """The board as the workbench lays it out, with correlations where they can be."""
    if request.release is not None:
        return _released_board(request, request.release[1])
    settings, state = request.asked_settings(), request.state
    columns = board_columns(state, settings, partial=request.allow_partial)
    standings, official = columns.asked, state.collection.official
    refuse_partial(standings.known, standings.needed, request.allow_partial)
    with output_file(request.target) as stream:
        _writer(request)(
            stream,
            leaderboard_rows(columns, official),
            correlations=correlation_rows(columns, official),
            extra=[extra_measure(one, official) for one in columns.extra],
        )
    frozen = _frozen_now(request) if settings.grader else None
    systems = len(standings.standings)
    content = {"systems": systems, "queries": standings.queries}
    notices = dict.fromkeys((*standings.notes, *columns.notes))
    return _summary(request, frozen, systems, "systems", notices, content)


def _released_board(request: ExportRequest, frozen: Release) -> ExportSummary:
    """The board as it was frozen: a release's numbers never change."""
    rows, extra = released_columns(frozen)
    with output_file(request.target) as stream:
        _writer(request)(stream, rows, extra=extra)
    notices = () if rows else ("The release has no board: there were no runs.",)
    content = {"systems": len(rows), "queries": len(frozen.queries)}
    return _summary(request, frozen, len(rows), "systems", notices, content)


def _writer(request: ExportRequest) -> Callable[..., None]:
    """What writes a board: a table with tabs, or CSV where the name ends so."""
    return write_leaderboard_csv if is_csv(request.target) else write_leaderboard


def _frozen_now(request: ExportRequest) -> Release:
    return freeze(request.state, request.asked_settings(), scores=False)


def _summary(
    request: ExportRequest,
    frozen: Release | None,
    written: int,
    what: str,
    notices: Iterable[str],
    content: dict[str, Any],
) -> ExportSummary:
    """What was written; its manifest is written beside it, with this ``content``."""
    # A release's numbers are of its own bank: what it does not say is not lost.
    carries = exports()[request.kind].carries
    gone = () if request.release else not_carried(request.state, carries)
    sidecar = _manifest(request, frozen, content)
    return ExportSummary(
        request.kind, request.target, written, what, tuple(notices), gone, sidecar
    )


def _manifest(
    request: ExportRequest, frozen: Release | None, content: dict[str, Any]
) -> Path | None:
    """Write what a file of numbers rests on beside it."""
    settings = frozen.settings if frozen else request.asked_settings()
    record = request.release[0] if request.release else None
    event = record.event_id if record else last_event(request.state.connection)
    return write_manifest(
        request.target,
        {
            "kind": request.kind,
            "made_by": f"Curator {VERSION}",
            "at": now(),
            "by": request.state.viewer.judge,
            "collection": request.state.collection.title,
            "settings": asdict(settings),
            "allow_partial": request.allow_partial,
            **content,
            "grades": {"known": frozen.known, "needed": frozen.needed}
            if frozen
            else None,
            "bank_sha256": frozen.sha256 if frozen else None,
            "event": event,
            "release": record
            and {
                name: getattr(record, name)
                for name in ("name", "sha256", "at", "by", "why")
            },
        },
    )
