"""``import``: files read and checked first, then written in one short transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from curator.collection.citations import CITATIONS, all_cited, from_json
from curator.engine.languages import stored_languages
from curator.engine.opened import OpenWorkspace
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
from curator.formats.recognition import reader_of
from curator.formats.registry import import_options
from curator.formats.reports import WORDS, read_reports
from curator.formats.text.lines import line_naming
from curator.formats.text.notices import listed
from curator.formats.text.records import NOT_IN_NAMES, on_one_line
from curator.formats.text.system_files import is_system_file, system_files_notice
from curator.formats.tqa import PREFIX
from curator.formats.trec.official_ranks import read_official_ranks
from curator.formats.trec.qrels import read_labels
from curator.results import Result, Rows
from curator.store import digests
from curator.store.collection import (
    passages_with_text,
    read_citations,
    read_settings,
    write_setting,
)
from curator.store.connection import exclusive
from curator.store.imports.new_queries import AllowedQueries, unranked_notice
from curator.store.imports.write import ImportWriter
from grading.registry import is_reserved


@dataclass(frozen=True)
class ImportSummary(Result["ImportSummary"]):
    """What one file brought: how many of each kind were new, and what was noticed."""

    source: str
    taken_for: str
    new: dict[str, int]
    notices: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether anything was new."""
        return bool(self.new)


IN_MEANS = {"questions", "nuggets", "judgments", "rankings"}
"""Counts of an import by which a query may come into means, or leave them."""
TEXTS = frozenset(("queries", "query texts", "passages", "questions", "nuggets"))
"""What is written in a language, by the names of what an import counts."""

SUBTOPICS = ("attach", "separate")
"""What topics ``query_id/subtopic_id`` become: the subtopic's, or queries."""

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
    subtopics: str | None = None,
    segmented: bool = False,
    official_measure: str | None = None,
    official_name: str | None = None,
    add_queries: bool = False,
    progress: Progress | None = None,
    **files: Files | None,
) -> Rows[ImportSummary]:
    """Read files, one or several of each kind, all in one write or not at all.

    ``files`` are given by the options of ``curator import``: ``queries``, ``passages``,
    ``bank``, ``autograder``, ``runs``, ``reports``, ``judgments``, ``official``,
    ``gold``. ``ir_dataset`` names datasets of the ir_datasets library; their documents
    are looked up last: what is judged or ranked there, and what has no text otherwise.
    ``labels`` are qrels by the name of the model that wrote them, a direct grader here.
    ``segmented`` cuts files of passages and documents of datasets into segments, which
    are graded in their place. ``tokenizer`` is what cuts generated reports into
    passages ("words" for None). With ``take_keys``, questions that stand here with
    another answer key or other choices than in a bank take those, by an ordinary edit
    of each bank. Topics ``query_id/subtopic_id`` of runs and qrels are the subtopics of
    a bank or of queries, here or among the files (``subtopics`` "attach", or None), or
    queries of their own ("separate"). Importing a file again changes nothing.
    Of scores by several measures, ``official_measure`` makes the official board. With
    ``official_name`` it stands beside the first, as ``official:NAME``.
    Topics that match no query are left out where queries have texts, unless a file of
    queries brings them or ``add_queries`` is set.
    The ``notes`` of what is returned tell the languages of the texts.
    ``progress`` gets (bytes read, bytes in all files). Raises UnknownNameError for an
    option there is not, EvaluationError where there is nothing to import or to cut,
    ReservedNameError for labels called like another grader, InputFileError and
    ImportConflictError, each one line that names the file and the place.
    """
    connection = workspace.connection
    if subtopics not in (None, *SUBTOPICS):
        expected = " or ".join(SUBTOPICS)
        raise EvaluationError(f"Subtopics are '{subtopics}'; expected {expected}.")
    order = list(import_options("written"))
    if unknown := [kind for kind in files if kind not in order]:
        raise UnknownNameError(
            f"Cannot import '{unknown[0]}'. Available: {', '.join(order)}."
        )
    given = [
        (kind, path)
        for kind in order
        for one in _listed(files.get(kind))
        for path in (_in_folder(Path(one)) if kind == "bank" else [Path(one)])
    ]
    datasets = [ir_dataset] if isinstance(ir_dataset, str) else ir_dataset
    labels = labels or {}
    for name in filter(is_reserved, labels):
        raise ReservedNameError(
            f"'{name}' is how a grader of another kind is asked for; give these labels "
            "a name of their own, as in umbrela=labels.qrels."
        )
    judged = [(n, Path(f)) for n, some in labels.items() for f in _listed(some)]
    if not (given or datasets or judged) and min_relevance is None and title is None:
        options = ", ".join(f"--{kind}" for kind in (*order, "labels", "ir-dataset"))
        raise EvaluationError(f"Nothing to import: give at least one of {options}.")
    if tokenizer is not None and all(kind != "reports" for kind, _ in given):
        raise EvaluationError(
            f"The tokenizer '{tokenizer}' has nothing to cut: it cuts generated "
            "reports, so give some with --reports."
        )
    if segmented and not datasets and all(kind != "passages" for kind, _ in given):
        raise EvaluationError(
            "There is nothing to cut into segments: give passages with --passages, or "
            "a dataset with --ir-dataset."
        )
    if official_measure is not None and all(kind != "official" for kind, _ in given):
        raise EvaluationError(
            f"Of nothing is '{official_measure}' the measure: give the file of scores "
            "with --official."
        )
    if official_name is not None:
        if all(kind != "official" for kind, _ in given):
            raise EvaluationError(
                f"'{official_name}' names no board: give its file with --official."
            )
        if not official_name.strip() or NOT_IN_NAMES.search(official_name):
            raise EvaluationError(
                f"{official_name!r} is no name for an official board: expected letters "
                "that can be seen, on one line."
            )
    banks = map(Path, _listed(files.get("bank")))
    folders = {path: _passed_over(path) for path in banks if path.is_dir()}
    sizes = [file_size(path) for _, path in given]
    parsed = []
    for position, (kind, path) in enumerate(given):
        before, total = sum(sizes[:position]), sum(sizes)

        def report(done: int, _: int, before: int = before, total: int = total) -> None:
            if progress is not None:
                progress(before + done, total)

        if kind == "reports":
            cut = tokenizer or WORDS
            parsed.append(read_reports(path, progress=report, tokenizer=cut))
        elif kind == "official":
            measure = official_measure
            parsed.append(read_official_ranks(path, progress=report, measure=measure))
            parsed[-1].official_name = official_name or ""
        elif kind == "bank" and path.parent in folders:
            parsed.append(_read_of_folder(path, report))
            parsed[-1].notices += folders[path.parent]
            folders[path.parent] = []  # which is said once
        else:
            one = reader_of(kind)(path, progress=report)
            cuts = segmented and kind == "passages"
            parsed.append(in_segments(one) if cuts else one)
    for name in datasets:
        wanted = passages_without_text(connection, parsed)
        one = read_ir_dataset(name, wanted=wanted)
        parsed.append(in_segments(one) if segmented else one)
    # Last, as they grade what all the others bring.
    parsed += [read_labels(path, name) for name, path in judged]
    stated = {
        question.question_id: question
        for one in parsed
        for question in one.questions.values()
        if question.text is not None
    }
    writers = [
        ImportWriter(
            connection,
            one,
            by=workspace.judge,
            stated=stated,
            take_keys=take_keys,
            separate=subtopics == "separate",
        )
        for one in parsed
    ]
    with exclusive(connection), ExitStack() as digested:
        for table in digests.COLLECTION:
            digested.enter_context(digests.changing(connection, table))
        if min_relevance is not None:
            write_setting(connection, "min_relevance", str(min_relevance))
        if title is not None:
            write_setting(connection, "title", title)
        places = [
            *(path for _, path in given),
            *(None for _ in datasets),
            *(path for _, path in judged),
        ]
        kinds = [kind for kind, _ in given] + ["queries" for _ in datasets]
        query_files = [at for at, kind in enumerate(kinds) if kind == "queries"]
        allowed = AllowedQueries(connection, parsed, query_files)
        for place, one, writer in zip(places, parsed, writers, strict=True):
            writer.allowed = None if add_queries else allowed
            try:
                writer.write()
            except ImportConflictError as error:
                raise (with_line(error, place) if place else error) from None
            except sqlite3.IntegrityError as error:
                if "json_valid" not in str(error):
                    raise
                # Python reads deeper than SQLite does, from 3.13 on.
                raise InputFileError(
                    f"{one.source}: nests lists or objects too deeply to be kept."
                ) from None
            if one.judgments and "min_relevance" not in read_settings(connection):
                writer.notices.append(
                    "Nobody has said from which judgment a passage is relevant: "
                    "`--min-relevance N` sets it, and agreement needs it."
                )
        for writer in writers:
            writer.write_ideals()
            writer.name_passages_without_text()
        new = [writer for writer in writers if writer.counts.keys() & IN_MEANS]
        if new:
            new[-1].notices += unranked_notice(connection)
    summaries = [
        ImportSummary(one.source, one.taken_for, writer.counts, tuple(writer.notices))
        for one, writer in zip(parsed, writers, strict=True)
    ]
    notes = []
    if any(TEXTS & summary.new.keys() for summary in summaries):
        languages = stored_languages(connection)
        notes = [languages.note or languages.summary]
    return Rows(summaries, notes=filter(None, notes))


def passages_without_text(
    connection: sqlite3.Connection, parsed: Sequence[ParsedImport]
) -> set[str]:
    """Ids of what is ranked, judged, graded or cited and has no text.

    Of those in the files as well as of those in the workspace.
    """
    has_text = passages_with_text(connection)
    wanted = {passage_id for passage_id, has in has_text.items() if not has}
    for one in parsed:
        slots = (slot for ranking in one.rankings for slot in ranking.slots)
        wanted |= {slot.passage_id for slot in slots if slot is not None}
        wanted |= {passage_id for _, passage_id in (*one.judgments, *one.pooled)}
        said = (text for (of, *_), text in one.extras.items() if of == CITATIONS)
        wanted |= {cited for text in said for cited in all_cited(from_json(text))}
    for responses in read_citations(connection).values():
        wanted |= {cited for one in responses.values() for cited in all_cited(one)}
    wanted = wanted.difference(*(one.passages for one in parsed))
    return {passage_id for passage_id in wanted if not has_text.get(passage_id)}


def with_line(error: ImportConflictError, path: Path) -> ImportConflictError:
    """The error with the line of the file that it is about, where that is found."""
    # A lesson is a query whose name begins with what its file does not say.
    theirs = tuple(name.removeprefix(PREFIX) for name in error.about)
    found = line_naming(path, error.about) or line_naming(path, theirs)
    if found is None:
        return error
    name, number = found
    return ImportConflictError(f"{name}, line {number}", error.said, error.about)


def _listed(files: Files | None) -> list[str | Path]:
    """The files given for one option: none, one, or several."""
    if files is None:
        return []
    return [files] if isinstance(files, str | Path) else list(files)


def _in_folder(path: Path) -> list[Path]:
    """The files of a folder by name, hidden ones passed over; of a file itself."""
    if not path.is_dir():
        return [path]
    try:
        there = [*path.iterdir()]
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check its rights."
        ) from None
    files = sorted(
        file
        for file in there
        if file.is_file() and file.name[:1] != "." and not is_system_file(file.name)
    )
    if not files:
        raise InputFileError(f"{path}: no file in this folder; expected banks.")
    return files


def _passed_over(folder: Path) -> list[str]:
    """A notice of what of a folder is not read, hidden things apart."""
    names = [file.name for file in folder.iterdir()]
    passed = [
        on_one_line(name)
        for name in names
        if name[:1] != "."
        and not is_system_file(name)
        and not (folder / name).is_file()
    ]
    notices = [f"No files, so passed over: {listed(passed)}."] if passed else []
    return notices + system_files_notice(names)


def _read_of_folder(path: Path, progress: Progress) -> ParsedImport:
    """A bank in a folder, whose errors name the folder as well."""
    try:
        return reader_of("bank")(path, progress=progress)
    except InputFileError as error:
        if not str(error).startswith(path.name):
            raise
        raise type(error)(on_one_line(f"{path.parent}/{error}")) from None


def file_size(path: Path) -> int:
    """Bytes of a file, or of all files in a folder of runs."""
    try:
        if path.is_dir():
            return sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
        return path.stat().st_size
    except OSError as error:
        raise InputFileError(
            f"{path}: cannot be read ({error.strerror}). Check the path."
        ) from error


def refuse_unreadable(paths: Iterable[Path]) -> None:
    """Raise InputFileError for the first file that is not there."""
    for path in paths:
        file_size(path)
