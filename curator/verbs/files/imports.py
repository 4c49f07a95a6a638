"""``import``: read and check files, then write them in one short transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from curator.collection.citations import CITATIONS, cited_by_response, spans_from_json
from curator.errors import (
    EvaluationError,
    ImportConflictError,
    InputFileError,
    ReservedNameError,
    UnknownNameError,
)
from curator.formats import limits
from curator.formats.ir_dataset import read_ir_dataset
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.passages import in_segments
from curator.formats.recognition import files_in, reader_of
from curator.formats.registry import import_options
from curator.formats.reports import WORDS, read_reports
from curator.formats.text.lines import line_naming
from curator.formats.text.records import NOT_IN_NAMES
from curator.formats.tqa import PREFIX
from curator.formats.trec.official_ranks import read_official_ranks
from curator.formats.trec.qrels import read_labels
from curator.results import Result, Rows, column
from curator.snapshot.languages import stored_languages
from curator.snapshot.opened import OpenWorkspace
from curator.store.collection import (
    passages_with_text,
    read_citations,
    read_settings,
    write_setting,
)
from curator.store.connection import write_transaction
from curator.store.imports.topics import (
    AllowedQueries,
    unranked_notice,
    use_existing_queries,
)
from curator.store.imports.write import ImportWriter
from grading.registry import is_reserved


@dataclass(frozen=True)
class ImportSummary(Result["ImportSummary"]):
    """Counts of the new items of each kind in one file, and its notices."""

    source: str = field(metadata=column(json="file"))
    taken_for: str
    new: dict[str, int]
    notices: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return bool(self.new)


CHANGES_MEANS = {"questions", "nuggets", "judgments", "rankings"}
"""Counts whose change may add queries to means, or remove them."""
TEXTS = frozenset(("queries", "query texts", "passages", "questions", "nuggets"))
"""Counts of things that have a language."""

SUBTOPICS = ("attach", "separate")
"""How topics ``query_id/subtopic_id`` are read: as subtopics, or as queries."""

Files = str | Path | Sequence[str | Path]


@limits.measured()
def import_(
    workspace: OpenWorkspace,
    *,
    ir_dataset: str | Sequence[str] = (),
    labels: Mapping[str, Files] | None = None,
    min_relevance: int | None = None,
    title: str | None = None,
    tokenizer: str | None = None,
    take_keys: bool = False,
    subtopics: Literal["attach", "separate"] | None = None,
    segmented: bool = False,
    official_measure: str | None = None,
    official_name: str | None = None,
    add_queries: bool = False,
    progress: Progress | None = None,
    **files: Files | None,
) -> Rows[ImportSummary]:
    """Import files, one or several of each kind, in one transaction.

    ``files`` are named by the options of ``curator import``: ``queries``, ``passages``,
    ``bank``, ``autograder``, ``runs``, ``reports``, ``judgments``, ``official``,
    ``gold``. Of ``ir_dataset`` only documents are read that are judged or ranked, and
    have no text otherwise. ``labels`` are qrels by the name of the model that wrote
    them, imported as a direct grader. Importing a file again changes nothing. Topics
    that match no query are left out where queries have texts, unless a file of queries
    has them or ``add_queries`` is set.

    The ``notes`` of the result name the languages of the texts. ``progress`` gets
    (bytes read, bytes in all files). Raises UnknownNameError for an unknown option,
    EvaluationError where there is nothing to import or to cut, ReservedNameError for
    labels called like another grader, InputFileError and ImportConflictError, each one
    line that names the file and the place.

    Args:
        min_relevance (N): Lowest judgment of a relevant passage.
        title (TEXT): Title of the collection.
        tokenizer (NAME): Tokenizer that cuts reports. [words]
        segmented: Grade segments of long passages.
        ir_dataset (--ir-dataset NAME): Dataset of ir_datasets.
        take_keys: Replace differing answer keys and choices.
        official_measure (NAME): Measure of the official board.
        official_name (NAME): Add a further board, official:NAME.
        add_queries: Add a query for each unknown topic.
        subtopics (attach|separate): Topics with / are subtopics or queries. [attach]
    """
    connection = workspace.connection
    if subtopics not in (None, *SUBTOPICS):
        expected = " or ".join(SUBTOPICS)
        raise EvaluationError(f"Subtopics are '{subtopics}'; expected {expected}.")
    order = list(import_options())
    if unknown := [kind for kind in files if kind not in order]:
        raise UnknownNameError(
            f"Cannot import '{unknown[0]}'. Available: {', '.join(order)}."
        )
    paths = {kind: _paths(files.get(kind)) for kind in order}
    datasets = [ir_dataset] if isinstance(ir_dataset, str) else ir_dataset
    labelled = [
        (name, path) for name in labels or {} for path in _paths((labels or {})[name])
    ]
    for name in filter(is_reserved, labels or {}):
        raise ReservedNameError(
            f"'{name}' is reserved for a grader of another kind. Give these labels "
            "another name, as in umbrela=labels.qrels."
        )
    inputs = {**paths, "labels": labelled, "ir-dataset": datasets}
    if not any(inputs.values()) and min_relevance is None and title is None:
        options = ", ".join(f"--{kind}" for kind in inputs)
        raise EvaluationError(f"Nothing to import: give at least one of {options}.")
    for option, value, kinds_needed in (
        ("tokenizer", tokenizer, ["reports"]),
        ("segments", segmented, ["passages", "ir-dataset"]),
        ("official-measure", official_measure, ["official"]),
        ("official-name", official_name, ["official"]),
    ):
        if value and not any(inputs[kind] for kind in kinds_needed):
            needed = " or ".join(f"--{kind}" for kind in kinds_needed)
            message = f"No file is given for --{option}: it needs {needed}."
            raise EvaluationError(message)
    if official_name is not None and (
        not official_name.strip() or NOT_IN_NAMES.search(official_name)
    ):
        raise EvaluationError(
            f"{official_name!r} cannot name an official board: expected visible "
            "letters, on one line."
        )
    special: dict[str, Callable[..., ParsedImport]] = {
        "reports": partial(read_reports, tokenizer=tokenizer or WORDS),
        "official": partial(read_official_ranks, measure=official_measure),
    }
    sources = list(_sources(paths))
    sizes = [file_size(path) for _, path, _ in sources]
    parsed: list[ParsedImport] = []
    query_files = [at for at, (kind, *_) in enumerate(sources) if kind == "queries"]
    for position, (kind, path, notices) in enumerate(sources):

        def report(done: int, _: int, before: int = sum(sizes[:position])) -> None:
            if progress is not None:
                progress(before + done, sum(sizes))

        read = special.get(kind) or reader_of(kind)
        parsed.append(read(path, progress=report))
        parsed[-1].notices += notices
        if kind == "official":
            parsed[-1].official_name = official_name or ""
        elif segmented and kind == "passages":
            parsed[-1] = in_segments(parsed[-1])
    for name in datasets:
        wanted_ids = passages_without_text(connection, parsed)
        dataset = read_ir_dataset(name, wanted=wanted_ids)
        query_files.append(len(parsed))
        parsed.append(in_segments(dataset) if segmented else dataset)
    # Labels come last, as they may grade passages of all other files.
    parsed += [read_labels(path, name) for name, path in labelled]
    use_existing_queries(connection, parsed)
    stated = {
        question.question_id: question
        for parsed_import in parsed
        for question in parsed_import.questions.values()
        if question.text is not None
    }
    writers = [
        ImportWriter(
            connection,
            parsed_import,
            by=workspace.judge,
            stated=stated,
            take_keys=take_keys,
            separate=subtopics == "separate",
        )
        for parsed_import in parsed
    ]
    places: list[Path | None] = [path for _, path, _ in sources]
    places += [None] * len(datasets)
    places += [path for _, path in labelled]
    with write_transaction(connection):
        if min_relevance is not None:
            write_setting(connection, "min_relevance", str(min_relevance))
        if title is not None:
            write_setting(connection, "title", title)
        allowed = AllowedQueries(connection, parsed, query_files)
        for place, parsed_import, writer in zip(places, parsed, writers, strict=True):
            writer.allowed = None if add_queries else allowed
            try:
                writer.write()
            except ImportConflictError as error:
                raise (with_line(error, place) if place else error) from None
            except sqlite3.IntegrityError as error:
                if "json_valid" not in str(error):
                    raise
                # Python 3.13 and later parse deeper nesting than SQLite.
                raise InputFileError(
                    f"{parsed_import.source}: nests lists or objects too deeply to be "
                    "kept."
                ) from None
            has_minimum = "min_relevance" in read_settings(connection)
            if parsed_import.judgments and not has_minimum:
                writer.notices.append(
                    "No minimum relevance is set: "
                    "`--min-relevance N` sets it, and agreement needs it."
                )
        for writer in writers:
            writer.write_ideals()
            writer.name_passages_without_text()
        new = [writer for writer in writers if writer.counts.keys() & CHANGES_MEANS]
        if new:
            new[-1].notices += unranked_notice(connection)
    summaries = []
    for part, writer in zip(parsed, writers, strict=True):
        counts, remarks = writer.counts, tuple(writer.notices)
        summaries.append(ImportSummary(part.source, part.taken_for, counts, remarks))
    notes = []
    if any(TEXTS & summary.new.keys() for summary in summaries):
        languages = stored_languages(connection)
        notes = [languages.note or languages.summary]
    return Rows(summaries, notes=filter(None, notes))


def passages_without_text(
    connection: sqlite3.Connection, parsed: Sequence[ParsedImport]
) -> set[str]:
    """Ids of passages that are ranked, judged, graded or cited and have no text.

    Both in the parsed files and in the workspace.
    """
    has_text = passages_with_text(connection)
    ids = {passage_id for passage_id, has in has_text.items() if not has}
    for parsed_import in parsed:
        slots = (slot for ranking in parsed_import.rankings for slot in ranking.slots)
        ids.update(slot.passage_id for slot in slots if slot is not None)
        ids.update(id_ for _, id_ in (*parsed_import.judgments, *parsed_import.pooled))
        for (extra, *_), text in parsed_import.extras.items():
            if extra == CITATIONS:
                ids.update(cited_by_response(spans_from_json(text)))
    for responses in read_citations(connection).values():
        for spans in responses.values():
            ids.update(cited_by_response(spans))
    ids = ids.difference(*(parsed_import.passages for parsed_import in parsed))
    return {passage_id for passage_id in ids if not has_text.get(passage_id)}


def with_line(error: ImportConflictError, path: Path) -> ImportConflictError:
    """Add the line of the file that the error is about, if it is found."""
    # The prefix of a lesson's name is not in its file.
    file_names = tuple(name.removeprefix(PREFIX) for name in error.ids)
    line = line_naming(path, error.ids) or line_naming(path, file_names)
    if line is None:
        return error
    name, number = line
    return ImportConflictError(f"{name}, line {number}", error.conflict, error.ids)


def _paths(files: Files | None) -> list[Path]:
    if files is None:
        return []
    return [Path(f) for f in ([files] if isinstance(files, str | Path) else files)]


def _sources(
    paths: Mapping[str, Sequence[Path]],
) -> Iterator[tuple[str, Path, list[str]]]:
    """Kind, path and notices of every file; a folder of banks is many."""
    for kind, of_kind in paths.items():
        for path in of_kind:
            notices: list[str] = []
            files = [path]
            if kind == "bank":
                files, notices = files_in(path, "banks")
            for file in files:
                yield kind, file, notices
                notices = []


def file_size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder of runs."""
    try:
        files = path.rglob("*") if path.is_dir() else [path]
        return sum(file.stat().st_size for file in files if not file.is_dir())
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check the path."
        ) from error


def refuse_unreadable(paths: Iterable[Path]) -> None:
    for path in paths:
        file_size(path)
