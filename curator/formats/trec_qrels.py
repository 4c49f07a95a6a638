"""TREC qrels in and out: ``query_id 0 passage_id grade``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from curator.formats.parsed_import import ParsedImport, Progress
from curator.formats.recognition import wrong_file_hint
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted
from curator.formats.text.records import MAX_GRADE, identifier, whole_number_in

CONSTANTS = {"0", "Q0"}
"""What mostly is in the second column, of qrels and of runs."""
EXPECTED = "lines of TREC qrels: query_id 0 passage_id grade"


def read_qrels(path: Path, *, progress: Progress | None = None) -> ParsedImport:
    """The judgments of a qrels file; the second column is passed over, as usual.

    The query id is kept as it stands, ``query_id/subtopic_id`` included. Raises
    InputFileError, also for a passage judged twice and differently.
    """
    with wrong_file_hint(path, "judgments"):
        parsed = ParsedImport(path.name, "TREC qrels")
        lines = TextLines(path, expected=EXPECTED, progress=progress)
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
