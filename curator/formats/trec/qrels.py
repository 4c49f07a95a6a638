"""TREC qrels in and out: ``query_id 0 passage_id grade``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader, is_number
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
from curator.formats.text.output_files import output_file
from curator.formats.text.records import MAX_GRADE, identifier, whole_number_in

CONSTANTS = {"0", "Q0"}
"""What mostly is in the second column, of qrels and of runs."""
EXPECTED = "lines of TREC qrels: query_id 0 passage_id grade"


@file_reader("judgments", EXPECTED)
def read_qrels(lines: TextLines) -> ParsedImport:
    """The judgments of a qrels file; the second column is passed over, as usual.

    The query id is kept as it stands, ``query_id/subtopic_id`` included. Raises
    InputFileError, also for a passage judged twice and differently.
    """
    parsed = ParsedImport(lines.path.name, "TREC qrels")
    repeated, seconds = 0, set[str]()
    for text in lines:
        columns = text.split()
        if len(columns) != 4:
            raise lines.error(
                f"{counted(len(columns), 'column')}; qrels have 4: query_id 0 "
                "passage_id grade."
            )
        seconds.add(columns[1])
        query_id = identifier(lines, columns[0], "query id")
        passage_id = identifier(lines, columns[2], "passage id")
        grade = whole_number_in(lines, columns[3], "grade", -MAX_GRADE, MAX_GRADE)
        pair = (query_id, passage_id)
        repeated += pair in parsed.judgments
        if parsed.judgments.setdefault(pair, grade) != grade:
            _refuse_swapped(lines, parsed, seconds, repeated)
            raise lines.error(
                f"passage '{passage_id}' of query '{query_id}' is judged {grade} "
                f"here and {parsed.judgments[pair]} above; keep one of the lines."
            )
    _refuse_swapped(lines, parsed, seconds, repeated)
    if repeated:
        parsed.notices.append(
            f"{counted(repeated, 'line')} repeat a judgment, counted once."
        )
    return parsed


def _refuse_swapped(
    lines: TextLines, parsed: ParsedImport, seconds: set[str], repeated: int
) -> None:
    """Raise InputFileError where the passages are in the second column so far.

    There may be any number, an iteration; but where all passages are "0", not several
    numbers and several lines for one query.
    """
    if any(passage_id not in CONSTANTS for _, passage_id in parsed.judgments):
        return
    named = any(not second.isdecimal() for second in seconds - CONSTANTS)
    if named or (repeated and len(seconds) > 1):
        constants = {passage_id for _, passage_id in parsed.judgments}
        raise lines.error(
            f"the third column, of passage ids, says {' or '.join(sorted(constants))} "
            "here and on every line above, and the second does not: they look swapped; "
            "qrels have query_id 0 passage_id grade."
        )


def write_qrels(stream: TextIO, labels: Mapping[tuple[str, str], int]) -> None:
    """Write labels by (query id, passage id) with single blanks, sorted.

    For subtopic qrels the query id is ``query_id/subtopic_id``.
    """
    for (query_id, passage_id), label in sorted(labels.items()):
        stream.write(f"{query_id} 0 {passage_id} {label}\n")


def _write(contents: codec.Contents, target: Path) -> codec.Written:
    """The official judgments, also those of passages without a text."""
    found = contents.judgments()
    with output_file(target) as stream:
        write_qrels(stream, found)
    return codec.Written(len(found), "judgments")


def _fits(start: codec.FileStart) -> bool:
    match start.line.split():
        case [_, _, _, grade]:
            return is_number(grade)
    return False


CODECS = (
    codec.Codec(
        "judgments",
        codec.Imports(
            option=codec.ImportOption(
                name="judgments",
                what="TREC qrels",
                label="judgments (qrels)",
                help="TREC qrels.",
                sign=r"qrel|judg",
            ),
            read=read_qrels,
            fits=_fits,
        ),
        codec.Exports(
            help="The official judgments, TREC qrels.",
            label="Judgments",
            what="The official judgments as qrels.",
            group=codec.COLLECTION,
            forms=(("qrels", ".qrels"),),
            carries=codec.carried("judgments"),
            write=_write,
            tells_systems=True,
        ),
    ),
    codec.Codec(
        "qrels",
        exports=codec.Exports(
            help="Labels for trec_eval.",
            label="Qrels",
            what="Every passage’s label, for trec_eval and ir_measures.",
            group=codec.NUMBERS,
            forms=(("qrels", ".qrels"),),
            under_settings=True,
            of_numbers=True,
            of_a_release=True,
        ),
    ),
)
