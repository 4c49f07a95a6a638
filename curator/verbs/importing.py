"""``import``: files read and checked first, then written in one short transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.errors import EvaluationError, InputFileError
from curator.exchange.autograder_bank import read_bank
from curator.exchange.autograder_grades import read_autograder_grades
from curator.exchange.gold import read_gold
from curator.exchange.incoming import Incoming, Progress
from curator.exchange.official_ranks import read_official_ranks
from curator.exchange.passages import read_passages
from curator.exchange.queries import read_queries
from curator.exchange.trec_qrels import read_qrels
from curator.exchange.trec_runs import read_runs
from curator.store.connection import exclusive
from curator.store.incoming import IncomingWriter
from curator.store.settings import write_setting

READERS: dict[str, Callable[..., Incoming]] = {
    "queries": read_queries,
    "passages": read_passages,
    "bank": read_bank,
    "autograder": read_autograder_grades,
    "runs": read_runs,
    "judgments": read_qrels,
    "gold": read_gold,
    "official": read_official_ranks,
}
"""By option, in the order in which they are written: texts before what uses them."""


@dataclass(frozen=True)
class ImportSummary:
    """What one file brought: how many of each kind were new, and what was noticed."""

    source: str
    taken_for: str
    new: dict[str, int]
    notices: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether anything was new."""
        return bool(self.new)


def import_files(
    connection: sqlite3.Connection,
    files: Sequence[tuple[str, Path]],
    *,
    by: str,
    min_relevance: int | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> tuple[ImportSummary, ...]:
    """Read (option, file) pairs, then write all or none of them.

    Raises EvaluationError where there is nothing to import, InputFileError and
    ImportConflictError naming the file and the place.
    """
    if not files and min_relevance is None and title is None:
        options = ", ".join(f"--{kind}" for kind in READERS)
        raise EvaluationError(f"Nothing to import: give at least one of {options}.")
    ordered = sorted(files, key=lambda file: list(READERS).index(file[0]))
    sizes = [file_size(path) for _, path in ordered]
    incoming = []
    for position, (kind, path) in enumerate(ordered):
        before, total = sum(sizes[:position]), sum(sizes)

        def report(done: int, _: int, before: int = before, total: int = total) -> None:
            if progress is not None:
                progress(before + done, total)

        incoming.append(READERS[kind](path, progress=report))
    summaries = []
    words = {
        question.question_id: question.text
        for one in incoming
        for question in one.questions.values()
        if question.text is not None
    }
    writers = [IncomingWriter(connection, one, by=by, words=words) for one in incoming]
    with exclusive(connection):
        if min_relevance is not None:
            write_setting(connection, "min_relevance", str(min_relevance))
        if title is not None:
            write_setting(connection, "title", title)
        for one, writer in zip(incoming, writers, strict=True):
            writer.write()
            notices = writer.notices
            if one.judgments and not has_threshold(connection):
                notices.append(
                    "Nobody has said from which judgment a passage is relevant: "
                    "`--min-relevance N` sets it, and agreement needs it."
                )
            summaries.append(
                ImportSummary(one.source, one.taken_for, writer.counts, tuple(notices))
            )
    return tuple(summaries)


def listed_files(
    files: str | Path | Sequence[str | Path] | None,
) -> list[str | Path]:
    """The files given for one option: none, one, or several."""
    if files is None:
        return []
    return [files] if isinstance(files, str | Path) else list(files)


def has_threshold(connection: sqlite3.Connection) -> bool:
    """Whether the collection says from which judgment a passage is relevant."""
    row = connection.execute("SELECT 1 FROM setting WHERE key = 'min_relevance'")
    return row.fetchone() is not None


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


def refuse_unreadable(files: Mapping[str, Sequence[Path]]) -> None:
    """Raise InputFileError for the first file that is not there."""
    for paths in files.values():
        for path in paths:
            file_size(path)
