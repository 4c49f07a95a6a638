"""The official leaderboard, ``{system: rank}`` as JSON, in and out.

In also as a leaderboard table with headings, as the RUBRIC workbench and Curator write
it: of that the column ``orig_TREC_leaderboard_rank`` is taken. And as scores, a line a
system and topic (``scored_boards.py``).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path

from curator.formats import codec
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import can_read, file_reader, first_line
from curator.formats.text.fields import field_of_a_record
from curator.formats.text.json_text import JsonDocument
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    FileLocation,
    described,
    error_at,
    name_of,
    number_in,
    number_of,
    record_of,
)
from curator.formats.text.spreadsheets import unmarked
from curator.formats.trec.leaderboard_tsv import COLUMNS, GOLD, OVERALL
from curator.formats.trec.qrels import CONSTANTS
from curator.formats.trec.scored_boards import (
    is_scores,
    official_board,
    read_scored_boards,
)

EXPECTED = 'official ranks: a JSON object {"system": rank} or a leaderboard TSV'
SYSTEM, RANK = COLUMNS[0], COLUMNS[-1]
NOT_SYSTEMS = (OVERALL, GOLD, "spearman", "kendall")
"""Lines of a leaderboard table that are of no system, where they have no rank."""


def read_official_ranks(
    path: Path, /, *, progress: Progress | None = None, measure: str | None = None
) -> ParsedImport:
    """Rank by system, 1 is best; fractions and ties occur.

    Of scores those of ``measure``, which may be left out where there is but one. Raises
    InputFileError.
    """
    if path.is_dir() or is_scores(first_line(path)):
        parsed, boards = read_scored_boards(path, progress=progress)
        return official_board(parsed, boards, path, measure)
    if measure is not None:
        raise error_at(
            path, None, f"has ranks, and no scores of which '{measure}' could be one."
        )
    return _read_ranks(path, progress=progress)


@file_reader("official", EXPECTED)
def _read_ranks(lines: TextLines) -> ParsedImport:
    whole = lines.whole()
    first = whole.lstrip().partition("\n")[0].rstrip("\r")
    between = "\t" if "\t" in first else ","
    if {SYSTEM, RANK} & set(first.split(between)):
        return _from_table(lines, whole, between)
    parsed = ParsedImport(lines.path.name, "an official leaderboard")
    document = JsonDocument(lines.path, text=whole)
    ranks = record_of(document, document.value(), "the file")
    if not ranks:
        raise document.error(f"the object names no system; expected {EXPECTED}.")
    for key, value in ranks.items():
        here = document.at(key)
        system = name_of(here, key, "system")
        rank = number_of(here, value, f"rank of {described(system)}")
        parsed.official[system] = _at_least_1(here, system, rank)
    return parsed


def _from_table(lines: TextLines, whole: str, between: str) -> ParsedImport:
    parsed = ParsedImport(lines.path.name, f"a leaderboard table, of which {RANK}")
    rows = _rows(lines, whole, between)
    heading = next(rows)
    for name in (SYSTEM, RANK):
        if heading.count(name) != 1:
            raise lines.error(
                f"has {counted(heading.count(name), 'column')} {name}; expected one, "
                "to take official ranks from."
            )
    at_system, at_rank = heading.index(SYSTEM), heading.index(RANK)
    seen: set[str] = set()
    without = 0
    for row in rows:
        if len(row) != len(heading):
            raise lines.error(
                f"{counted(len(row), 'column')} here and {len(heading)} headings; each "
                "line needs a cell for every heading."
            )
        system, rank = unmarked(row[at_system]), row[at_rank].strip()
        if not rank:
            without += system not in NOT_SYSTEMS
            continue
        system = name_of(lines, system, SYSTEM)
        if system in seen:
            raise lines.error(f"system {described(system)} occurs twice; keep one.")
        seen.add(system)
        number = number_in(lines, rank, f"{RANK} of {described(system)}")
        parsed.official[system] = _at_least_1(lines, system, number)
    lines.number = 0
    if not parsed.official:
        raise lines.error(
            f"the column {RANK} is empty everywhere; expected a rank in it for each "
            "system that has one."
        )
    if without:
        parsed.notices.append(
            f"{counted(without, 'system')} without a rank in it, left out."
        )
    return parsed


def _rows(lines: TextLines, whole: str, between: str) -> Iterator[list[str]]:
    """The cells of each line; quotation marks are only marks between commas."""
    for text in lines.lines_of(whole):
        line = text.removesuffix("\r")
        if between == "\t":
            yield line.split(between)
            continue
        try:
            yield next(csv.reader([line], strict=True))
        except csv.Error as error:
            raise lines.error(
                f"is not a line of CSV ({error}); expected a cell for every heading."
            ) from None


def _at_least_1(place: FileLocation, system: str, rank: float) -> float:
    if rank < 1:
        raise place.error(
            f"rank of {described(system)} is {described(rank)}; a rank is 1 or more, 1 "
            "is best. Is this a file of scores?"
        )
    return rank


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The ranks, best first; a whole one without a point."""
    ordered = sorted(contents.official.items(), key=lambda item: (item[1], item[0]))
    ranks = {
        system: int(rank) if rank.is_integer() else rank for system, rank in ordered
    }
    with output_file(target) as stream:
        stream.write(json.dumps(ranks, ensure_ascii=False, indent=1) + "\n")
    return codec.WriteResult(len(contents.official), "official ranks")


def _fits(start: codec.FileStart) -> bool:
    if is_scores(start.line):
        # So do qrels with fractions, and MS MARCO's ``query passage rank``.
        columns = start.line.split()
        unclear = len(columns) == 3 or columns[1] in CONSTANTS
        return not unclear or can_read(read_official_ranks, start.path)
    if any({SYSTEM, RANK} <= set(start.line.strip().split(sign)) for sign in "\t,"):
        return True
    value = start.value
    if not isinstance(value, dict) or not value or field_of_a_record(value):
        return False
    return all(isinstance(rank, int | float) for rank in value.values())


CODECS = (
    codec.Codec(
        "official",
        codec.Imports(
            option=codec.ImportOption(
                name="official",
                what="an official leaderboard",
                label="official ranks",
                sign=r"official|leaderboard",
                folders=True,
            ),
            read=read_official_ranks,
            fits=_fits,
            specific=10,  # scores of four columns look like qrels
        ),
        codec.Exports(
            label="Official ranks",
            what="Each system’s rank on the official board.",
            group=codec.COLLECTION,
            forms=(("JSON", ".json"),),
            carries=codec.carried("official ranks"),
            write=_write,
            tells_systems=True,
        ),
    ),
)
