"""The official leaderboard, ``{system: rank}`` as JSON, in and out.

In also as a leaderboard table with headings, as the RUBRIC workbench and Curator write
it: of that the column ``orig_TREC_leaderboard_rank`` is taken. And as scores, a line a
system and topic (``scored_boards.py``).
"""

from __future__ import annotations

import json
from pathlib import Path

from curator.formats import codec
from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import file_reader, file_start, is_json
from curator.formats.text.fields import field_of_a_record
from curator.formats.text.json_text import json_records
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
)
from curator.formats.text.rows import table_records
from curator.formats.trec.qrels import CONSTANTS
from curator.formats.trec.scored_boards import (
    ALL,
    COLUMNS,
    GOLD,
    OVERALL,
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
    if path.is_dir() or is_scores(file_start(path).line):
        parsed, boards = read_scored_boards(path, progress=progress)
        return official_board(parsed, boards, path, measure)
    if measure is not None:
        raise error_at(
            path, None, f"has ranks, and no scores of which '{measure}' could be one."
        )
    return _read_ranks(path, progress=progress)


@file_reader("official", EXPECTED)
def _read_ranks(lines: TextLines) -> ParsedImport:
    if not is_json(lines.peek()):
        return _from_table(lines)
    parsed = ParsedImport(lines.path.name, "an official leaderboard")
    for record in json_records(lines):
        for key, value in record.items():
            place = record.at(key)
            system = name_of(place, key, "system")
            rank = number_of(place, value, f"rank of {described(system)}")
            parsed.official[system] = _at_least_1(place, system, rank)
    if not parsed.official:
        lines.number = 0
        raise lines.error(f"the object names no system; expected {EXPECTED}.")
    return parsed


def _from_table(lines: TextLines) -> ParsedImport:
    parsed = ParsedImport(lines.path.name, f"a leaderboard table, of which {RANK}")
    without = 0
    for row in table_records(lines):
        system, rank = row.get(SYSTEM), row.get(RANK.lower())
        if system is None or rank is None:
            without += system not in (None, *NOT_SYSTEMS)
            continue
        system = name_of(row, system, SYSTEM)
        if system in parsed.official:
            raise row.error(f"system {described(system)} occurs twice; keep one.")
        number = number_in(row, rank, f"{RANK} of {described(system)}")
        parsed.official[system] = _at_least_1(row, system, number)
    if not parsed.official:
        message = f"has no system with a rank; expected columns {SYSTEM} and {RANK}."
        raise lines.error(message)
    notice = f"{counted(without, 'system')} without a rank in it, left out."
    parsed.notices += [notice] if without else []
    return parsed


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
        is_rank = len(columns) == 3 and columns[1] != ALL and columns[2].isdecimal()
        return not is_rank and columns[1] not in CONSTANTS
    if any({SYSTEM, RANK} <= set(start.line.strip().split(sign)) for sign in "\t,"):
        return True
    ranks, is_record = start.record.values(), field_of_a_record(start.record)
    is_number = all(isinstance(rank, int | float) for rank in ranks)
    return bool(ranks) and is_number and not is_record


CODECS = (
    codec.Codec(
        "official",
        codec.Imports(
            option=codec.ImportOption(
                "official", "official ranks", r"official|leaderboard", folders=True
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
