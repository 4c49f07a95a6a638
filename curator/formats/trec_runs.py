"""TREC runs in: ``query_id Q0 passage_id rank score tag``; the tag names the system.

An extra of format "runs", ("run_form", "<system>"), has ``first_rank`` 0 of a system
that counts from there.
"""

from __future__ import annotations

from pathlib import Path

from curator.collection.rankings import RankedPassage
from curator.errors import InputFileError
from curator.formats.parsed_import import Incoming, Progress
from curator.formats.ranked_lists import RankedLists
from curator.formats.recognition import wrong_file_hint
from curator.formats.text.gc_pause import collector_paused
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted, listed
from curator.formats.text.records import (
    MAX_RANK,
    Place,
    error_at,
    identifier,
    number_in,
    whole_number_in,
)

FORMAT = "runs"
SECOND = "Q0"
"""What nearly every run has in its second column; another constant is passed over."""
EXPECTED = "lines of a TREC run: query_id Q0 passage_id rank score tag"


def read_runs(path: Path, *, progress: Progress | None = None) -> Incoming:
    """The rankings of a run, or of every file in a directory of runs.

    Hidden files and folders inside are passed over. Raises InputFileError, also where
    two files rank one query for one system.
    """
    files = _files_in(path) if path.is_dir() else [path]
    incoming = Incoming(path.name, "a TREC run" if files == [path] else "TREC runs")
    total = sum(_size(file) for file in files)
    lists, home, known_ids = (
        RankedLists(),
        dict[tuple[str, str], Path](),
        dict[str, str](),
    )
    before = 0
    for file in files:
        with wrong_file_hint(file, "runs"), collector_paused():
            # Bytes of the files already read stand before this one's.
            _read_file(file, lists, home, known_ids, _shifted(progress, before, total))
        before += _size(file)
    incoming.rankings = lists.rankings(_Whole(path))
    for system in lists.oddities.shifted_systems:
        incoming.extras["run_form", system, FORMAT] = '{"first_rank":0}'
    incoming.notices = lists.notices(why_gaps="the run names none")
    if path.is_dir() and (folders := [p.name for p in path.iterdir() if p.is_dir()]):
        incoming.notices.append(
            f"{counted(len(folders), 'folder')} inside not read: {listed(folders)}."
        )
    return incoming


class _Whole:
    """A file or directory as a whole, as a place of an error."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def error(self, said: str) -> InputFileError:
        return error_at(self._path, None, said)


def _files_in(directory: Path) -> list[Path]:
    try:
        entries = sorted(directory.iterdir())
    except OSError as error:
        said = f"the directory cannot be read ({error.strerror})."
        raise error_at(directory, None, said) from None
    files = [p for p in entries if not p.is_dir() and not p.name.startswith(".")]
    if not files:
        raise error_at(
            directory, None, f"the directory holds no file; expected {EXPECTED}."
        )
    return files


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    if progress is None:
        return None
    return lambda done, _: progress(before + done, total)


def _read_file(
    file: Path,
    lists: RankedLists,
    home: dict[tuple[str, str], Path],
    known_ids: dict[str, str],
    progress: Progress | None,
) -> None:
    lines = TextLines(file, expected=EXPECTED, progress=progress)
    for text in lines:
        columns = text.split()
        if len(columns) != 6:
            raise lines.error(
                f"{counted(len(columns), 'column')}; a run has 6: query_id Q0 "
                "passage_id rank score tag."
            )
        if columns[2] == SECOND != columns[1]:
            raise lines.error(
                f"'{SECOND}' is in the third column, where the passage id belongs; a "
                "run has query_id Q0 passage_id rank score tag."
            )
        query_id = _known(lines, columns[0], "query id", known_ids)
        passage_id = _known(lines, columns[2], "passage id", known_ids)
        system = _known(lines, columns[5], "tag", known_ids)
        if home.setdefault((system, query_id), file) is not file:
            raise lines.error(
                f"system '{system}' ranks query '{query_id}' in "
                f"{home[system, query_id].name} too; give the runs different tags."
            )
        line = RankedPassage(
            passage_id,
            whole_number_in(lines, columns[3], "rank", 0, MAX_RANK),
            number_in(lines, columns[4], "score"),
        )
        lists.add(system, query_id, line)


def _known(place: Place, value: str, what: str, known_ids: dict[str, str]) -> str:
    """The id, checked once, and one string however many lines name it."""
    known = known_ids.get(value)
    if known is None:
        known = known_ids[value] = identifier(place, value, what)
    return known
