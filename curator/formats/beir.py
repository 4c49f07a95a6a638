"""Judgments and runs of BEIR and ranx: three columns with a heading, JSON objects.

BEIR's queries and corpus are JSON lines with ``_id``: see ``queries`` and ``passages``.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from curator.collection.rankings import RankedPassage
from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.json_text import JsonDocument
from curator.formats.text.lines import TextLines
from curator.formats.text.records import (
    MAX_GRADE,
    FileLocation,
    Record,
    identifier,
    number_of,
    whole_number,
    whole_number_in,
)
from curator.formats.trec.qrels import JUDGMENTS_OPTION
from curator.formats.trec.ranked_lists import RankedLists
from curator.formats.trec.runs import RUNS_OPTION

HEADING = ["query-id", "corpus-id", "score"]
EXPECTED_JSON = 'a JSON object {"query_id": {"passage_id": number}}'

Pair = tuple[FileLocation, str, str, object]


@file_reader("judgments", "lines of query-id, corpus-id and score")
def read_beir_qrels(lines: TextLines) -> ParsedImport:
    """Read BEIR's qrels. Raises InputFileError, also for a pair judged twice."""
    parsed = ParsedImport(lines.path.name, "qrels of BEIR")
    for text in islice(lines, 1, None):
        columns = text.split("\t")
        if len(columns) != 3:
            raise lines.error(f"expected three columns: {', '.join(HEADING)}.")
        grade = whole_number_in(lines, columns[2], "score", -MAX_GRADE, MAX_GRADE)
        _judge(parsed, lines, columns[0], columns[1], grade)
    return parsed


@file_reader("judgments", EXPECTED_JSON)
def read_json_qrels(lines: TextLines) -> ParsedImport:
    """Read judgments as ranx saves them. Raises InputFileError."""
    parsed = ParsedImport(lines.path.name, "judgments (JSON object)")
    for place, query_id, passage_id, value in _pairs(lines):
        grade = whole_number(place, value, "the grade", -MAX_GRADE, MAX_GRADE)
        _judge(parsed, place, query_id, passage_id, grade)
    return parsed


@file_reader("runs", EXPECTED_JSON)
def read_json_run(lines: TextLines) -> ParsedImport:
    """Read a run as ranx saves it, named by its file; higher scores rank first."""
    parsed = ParsedImport(lines.path.name, "a run (JSON object)")
    scores: dict[str, list[tuple[float, str]]] = {}
    for place, query_id, passage_id, value in _pairs(lines):
        score = number_of(place, value, "the score")
        scores.setdefault(query_id, []).append((score, passage_id))
    lists = RankedLists()
    system = lines.path.name.removesuffix(".gz").removesuffix(".json")
    for query_id, scored in scores.items():
        # Equal scores are ordered by passage id, as trec_eval does.
        ordered = sorted(scored, reverse=True)
        for rank, (score, passage_id) in enumerate(ordered, start=1):
            lists.add(system, query_id, RankedPassage(passage_id, rank, score))
    parsed.rankings = lists.rankings(lines)
    return parsed


def _judge(
    parsed: ParsedImport, place: FileLocation, query: str, passage: str, grade: int
) -> None:
    pair = (
        identifier(place, query, "query id"),
        identifier(place, passage, "passage id"),
    )
    if parsed.judgments.setdefault(pair, grade) != grade:
        raise place.error(f"passage '{pair[1]}' of query '{pair[0]}' is judged twice.")


def _pairs(lines: TextLines) -> Iterator[Pair]:
    document = JsonDocument(lines.path, text=lines.whole())
    record = Record(document, document.value(), "the file")
    for query_id in record:
        for passage_id, value in record.inner(query_id).items():
            place = record.at(query_id)
            yield (
                place,
                identifier(place, query_id, "query id"),
                identifier(place, passage_id, "passage id"),
                value,
            )


def _numbers(start: codec.FileStart) -> list[object]:
    """Return the numbers of the first query, [] for a file of another form."""
    value = start.value
    first = next(iter(value.values()), None) if isinstance(value, dict) else None
    if not isinstance(first, dict) or not first:
        return []
    numbers = [*first.values()]
    return numbers if all(type(number) in (int, float) for number in numbers) else []


def _fits_qrels(start: codec.FileStart) -> bool:
    numbers = _numbers(start)
    return bool(numbers) and all(type(number) is int for number in numbers)


def _fits_run(start: codec.FileStart) -> bool:
    return bool(_numbers(start))


CODECS = (
    codec.Codec(
        "beir_qrels",
        codec.Imports(
            option=JUDGMENTS_OPTION,
            called="qrels of BEIR",
            read=read_beir_qrels,
            fits=lambda start: start.line.split("\t") == HEADING,
        ),
    ),
    codec.Codec(
        "ranx_qrels",
        codec.Imports(
            option=JUDGMENTS_OPTION,
            called="ranx's JSON",
            read=read_json_qrels,
            fits=_fits_qrels,  # else a run
        ),
    ),
    codec.Codec(
        "ranx_run",
        codec.Imports(
            option=RUNS_OPTION,
            called="ranx's JSON",
            read=read_json_run,
            fits=_fits_run,
            specific=5,
        ),
    ),
)
