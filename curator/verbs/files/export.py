"""``export``: write a workspace's contents to files that other tools read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from curator.bank.questions import active
from curator.errors import EvaluationError, UnknownNameError
from curator.formats.codec import Contents
from curator.formats.manifests import refuse_manifest
from curator.formats.registry import exports
from curator.formats.text.notices import counted
from curator.snapshot.opened import OpenWorkspace
from curator.snapshot.settings import (
    BoardChoice,
    OptionValue,
    grader_name,
    report_settings,
    settings_from,
)
from curator.snapshot.snapshot import Snapshot
from curator.store import export as stored
from curator.store.counts import read_counts
from curator.store.damage import require_undamaged
from curator.store.grades import Ratings
from curator.store.imports.reports import read_report_lines, report_stems
from curator.store.question_history import read_authors
from curator.store.releases import ReleaseRecord
from curator.store.restricted import withheld_passages
from curator.tables.settings import label_words
from curator.verbs.answers.extracted import known_questions
from curator.verbs.files.dropped import not_carried
from curator.verbs.files.export_request import (
    ExportRequest,
    ExportSummary,
    refuse_blind,
)
from curator.verbs.files.provenance import with_provenance
from curator.verbs.releases.release import release_named
from grading.ratings import NOT_ASKED

RESULTS = {
    "qrels": "numbers:export_qrels",
    "question_qrels": "numbers:export_question_qrels",
    "leaderboard": "numbers:export_leaderboard",
    "report": "report.page:export_report",
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
        grader = None
        if (
            kind in exports()
            and exports()[kind].of_one_grader
            and options.get("grader")
        ):
            grader = grader_name(snapshot, str(options["grader"]))
        if kind in NUMBERS:  # the manifest has the hash of the bank with all texts
            snapshot = snapshot.with_texts
        frozen = chosen = None
        if release is not None:
            frozen = release_named(snapshot, release)
            options_given = [
                name for name, value in options.items() if value is not None
            ]
            refuse_settings(
                frozen[0],
                options_given if settings is None else ["settings", *options_given],
            )
        elif settings is not None or (
            _supports_release(kind) and not exports()[kind].only_released
        ):
            chosen = settings_from(snapshot, options, settings)
        elif kind in exports() and exports()[kind].under_settings:
            chosen = report_settings(snapshot, options)
        refuse(kind, Path(target), frozen[0].name if frozen else None)
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
        if kind not in RESULTS:
            return export_as(request, kind)
        module, _, name = RESULTS[kind].partition(":")
        verb = getattr(import_module(f"curator.verbs.files.{module}"), name)
        summary: ExportSummary = verb(request)
        return summary


def export_as(request: ExportRequest, kind: str) -> ExportSummary:
    """Write the snapshot in a format that has its own writer.

    Raises EvaluationError where the viewer may not see what would be written.
    """
    export_format = exports()[kind]
    if export_format.write is None:
        raise EvaluationError(f"{kind} is computed, so it has no format of its own.")
    if export_format.tells_systems:
        refuse_blind(request)
    written = export_format.write(
        contents_of(request.snapshot, request.grader), request.target
    )
    notices = list(written.notices)
    others = len(request.snapshot.gradebook.records) - 1
    if request.grader and others:
        notices.append(f"Grades of {counted(others, 'other grader')} left out.")
    carries = written.carries or export_format.carries
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
    passages = partial(stored.passages_with_text, connection)
    if out:
        bank = bank.without_queries(out)
        passages = partial(_not_withheld, passages, withheld_passages(connection))
    by_people = None
    if grader is not None and snapshot.gradebook.is_derived(grader):
        by_people = snapshot.grader(grader).spec, partial(_grades, snapshot, grader)

    def ungraded_items() -> int:
        if by_people is None:
            return stored.ungraded_items(connection, grader)
        kept = sum(question.state == "kept" for question in bank)
        if by_people[0].reading.item_kind == "query":  # such a grader rates no items
            return kept
        return kept - sum(
            len(by_people[1](query_id)) for query_id in snapshot.query_ids()
        )

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
        passages=passages,
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
            by_people,
        ),
        ungraded_items=ungraded_items,
        of_subtopics=partial(stored.count_subtopic_data, connection),
        report_lines=partial(read_report_lines, connection),
        of_no_report=outside_reports,
    )


def _not_withheld(
    passages: Callable[[], Iterator[tuple[str, str]]], withheld: frozenset[str]
) -> Iterator[tuple[str, str]]:
    return (entry for entry in passages() if entry[0] not in withheld)


def _grades(
    snapshot: Snapshot, grader: str, query_id: str
) -> list[tuple[str, Ratings]]:
    """List (id, ratings by pool position) of a query's kept items with a grade."""
    record, pool = snapshot.grader(grader), snapshot.collection.pools[query_id]
    if record.spec.reading.item_kind == "query":
        matrix = snapshot.gradebook.graded_query_item(
            record, pool, snapshot.queries[query_id]
        )
        return [
            (query_id, ratings)
            for ratings in matrix.ratings
            if (ratings != NOT_ASKED).any()
        ]
    kept = active(snapshot.bank.questions_of(query_id), record.spec.reading.item_kind)
    graded = snapshot.gradebook.graded(record, pool, kept)
    rated = zip(graded.item_ids, graded.ratings, strict=True)
    return [entry for entry in rated if (entry[1] != NOT_ASKED).any()]


def _supports_release(kind: str) -> bool:
    return kind in exports() and exports()[kind].of_a_release


def refuse(kind: str, target: Path, release: str | None = None) -> None:
    """Raise EvaluationError for a target or request that does not fit the kind.

    Refuses an ending of another format, a release for a kind without numbers, and a
    target whose manifest cannot be written next to it. Raises UnknownNameError for an
    unknown kind.
    """
    if kind not in exports():
        kinds = ", ".join(exports())
        raise UnknownNameError(f"Cannot export '{kind}'. Available: {kinds}.")
    export_format = exports()[kind]
    if release is not None and not export_format.of_a_release:
        has = "writes the workspace as it is; a release has qrels and a board"
        reason = export_format.not_released or f"{export_format.option} {has}"
        raise EvaluationError(f"{reason}; leave out --release {release}.")
    if export_format.only_released and release is None:
        raise EvaluationError(
            f"{export_format.option} needs a release: give --release NAME. `curator "
            "release WORKSPACE NAME` makes one; `curator release WORKSPACE` lists them."
        )
    if export_format.of_a_release:
        refuse_manifest(target)
    if str(target) == "-":
        raise EvaluationError(
            f"{export_format.option} cannot write to '-': name a file."
        )
    name = target.name.lower()
    ending = Path(name.removesuffix(".gz")).suffix
    right = export_format.endings
    if kind != "bundle" and name.endswith(".zip.gz"):  # programs unpack only once
        ending = ".zip.gz"  # the writer of bundles has a better message
    wrong = ending in (*FOREIGN_ENDINGS, ".zip.gz") or (
        kind == "leaderboard" and ending not in TABLE_ENDINGS
    )
    if wrong and ending not in right and not target.is_dir():
        raise EvaluationError(
            f"'{target}': {export_format.option} does not write {ending} files. Name a "
            f"file in {' or '.join(filter(None, (', '.join(right[:-1]), right[-1])))}."
        )


def refuse_settings(record: ReleaseRecord, options_given: Collection[str]) -> None:
    """Raise EvaluationError for settings given together with a release."""
    if not options_given:
        return
    short = {"k": "-k", "settings": "the settings"}
    names = [
        short.get(option, f"--{option.replace('_', '-')}") for option in options_given
    ]
    by = "".join(f", {words}" for words in label_words([record.settings]))
    raise EvaluationError(
        f"Release '{record.name}' has its own settings: {record.measure}, "
        f"{record.grader}, rating from {record.min_rating} and k {record.k}{by}. Leave "
        f"out {', '.join(names)}."
    )
