"""Descriptions of file formats: each module of a format defines ``CODECS``.

``formats/registry.py`` finds them. The options of import and export, recognition, the
lists of the pages, and what an export says that it has no place for follow from them,
so a new format is one module here and its test.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from curator.bank.edits.kinds import MARKS
from curator.bank.questions import Bank, Question
from curator.collection.pools import Query
from curator.collection.rankings import Ranking
from curator.edit_words import RETIRE
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.text.fields import Extras

if TYPE_CHECKING:
    from curator.formats.answer_selection import SelectionQuestion
    from curator.formats.autograder.grades_export import ExportedQuery


def _counted(*nouns: str) -> dict[str, tuple[str, str]]:
    """Return the words for one and for many of things with a regular plural."""
    return {f"{noun}s": (f"1 {noun}", f"{{:,}} {noun}s") for noun in nouns}


THINGS: dict[str, tuple[str, str]] = {
    "query texts": ("1 query text", "{:,} query texts"),
    "backgrounds": ("the background of 1 query", "the backgrounds of {:,} queries"),
    **_counted("subtopic", "passage text"),
    "texts in no pool": (
        "1 text of a passage in no pool",
        "{:,} texts of passages in no pool",
    ),
    "segments": ("the segments of 1 document", "the segments of {:,} documents"),
    **_counted("ranking", "judgment", "official rank"),
    "named boards": ("1 further official board", "{:,} further official boards"),
    **_counted("gold article"),
    "title": ("the collection's title", ""),
    "threshold": ("the judgment from which a passage is relevant", ""),
    "guidelines": ("the guidelines for judges", ""),
    **_counted("kept question", "kept nugget"),
    "proposed": ("1 proposed item", "{:,} proposed items"),
    "retired": (f"1 {RETIRE.past} item", f"{{:,}} {RETIRE.past} items"),
    "item texts": ("the text of 1 item", "the texts of {:,} items"),
    "choices": ("the choices of 1 item", "the choices of {:,} items"),
    "answers": ("the known answers of 1 item", "the known answers of {:,} items"),
    "aggregators": (
        "that 1 item needs all of its answers",
        "that {:,} items need all of their answers",
    ),
    "provenance": ("where 1 item comes from", "where {:,} items come from"),
    **_counted(*(mark.noun for mark in MARKS.values())),
    "grades": ("grades of 1 grader", "grades of {:,} graders"),
    "direct grades": ("direct grades of 1 grader", "direct grades of {:,} graders"),
    "graders": (
        "the exact prompt and model of 1 grader",
        "the exact prompts and models of {:,} graders",
    ),
    "grades of others": (
        "grades of 1 item that is not kept",
        "grades of {:,} items that are not kept",
    ),
    "responses": ("1 model's own words", "{:,} models' own words"),
    "vectors": ("the vectors of 1 text", "the vectors of {:,} texts"),
    "askings": (
        "1 request for questions to a model",
        "{:,} requests for questions to models",
    ),
    "history": ("1 change in the history", "{:,} changes in the history"),
    **_counted("release"),
}
"""What a workspace may hold: the words for one and for many; a title is never two."""


@dataclass(frozen=True)
class Carried:
    """The content of a format: names of THINGS, and formats of extras.

    An extra is carried whose format is named, or whose ``format:entity`` is, or any
    where ``*`` is. Of what is carried in part (one vote of two) the writer says itself
    what it drops.
    """

    things: frozenset[str] = frozenset()
    extras: frozenset[str] = frozenset()


def carried(*things: str, extras: Iterable[str] = ()) -> Carried:
    """Make a ``Carried`` of these things. Raises KeyError for unknown ones."""
    unknown = set(things) - THINGS.keys()
    if unknown:
        raise KeyError(f"no such thing in THINGS: {sorted(unknown)}")
    return Carried(frozenset(things), frozenset(extras))


KEPT_ITEMS = ("kept questions", "kept nuggets", "item texts")
EVERYTHING = carried(*THINGS, extras=("*",))


# In


@dataclass(frozen=True)
class FileStart:
    """The start of a file: first line ("" if not a text) and first JSON value.

    ``value`` is the first JSON value, None where there is none to be read.
    """

    path: Path
    line: str = ""
    value: Any = None

    @property
    def record(self) -> dict[str, Any]:
        """The value if it is an object, or the first object of a list; else {}."""
        match self.value:
            case dict() as record:
                return record
            case [dict() as record, *_]:
                return record
        return {}

    def has(self, *alternatives: Collection[str]) -> bool:
        """Return True if the record has all fields of one of the sets."""
        return any(self.record.keys() >= set(fields) for fields in alternatives)


class Reader(Protocol):
    """Reads a file, or a folder where the option takes some. Raises InputFileError."""

    def __call__(
        self, path: Path, /, *, progress: Progress | None = None
    ) -> ParsedImport: ...


@dataclass(frozen=True)
class ImportOption:
    """An option of ``import``, and all formats that it reads.

    ``label`` is for the import dialog and the command's help; ``sign`` matches names of
    such files.
    """

    name: str
    label: str
    sign: str
    folders: bool = False


@dataclass(frozen=True, kw_only=True)
class Imports:
    """The import of a format.

    ``fits``: whether a file that begins so is of this format; of several that fit, the
    most ``specific`` is meant. ``may_be``: whether it may be as well, next to the
    option named or none. By ``endings`` of names a file is of this format that fits
    none of its option.
    """

    option: ImportOption
    fits: Callable[[FileStart], bool]
    read: Reader | None = None
    called: str = ""
    specific: int = 9
    may_be: Callable[[FileStart, str | None], bool] | None = None
    endings: tuple[str, ...] = ()


# Out


@dataclass(frozen=True)
class Contents:
    """The exportable content of a workspace, read when it is used.

    ``in_full`` says of questions where they come from as a file is to say it,
    ``authors`` (judge, when) of who gave a question its words here.
    """

    title: str
    queries: Sequence[Query]
    bank: Bank
    systems: Sequence[str]
    official: Mapping[str, float]
    extras: Callable[[], Extras]
    in_full: Callable[[Iterable[Question]], list[Question]]
    authors: Callable[[], Mapping[str, tuple[str, str]]]
    known_answers: Callable[[], list[SelectionQuestion]]
    passages: Callable[[], Iterator[tuple[str, str]]]
    gold: Callable[[], Iterator[tuple[str, str, str]]]
    judgments: Callable[[], dict[tuple[str, str], int]]
    rankings: Callable[[], Iterator[Ranking]]
    empty_rankings: Callable[[], dict[str, int]]
    graded_queries: Callable[[], Iterator[ExportedQuery]]
    ungraded_items: Callable[[], int]
    of_subtopics: Callable[[], tuple[int, int]]
    report_lines: Callable[[], Mapping[tuple[str, str], str]]
    of_no_report: Callable[[], tuple[int, int]]


@dataclass(frozen=True)
class WriteResult:
    """The number of things written, and notices.

    ``dropped`` is what the file leaves out of what its format carries in part.
    ``carries`` is said where this file carries otherwise than its format.
    """

    count: int
    what: str
    notices: Sequence[str] = ()
    dropped: Sequence[str] = ()
    carries: Carried | None = None


Writer = Callable[[Contents, Path], WriteResult]

JSONL, JSONL_GZ = ("JSONL", ".jsonl"), ("JSONL, gzipped", ".jsonl.gz")
CSV = ("CSV for spreadsheets", ".csv")
NUMBERS, BANK, GRADED = "Numbers", "Questions", "Grades"
COLLECTION, ALL = "Collection", "All of it"
GROUPS = (NUMBERS, BANK, GRADED, COLLECTION, ALL)
"""The groups of the Export tab's list, in order."""


@dataclass(frozen=True, kw_only=True)
class Exports:
    """The export of a format, and what it would reveal to a judge.

    ``label``, ``what`` and ``group`` are those of the Export tab, ``forms`` (words,
    ending) pairs, the usual one first. ``large`` files are made
    when they are asked for, in a process of their own. ``tells_systems``: systems,
    judgments or official ranks by their names, also masked ones; ``tells_votes``: all
    that judges said and what models proposed, for every viewer. ``under_settings``:
    those at the top of the page decide what is in it; ``of_one_grader``: naming one
    leaves the others' grades out; ``of_numbers``: it is refused where something is
    missing; ``of_a_release``: it can also be what was frozen, ``only_released``: it is
    nothing else, and ``not_released`` why not. Without ``write`` a verb makes the file.
    ``target`` is what the option names.
    """

    label: str
    what: str
    group: str
    forms: tuple[tuple[str, str], ...]
    carries: Carried = field(default_factory=Carried)
    write: Writer | None = None
    large: bool = False
    tells_systems: bool = False
    tells_votes: bool = False
    under_settings: bool = False
    of_one_grader: bool = False
    of_numbers: bool = False
    of_a_release: bool = False
    only_released: bool = False
    target: str = "FILE"
    not_released: str = ""
    kind: str = ""  # the codec's name, by which the registry hands it out

    @property
    def option(self) -> str:
        """The option of ``export`` that writes it."""
        return f"--{self.kind.replace('_', '-')}"

    @property
    def endings(self) -> tuple[str, ...]:
        """Return the usual endings of its files."""
        plain = (ending.removesuffix(".gz") for _, ending in self.forms)
        return tuple(dict.fromkeys(plain))

    @property
    def looked_into(self) -> bool:
        """Return True if a preview of its first lines is useful."""
        return self.forms[0][1] not in (".zip", ".html")


@dataclass(frozen=True)
class Codec:
    """A format by its name, an identifier, which is that of its export option."""

    name: str
    imports: Imports | None = None
    exports: Exports | None = None
