"""``export``: write a workspace's contents to files that other tools read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from curator.bank.questions import Question, active
from curator.errors import EvaluationError, UnknownNameError
from curator.formats.codec import Contents
from curator.formats.registry import exports
from curator.formats.text.notices import counted
from curator.formats.text.output_files import refuse_manifest
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    default_settings,
    grader_name,
    settings_from,
)
from curator.snapshot.snapshot import Snapshot
from curator.store import export as stored
from curator.store.counts import read_counts
from curator.store.damage import require_undamaged
from curator.store.generations import Generation, read_generations
from curator.store.grades import Ratings
from curator.store.imports.reports import read_report_lines, report_stems
from curator.store.question_history import (
    ProposalDecision,
    read_authors,
    read_decisions,
)
from curator.store.restricted import withheld_passages
from curator.verbs.answers.extracted import known_questions
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    not_carried,
    refuse_blind,
)
from curator.verbs.releases import release_named
from grading.ratings import NOT_ASKED

RESULTS = {
    "qrels": "numbers:export_qrels",
    "question_qrels": "numbers:export_question_qrels",
    "leaderboard": "numbers:export_leaderboard",
    "report": "report.report:export_report",
    "paper": "paper.kit:export_paper",
    "bundle": "bundles.write:export_bundle",
}
"""Exports that are computed: the module in this package, and the function."""

NUMBERS = {"qrels", "question_qrels", "leaderboard"}
"""The results that contain only ids and numbers."""

WITHOUT_TEXTS = {"rankings", "judgments", "official ranks"}
"""Contents that formats include for every query, restricted or not: ids and numbers."""

FOREIGN_ENDINGS = (".csv", ".zip", ".pdf", ".xlsx", ".xls", ".ods", ".docx")
"""Endings of well-known formats, refused for files of another kind."""

TABLE_ENDINGS = ("", ".txt")
"""Endings allowed for a board with tabs."""


def export(
    workspace: OpenWorkspace,
    /,
    kind: str,
    target: str | Path,
    settings: BoardChoice | None = None,
    *,
    release: str | None = None,
    binary: bool = False,
    by_subtopic: bool = False,
    graded: bool = False,
    allow_partial: bool = False,
    **options: OptionValue,
) -> ExportSummary:
    """Write the workspace to a file, in one of the formats of the registry.

    Numbers are those under the settings, or of a ``release``, which has its own. Raises
    EvaluationError for settings given with a release, for an ending of another format,
    and where grades are missing, unless ``allow_partial``.
    """
    with workspace.snapshot_for_files() as snapshot:
        refuse(kind, Path(target), release)
        form = exports()[kind]
        requested = [name for name, value in options.items() if value is not None]
        if settings is not None:
            requested.insert(0, "settings")
        frozen = chosen = grader = None
        if release is not None:
            frozen = release_named(snapshot, release)
            if requested:
                names = ", ".join(requested).replace("_", "-")
                raise EvaluationError(
                    f"Release '{release}' has its own settings: leave out {names}."
                )
        elif settings is not None or form.of_a_release:
            chosen = settings_from(snapshot, options, settings)
        elif form.under_settings:
            chosen = default_settings(snapshot, options)
        elif form.of_one_grader and "grader" in requested:
            grader = grader_name(snapshot, str(options["grader"]))
        if kind in NUMBERS:  # the manifest has the hash of the bank with all texts
            snapshot = snapshot.with_texts
        if kind == "bundle":
            require_undamaged(
                workspace.path, workspace.connection, "so no bundle is made of it"
            )
        request = ExportRequest(
            snapshot,
            kind,
            Path(target),
            chosen,
            frozen,
            binary=binary,
            by_subtopic=by_subtopic,
            graded=graded,
            allow_partial=allow_partial,
            grader=grader,
        )
        return export_result(request) if kind in RESULTS else export_as(request, kind)


def export_result(request: ExportRequest) -> ExportSummary:
    """Write a file that is computed, such as qrels."""
    module, _, name = RESULTS[request.kind].partition(":")
    writer = getattr(import_module(f"curator.verbs.files.{module}"), name)
    summary: ExportSummary = writer(request)
    return summary


def export_as(request: ExportRequest, kind: str) -> ExportSummary:
    """Write the snapshot in a format that has its own writer.

    Raises EvaluationError where the viewer may not see what would be written.
    """
    form = exports()[kind]
    assert form.write is not None, f"{kind} is computed by a verb"
    if form.tells_systems:
        refuse_blind(request)
    written = form.write(contents_of(request.snapshot, request.grader), request.target)
    notices = list(written.notices)
    others = len(request.snapshot.gradebook.records) - 1
    if request.grader and others:
        notices.append(f"Grades of {counted(others, 'other grader')} left out.")
    carries = written.carries or form.carries
    restricted = sorted(request.snapshot.restricted)
    if restricted and not carries.things <= WITHOUT_TEXTS:
        notices.append(f"Restricted queries left out: {', '.join(restricted)}.")
    return ExportSummary(
        kind,
        request.target,
        written.count,
        written.what,
        tuple(notices),
        (*written.dropped, *not_carried(request.snapshot, carries)),
    )


def contents_of(snapshot: Snapshot, grader: str | None = None) -> Contents:
    """Return this snapshot's contents for a format's writer, read lazily.

    With ``grader``, only its grades.
    """
    connection, collection = snapshot.connection, snapshot.collection
    out, bank = snapshot.restricted, snapshot.bank
    queries = tuple(query for query in collection.queries if query.query_id not in out)
    withheld = withheld_passages(connection) if out else frozenset()
    if out:
        bank = bank.without_queries(out)
    derived = None
    if grader is not None and snapshot.gradebook.is_derived(grader):
        derived = snapshot.grader(grader).spec, partial(_grades, snapshot, grader)

    def ungraded_items() -> int:
        if derived is None:
            return stored.ungraded_items(connection, grader)
        kept = sum(question.state == "kept" for question in bank)
        if derived[0].reading.item_kind == "query":  # such a grader rates no items
            return kept
        return kept - sum(len(derived[1](query.query_id)) for query in queries)

    def outside_reports() -> tuple[int, int]:
        """Count rankings and passage texts that came from no generated report."""
        stems = report_stems(connection)
        rankings = read_counts(connection)["rankings"]
        texts = sum(
            passage_id.rpartition("/")[0] not in stems
            for passage_id, _ in stored.passages_with_text(connection)
        )
        return rankings - len(read_report_lines(connection)), texts

    return Contents(
        title=collection.title,
        queries=queries,
        bank=bank,
        systems=collection.systems,
        official=collection.official,
        extras=partial(stored.read_extras_with_new_titles, connection),
        in_full=partial(with_provenance, connection, closed=snapshot.viewer.closed),
        authors=partial(read_authors, connection),
        known_answers=lambda: [
            answers.selection() for answers in known_questions(bank)
        ],
        passages=lambda: (
            entry
            for entry in stored.passages_with_text(connection)
            if entry[0] not in withheld
        ),
        gold=lambda: (
            entry for entry in stored.gold_passages(connection) if entry[0] not in out
        ),
        judgments=partial(stored.judgments, connection),
        rankings=partial(stored.rankings, connection),
        empty_rankings=partial(stored.empty_rankings, connection),
        graded_queries=partial(
            stored.graded_queries,
            connection,
            queries,
            collection.pools,
            grader,
            derived,
        ),
        ungraded_items=ungraded_items,
        of_subtopics=partial(stored.count_subtopic_data, connection),
        report_lines=partial(read_report_lines, connection),
        of_no_report=outside_reports,
    )


def _grades(
    snapshot: Snapshot, grader: str, query_id: str
) -> list[tuple[str, Ratings]]:
    """List (id, ratings by pool position) of a query's kept items with a grade."""
    record, pool = snapshot.grader(grader), snapshot.collection.pools[query_id]
    kind = record.spec.reading.item_kind
    if kind == "query":
        query = snapshot.queries[query_id]
        graded = snapshot.gradebook.graded_query_item(record, pool, query)
        items = (query_id,) * len(graded.ratings)
    else:
        kept = active(snapshot.bank.questions_of(query_id), kind)
        graded = snapshot.gradebook.graded(record, pool, kept)
        items = graded.item_ids
    rated = zip(items, graded.ratings, strict=True)
    return [entry for entry in rated if (entry[1] != NOT_ASKED).any()]


def refuse(kind: str, target: Path, release: str | None = None) -> None:
    """Raise EvaluationError for a target or request that does not fit the kind.

    Refuses an ending of another format, a release for a kind without numbers, and a
    target whose manifest cannot be written next to it. Raises UnknownNameError for an
    unknown kind.
    """
    if kind not in exports():
        kinds = ", ".join(exports())
        raise UnknownNameError(f"Cannot export '{kind}'. Available: {kinds}.")
    form = exports()[kind]
    if release is not None and not form.of_a_release:
        has = "writes the workspace as it is; a release has qrels and a board"
        reason = form.not_released or f"{form.option} {has}"
        raise EvaluationError(f"{reason}; leave out --release {release}.")
    if form.only_released and release is None:
        raise EvaluationError(
            f"{form.option} needs a release: give --release NAME. `curator release "
            "WORKSPACE NAME` makes one; `curator release WORKSPACE` lists them."
        )
    if form.of_a_release:
        refuse_manifest(target)
    if str(target) == "-":
        raise EvaluationError(f"{form.option} cannot write to '-': name a file.")
    ending = Path(target.name.lower().removesuffix(".gz")).suffix
    wrong = ending in FOREIGN_ENDINGS or (
        kind == "leaderboard" and ending not in TABLE_ENDINGS
    )
    if wrong and ending not in form.endings and not target.is_dir():
        *others, last = form.endings
        named = f"{', '.join(others)} or {last}" if others else last
        raise EvaluationError(
            f"'{target}': {form.option} does not write {ending} files. Name a file in "
            f"{named}."
        )


def with_provenance(
    connection: sqlite3.Connection,
    questions: Iterable[Question],
    *,
    closed: Collection[str] = (),
) -> list[Question]:
    """Return the questions with the full provenance of those that a model proposed.

    For queries in ``closed`` without prompt text and response: both may contain hidden
    proposals.
    """
    questions = list(questions)
    if all(question.provenance == "{}" for question in questions):
        return questions
    decisions = {entry.question_id: entry for entry in read_decisions(connection)}
    generations = {entry.generation_id: entry for entry in read_generations(connection)}
    with_full = []
    for question in questions:
        decision = decisions.get(question.question_id)
        number = json.loads(question.provenance).get("generation")
        generation = generations.get(number) if isinstance(number, int) else None
        # Imported questions were not proposed here, even if their provenance says so.
        if decision is not None and generation is not None:
            hidden = question.query_id in closed
            provenance = _provenance(question, generation, decision, hidden=hidden)
            question = replace(question, provenance=provenance)
        with_full.append(question)
    return with_full


def _provenance(
    question: Question, generation: Generation, decision: ProposalDecision, hidden: bool
) -> str:
    provenance: dict[str, Any] = {
        "model": generation.model,
        "prompt": generation.prompt,
        "prompt_text": generation.text,
        "parameters": dict(generation.parameters),
        "at": generation.at,
        "asked_by": generation.by,
        "response": generation.raw,
    }
    if hidden:
        del provenance["prompt_text"], provenance["response"]
    if generation.passage_id is not None:
        provenance["passage"] = generation.passage_id
    provenance["proposed_text"] = decision.proposed
    if decision.by is not None:
        outcome = "kept" if question.text == decision.proposed else "reworded"
        if decision.kind.endswith("add"):
            outcome = "written"  # a person typed the same words
        if decision.dropped:
            outcome = "dropped"
        provenance["decided"] = {"by": decision.by, "at": decision.at, "as": outcome}
    return json.dumps(provenance, ensure_ascii=False)
