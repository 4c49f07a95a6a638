"""Recognition of the format of a file by its content.

Some are files that no import reads though people try them, most of which Curator wrote
itself, to be read by people: of them it is said what to give instead.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from itertools import islice
from pathlib import Path
from typing import Any

from curator.errors import AmbiguousFileError, InputFileError, TooLargeError
from curator.formats.bundles import MANIFEST, SUMS
from curator.formats.codec import FileStart, ImportOption, Imports, Reader
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.registry import import_options, in_order, readers
from curator.formats.text.json_text import first_value, leading_value, loads
from curator.formats.text.lines import TextLines
from curator.formats.text.records import described, error_at, on_one_line
from curator.formats.text.system_files import is_system_file, system_files_notice
from curator.formats.trec.leaderboard_tsv import COLUMNS
from curator.unfinished import LockedFolder

TRIED_LINES = 100
"""How many of a file's first and of its last lines a reader is tried on."""

_trying: ContextVar[bool] = ContextVar("trying", default=False)


def reader_of(option: str) -> Reader:
    """Return the reader of an option's files, for all of its formats.

    A file that fits none of them is read, and refused, as one with its ending or else
    as the one of the option's own name; so is a pipe, which cannot be looked into.
    """
    formats = readers()[option]

    def read(path: Path, /, *, progress: Progress | None = None) -> ParsedImport:
        chosen = formats[option]
        if len(formats) > 1:
            with wrong_file_hint(path, option):
                start = FileStart(path, first_line(path), leading_value(path))
            others = [one for one in formats.values() if one is not chosen]
            fits = [one for one in others if one.fits(start)]
            if not fits and not chosen.fits(start):
                name = path.name.lower().removesuffix(".gz")
                fits = [one for one in others if name.endswith(one.endings)]
            chosen = max(fits, key=lambda one: one.specific, default=chosen)
        assert chosen.read is not None  # an option without a reader is no file's
        return chosen.read(path, progress=progress)

    return read


def first_line(path: Path) -> str:
    """The first line, or "" for a pipe, a folder and a file that is no text."""
    if not path.is_file():
        return ""
    try:
        return next(iter(TextLines(path, expected="a text file")))
    except InputFileError:
        return ""


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
    folder: str = "folder",
) -> list[str]:
    """Read a file, or every file of a folder by name, as ``file_reader`` does.

    Hidden files and folders inside are passed over, and what operating systems leave,
    which the notices name that are returned. ``folder`` is what it is called.
    Raises InputFileError, also for a folder without a file.
    """
    files, notices = [path], list[str]()
    if path.is_dir():
        try:
            entries = sorted(path.iterdir())
        except OSError as error:
            message = f"the {folder} cannot be read ({error.strerror})."
            raise error_at(path, None, message) from None
        files = [p for p in entries if not p.is_dir() and _is_visible(p)]
        notices = system_files_notice(p.name for p in entries)
        if not files:
            message = f"the {folder} holds no file; expected {expected}."
            raise error_at(path, None, message)
    sizes = [file.stat().st_size if file.is_file() else 0 for file in files]
    for number, file in enumerate(files):

        def report(done: int, _: int, before: int = sum(sizes[:number])) -> None:
            if progress is not None:
                progress(before + done, sum(sizes))

        with wrong_file_hint(file, option):
            read_lines(TextLines(file, expected=expected, progress=report))
    return notices


def _is_visible(path: Path) -> bool:
    return not path.name.startswith(".") and not is_system_file(path.name)


@contextmanager
def wrong_file_hint(path: Path, option: str) -> Iterator[None]:
    """Adds to an InputFileError what the file looks like, if that is something else.

    Only an option whose reader takes the file's lines is recommended.
    """
    try:
        yield
    except (TooLargeError, AmbiguousFileError):
        raise
    except InputFileError as error:
        if _trying.get():
            raise
        found = recognised(path)
        if found is None and (instead := way_out(path)):
            instead = instead[0].upper() + instead[1:]
            raise InputFileError(on_one_line(f"{error} {instead}")) from None
        formats = readers()[option].values()
        if found in (None, option) or any(found in one.like for one in formats):
            raise
        option = str(found)
        is_read = option in import_options("message")  # a bundle is rebuilt
        if is_read and not can_read(reader_of(option), path):
            raise
        hint = f"It looks like {_option(option).what}: use --{option}."
        raise InputFileError(f"{error} {hint}") from None


def can_read(read: Reader, path: Path) -> bool:
    """Return True if the reader reads the first and last lines of the file.

    So it does where these cannot be told from the rest: of a long JSON document. A
    pipe cannot be read twice.
    """
    if not path.is_file():
        return False
    lines = TextLines(path, expected="")
    first, last = list[str](), deque[str](maxlen=TRIED_LINES)
    token = _trying.set(True)
    try:
        for line in lines:
            (first if len(first) < TRIED_LINES else last).append(line)
        begins_json = first[0].lstrip().startswith(("{", "["))
        if len(last) == TRIED_LINES and begins_json and _json_value(first[0]) is None:
            return True
        with LockedFolder() as folder:
            sample = Path(folder) / path.name
            sample.write_text("\n".join([*first, *last]), encoding="utf-8")
            read(sample)
    except (TooLargeError, AmbiguousFileError):
        return True
    except InputFileError:
        return False
    finally:
        _trying.reset(token)
    return True


def option_for(path: Path) -> str:
    """The one option that reads the file, or every file of the folder.

    Raises InputFileError with the options to choose from where there is none, and
    where there are several.
    """
    found = _fitting_folder(path) if path.is_dir() else fitting(path)
    if len(found) == 1:
        return found[0]
    if not found:
        lines = TextLines(path, expected="a file of a known kind")
        if path.is_file():
            # An empty or garbled file has an error of its own.
            deque(islice(TextLines(path, expected=lines.expected), TRIED_LINES), 0)
            next(iter(lines))
        options = ", ".join(f"--{one}" for one in in_order(readers(), "message"))
        unknown = f"the kind of file is not recognised; give it by {options}."
        instead = way_out(path)
        if not instead:
            leading_value(path)  # a damaged document has an error of its own, too
        raise error_at(path, lines.number or None, instead or unknown)
    options = " or ".join(f"--{one}" for one in found)
    if later := _line_of_another(path, found[0]):
        number, other = later
        raise error_at(
            path,
            number,
            f"looks like {_option(other).what}, and the first line like "
            f"{_option(found[0]).what}; split the file, or give it by {options} "
            "if all lines are of one kind.",
        )
    names = " or ".join(_option(one).what for one in found)
    raise error_at(path, None, f"could be {names}; give it by {options}.")


def fitting(path: Path) -> tuple[str, ...]:
    """Every option that the first line fits, or that reads a later one's format."""
    found = recognised(path)
    if found is not None and (later := _line_of_another(path, found)):
        return (found, later[1])
    surely = (found,) if found else ()
    first = first_line(path)
    value = _json_value(first)
    if value is None:
        return surely or _of_two_columns(first)
    likely = {
        name
        for name, one in _formats()
        if one.may_be and isinstance(value, dict) and one.may_be(value, found)
    }
    return tuple(in_order(likely, "message")) or surely


def recognised(path: Path) -> str | None:
    """The option that reads what the first line speaks for, None if that is nothing."""
    if not path.is_file():
        return None  # a pipe gives its content only once
    first, value = first_line(path), first_value(path)
    if value is None and first.lstrip().startswith(("{", "[")):
        return None
    return _option_of(FileStart(path, first, value))


def _option_of(start: FileStart) -> str | None:
    fits = [(one.specific, name) for name, one in _formats() if one.fits(start)]
    return max(fits, key=lambda one: one[0], default=(0, None))[1]


def _formats() -> Iterator[tuple[str, Imports]]:
    """Every format that comes in, after the name of its option."""
    for option, formats in readers().items():
        for one in formats.values():
            yield option, one


def _option(name: str) -> ImportOption:
    return next(iter(readers()[name].values())).option


def _line_of_another(path: Path, option: str) -> tuple[int, str] | None:
    """(number, option) of the first line that is of another option's format."""
    fields = {one for imports in readers()[option].values() for one in imports.others}
    if not fields:
        return None
    lines = TextLines(path, expected="a text file")
    try:
        for text in lines:
            if any(field in text for field in fields):
                value = _json_value(text)
                other = value and _option_of(FileStart(path, value=value))
                if other not in (None, option):
                    return lines.number, other
    except InputFileError:  # which the reader says too
        pass
    return None


def _of_two_columns(line: str) -> tuple[str, ...]:
    """The options whose lines may be so: an id and a text, with a tab between."""
    if line.count("\t") != 1:
        return ()
    columns = {name: one.heads for name, one in _formats() if one.heads}
    headed = [name for name, heads in columns.items() if heads(line)]
    return tuple(in_order(headed or columns, "message"))


def _fitting_folder(folder: Path) -> tuple[str, ...]:
    """The option of every visible file in it; a folder of queries is none."""
    try:
        files = [path for path in folder.iterdir() if _is_visible(path)]
    except OSError:
        return ()
    found = {recognised(one) for one in files if one.is_file()}
    return tuple(n for n in readers() if _option(n).folders and found == {n})


def is_number(text: str) -> bool:
    """Return True if a column of a text file is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


# Files that no import reads

ZIP_IT = "give the zip, or zip what is in the folder"
WITH_A_BUNDLE = "for reading only; it is imported with its bundle (--bundle)."

_LINES = {
    "this is a history, " + WITH_A_BUNDLE: {"event", "at", "by", "batch", "before"},
    "these grades are for reading only; `curator export WORKSPACE --autograder "
    "x.jsonl` writes grades that can be "
    "imported.": {"query", "kind", "passage", "rating"},
}
"""What to say of JSON lines with these fields."""


def way_out(path: Path) -> str:
    """Return what the file or folder is and what to do instead, or ""."""
    if path.is_dir():
        try:
            names = {file.name for file in path.iterdir() if _is_visible(file)}
        except OSError:
            return ""
        if {MANIFEST, SUMS} <= names:
            return f"this is an unpacked bundle; {ZIP_IT}."
        return "" if names else "the folder is empty; expected runs or reports in it."
    if not path.is_file():
        return ""  # a pipe gives its content only once
    try:
        first = next(iter(TextLines(path, expected="")))
        value = _json_value(first)
        if value is None and first.startswith("{"):  # an object over several lines
            value = _json_value(TextLines(path, expected="").whole())
    except InputFileError:
        return ""
    return _way_of_object(value) if isinstance(value, dict) else _way_of_columns(first)


def _json_value(text: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def _way_of_object(value: dict[str, Any]) -> str:
    form = str(value.get("format"))
    if form.startswith("curator bundle"):
        return "this is the manifest of a bundle; give the bundle itself, the zip."
    if form.startswith("curator release"):
        return "this is a release, " + WITH_A_BUNDLE
    if {"file", "sha256", "kind"} <= value.keys():
        return f"this is the manifest of {described(value['file'])}; give that file."
    for message, fields in _LINES.items():
        if fields <= value.keys():
            return message
    return ""


def _way_of_columns(line: str) -> str:
    if any(line.split(sign)[0] == COLUMNS[0] for sign in "\t,"):
        return "this board is for reading only: it has no column of official ranks."
    for sign, what in {",": "commas", ";": "semicolons"}.items():
        match line.split(sign):
            case [_, _, _, grade] | [_, _, _, grade, _, _] if (
                grade.strip().removeprefix("-").isdecimal()
            ):
                return (
                    f"there are {what} between its columns; TREC runs and qrels have "
                    "blanks there."
                )
    return ""
