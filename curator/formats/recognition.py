"""Recognition of the format of a file by its first line, or its first JSON value."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from itertools import islice
from pathlib import Path

from curator.errors import AmbiguousFileError, InputFileError, TooLargeError
from curator.formats.codec import FileStart, Imports, Reader
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.registry import ordered, readers
from curator.formats.text.json_text import leading_value
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import listed
from curator.formats.text.records import error_at, on_one_line

TRIED_LINES = 100
"""Lines of a file of no known kind that are searched for damage."""


def file_start(path: Path) -> FileStart:
    """The first line and value; none of a pipe, a folder and a file that is no text."""
    start = FileStart(path)
    if path.is_file():
        lines = TextLines(path, expected="a text file")
        with suppress(InputFileError):
            start = FileStart(path, lines.peek())
            if is_json(start.line):
                start = FileStart(path, start.line, leading_value(lines)[1])
    return start


def is_json(line: str) -> bool:
    """Return True if the line begins as an object or a list."""
    return line.lstrip().startswith(("{", "["))


def reader_of(option: str) -> Reader:
    """Return the reader of an option's files, for all of its formats.

    A file that fits none of them is read, and refused, as one with its ending or else
    as the one of the option's own name; so is a pipe, which cannot be read twice.
    """
    formats = readers()[option]
    default = formats[option]

    def preference(form: Imports) -> tuple[int, bool]:
        # Of equally specific ones the option's own takes what no other does.
        return form.specific, form is not default

    def read(path: Path, /, *, progress: Progress | None = None) -> ParsedImport:
        start = file_start(path)
        name = path.name.lower().removesuffix(".gz")
        fits = [form for form in formats.values() if form.fits(start)] or [
            form for form in formats.values() if name.endswith(form.endings)
        ]
        chosen = max(fits, key=preference, default=default)
        assert chosen.read is not None  # an option without a reader is no file's
        return chosen.read(path, progress=progress)

    return read


def file_reader(
    option: str, expected: str
) -> Callable[[Callable[[TextLines], ParsedImport]], Reader]:
    """Makes of a function that reads lines one that reads a file.

    ``expected`` says what the file should hold. An error says what it looks like, where
    that is something else than files of this option.
    """

    def reader(read_lines: Callable[[TextLines], ParsedImport]) -> Reader:
        @wraps(read_lines)
        def read(path: Path, /, *, progress: Progress | None = None) -> ParsedImport:
            with wrong_file_hint(path, option):
                return read_lines(TextLines(path, expected=expected, progress=progress))

        return read

    return reader


def read_files(
    path: Path,
    option: str,
    expected: str,
    read_lines: Callable[[TextLines], None],
    *,
    progress: Progress | None,
) -> list[str]:
    """Read a file, or every file of a folder by name, as ``file_reader`` does.

    Returns notices of what is left out. Raises InputFileError.
    """
    files, notices = files_in(path, expected)
    sizes = [file.stat().st_size if file.is_file() else 0 for file in files]
    for number, file in enumerate(files):

        def report(done: int, _: int, before: int = sum(sizes[:number])) -> None:
            if progress is not None:
                progress(before + done, sum(sizes))

        with wrong_file_hint(file, option):
            read_lines(TextLines(file, expected=expected, progress=report))
    return notices


def files_in(path: Path, expected: str) -> tuple[list[Path], list[str]]:
    """A file, or the files of a folder by name, and notices of what is left out.

    Hidden files are passed over silently. Raises InputFileError for a folder that
    cannot be read or has no file.
    """
    if not path.is_dir():
        return [path], []
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        message = f"the folder cannot be read ({error.strerror})."
        raise error_at(path, None, message) from None
    visible = [
        entry
        for entry in entries
        if not entry.name.startswith(".") and not is_system_file(entry.name)
    ]
    files = [entry for entry in visible if entry.is_file()]
    if not files:
        raise error_at(path, None, f"the folder holds no file; expected {expected}.")
    others = [on_one_line(entry.name) for entry in visible if entry not in files]
    notices = [f"Skipped, as they are not files: {listed(others)}."] if others else []
    return files, notices + system_files_notice(entry.name for entry in entries)


_SYSTEM_FILES = {"__macosx", ".ds_store", "icon\r", "thumbs.db", "desktop.ini"}


def is_system_file(path: str) -> bool:
    """Return True for a path that macOS or Windows made by itself."""
    parts = path.replace("\\", "/").split("/")
    return any(
        part.casefold() in _SYSTEM_FILES or part.startswith("._") for part in parts
    )


def system_files_notice(paths: Iterable[str]) -> list[str]:
    """A notice that names the system files among these paths; empty without any."""
    left_out = [on_one_line(path) for path in paths if is_system_file(path)]
    if not left_out:
        return []
    return [f"Files of the operating system, left out: {listed(left_out)}."]


@contextmanager
def wrong_file_hint(path: Path, option: str) -> Iterator[None]:
    """Adds to an InputFileError what the file looks like, if that is something else.

    A file whose first two lines were read is of this option, whatever follows.
    """
    try:
        yield
    except (TooLargeError, AmbiguousFileError):
        raise
    except InputFileError as error:
        options = fitting(path)
        if not options or option in options or (error.line or 1) > 2:
            raise
        hint = f"It looks like a file for --{options[0]}."
        raise InputFileError(f"{error} {hint}") from None


def option_for(path: Path) -> str:
    """The one option that reads the file, or every file of the folder.

    Raises InputFileError with the options to choose from where there is none, and
    where there are several.
    """
    options = _fitting_folder(path) if path.is_dir() else fitting(path)
    if len(options) == 1:
        return options[0]
    if options:
        choice = " or ".join(f"--{option}" for option in options)
        raise error_at(path, None, f"could be of several kinds; give it by {choice}.")
    number = None if path.is_dir() else refuse_unreadable(path)
    choice = ", ".join(f"--{option}" for option in ordered(readers()))
    message = f"the kind of file is not recognised; give it by {choice}."
    raise error_at(path, number, message)


def refuse_unreadable(path: Path) -> int:
    """Raise the InputFileError of a file that is damaged; returns its first line."""
    lines = TextLines(path, expected="a file of a known kind")
    first = lines.peek()
    number = lines.number
    if is_json(first):
        leading_value(lines)
    deque(islice(lines, TRIED_LINES), maxlen=0)
    return number


def fitting(path: Path) -> tuple[str, ...]:
    """The options that read what the first line or value speaks for."""
    if not path.is_file():
        return ()  # a pipe gives its content only once
    start = file_start(path)
    formats = [(name, form) for name in readers() for form in readers()[name].values()]
    fits = [(form.specific, name) for name, form in formats if form.fits(start)]
    _, best = max(fits, key=lambda fit: fit[0], default=(0, None))
    options = {
        name
        for name, form in formats
        if name == best or (form.may_be and form.may_be(start, best))
    }
    return tuple(ordered(options))


def _fitting_folder(folder: Path) -> tuple[str, ...]:
    """The option of every visible file in it; a folder of queries is none."""
    first, *others = {fitting(file) for file in files_in(folder, "runs or reports")[0]}
    is_alike = len(first) == 1 and not others
    return first if is_alike and readers()[first[0]][first[0]].option.folders else ()


def is_number(text: str) -> bool:
    """Return True if a column of a text file is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
