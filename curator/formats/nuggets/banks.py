"""The dialects of nugget banks: NuggetBank v3, RAGTIME, nuggets with documents.

Nuggets with documents are ``{question: ["OR", {answer: [id]}]}``: a file
``nuggets_<topic>.json`` is of one topic, as autojudge-evaluate reads them from a
folder; a file of several topics is an object by topic.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from curator.errors import CuratorError
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.nuggets.items import (
    CLAIMS,
    DOCUMENTS,
    OPEN_ENDED,
    QUESTIONS,
    RAGTIME,
    V3,
    VERSION,
    Dialect,
)
from curator.formats.nuggets.read import ODD, add_line
from curator.formats.nuggets.write import written_bank
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.json_text import JsonDocument, json_line, json_records
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import make_folder, output_file
from curator.formats.text.records import (
    NOT_IN_IDS,
    Record,
    described,
    identifier,
    list_of,
    record_of,
)

V3_EXPECTED = 'a NuggetBank: {"query_id", "title_query", "nugget_bank": {…}} a line'
RAGTIME_EXPECTED = (
    'a nugget bank of RAGTIME: {"metadata": {"topic_id"}, "nugget_bank": […]} a line'
)
DOCUMENTS_EXPECTED = (
    'nuggets with documents: {question: ["OR", {answer: [document id]}]}'
)
_FILE_OF_TOPIC = re.compile(r"nuggets_(.+?)\.json(?:\.gz)?")


def _reader(
    dialect: Dialect,
    expected: str,
    called: str,
    records: Callable[[TextLines], Iterable[Record]],
) -> codec.Reader:
    """Make the reader of a dialect, whose lines ``records`` finds in a file."""

    @file_reader("bank", expected)
    def read(lines: TextLines) -> ParsedImport:
        """Read the items of each query, their importance as votes."""
        parsed, odd = ParsedImport(lines.path.name, called), Oddities(ODD)
        for record in records(lines):
            add_line(parsed, odd, record, dialect)
        parsed.notices += odd.notices()
        return parsed

    return read


def _ragtime_lines(lines: TextLines) -> Iterator[Record]:
    for record in json_records(lines):
        if not _is_ragtime(record):
            raise record.error(
                f"a field of a NuggetBank, or no list of nuggets of a topic; expected "
                f"{RAGTIME_EXPECTED}."
            )
        yield record


def _topics(lines: TextLines) -> Iterator[Record]:
    """The topics of a file of nuggets with documents, as lines of other dialects.

    Raises InputFileError where neither the file nor its name says the topic.
    """
    document = JsonDocument(lines.path, text=lines.whole())
    value = record_of(document, document.value(), "the file")
    topics = {topic: (document.at(topic), entries) for topic, entries in value.items()}
    if not value or not all(isinstance(entries, dict) for entries in value.values()):
        named = _FILE_OF_TOPIC.fullmatch(lines.path.name)
        if named is None or not value:
            raise document.error(
                f"the topic of these nuggets is unknown; expected {DOCUMENTS_EXPECTED} "
                "in a file nuggets_TOPIC.json, or under the ids of topics."
            )
        topics = {named[1]: (document, value)}
    for topic, (place, entries) in topics.items():
        items = {
            text: _item_of(place.at(text), text, entry)
            for text, entry in entries.items()
        }
        topic = identifier(place, topic, "topic")
        yield Record(place, {"query_id": topic, QUESTIONS.name: items}, "the topic")


read_nuggetbank = _reader(V3, V3_EXPECTED, f"a NuggetBank ({VERSION})", json_records)
read_ragtime = _reader(
    RAGTIME, RAGTIME_EXPECTED, "a nugget bank of RAGTIME 2026", _ragtime_lines
)
read_nugget_docs = _reader(
    DOCUMENTS, DOCUMENTS_EXPECTED, "nuggets with documents", _topics
)


def _item_of(place: JsonDocument, text: str, value: object) -> dict[str, Any]:
    """The entry of a question as other dialects have it."""
    match value:
        case [str() as aggregator, dict() as by_answer, *more]:
            pass
        case _:
            raise place.error(
                f"{described(text)} is {described(value)}; expected "
                '["OR", {answer: [document id]}].'
            )
    for answer, ids in by_answer.items():
        at = place.at(1, answer)
        for document in list_of(at, ids, described(answer)):
            identifier(at, document, "document id")
    answers = {answer: {"references": ids} for answer, ids in by_answer.items()}
    item = {QUESTIONS.text: text, "aggregator_type": aggregator, "answers": answers}
    return item | ({"more": more} if more else {})


def _value_of(item: dict[str, Any]) -> list[Any]:
    """The value of a question in nuggets with documents."""
    by_answer = {
        answer: [
            reference["doc_id"] if isinstance(reference, dict) else reference
            for reference in entry.get("references") or ()
        ]
        for answer, entry in item.get("answers", {OPEN_ENDED: {}}).items()
    }
    # Where all answers are needed, another one beside them would be needed too.
    if item.get("references") and item["aggregator_type"] == "OR":
        by_answer[OPEN_ENDED] = by_answer.get(OPEN_ENDED) or item["references"]
    return [item["aggregator_type"], by_answer, *item.get("more", ())]


def _write_lines(
    dialect: Dialect, contents: codec.Contents, target: Path
) -> codec.WriteResult:
    lines, result = written_bank(dialect, contents)
    with output_file(target) as stream:
        stream.writelines(map(json_line, lines.values()))
    return result


def _write_documents(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """Write the kept questions: a file of all topics, or a folder with one for each.

    A target that is a folder, or a new name without an ending, is a folder.
    """
    lines, result = written_bank(DOCUMENTS, contents)
    topics = {
        topic: {
            text: _value_of(item) for text, item in dict(line[QUESTIONS.name]).items()
        }
        for topic, line in lines.items()
    }
    if target.is_dir() or not (target.exists() or target.suffix):
        for topic in topics:
            if "/" in topic or NOT_IN_IDS.search(topic):
                raise CuratorError(
                    f"Query '{topic}' cannot be a file name; write all topics to one, "
                    f"such as {target.name}.json."
                )
        files = {f"nuggets_{topic}.json": entries for topic, entries in topics.items()}
        make_folder(target, files)
        for name, entries in files.items():
            _write_json(target / name, entries)
    else:
        _write_json(target, topics)
    return replace(result, notices=())


def _write_json(path: Path, value: dict[str, Any]) -> None:
    with output_file(path) as stream:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=4)
        stream.write(text + "\n")


def _fits_nuggetbank(start: codec.FileStart) -> bool:
    is_v3 = start.record.get("format_version") == VERSION
    return is_v3 or start.has({QUESTIONS.name}, {CLAIMS.name})


def _is_ragtime(value: Any) -> bool:
    match value:
        case {"metadata": {"topic_id": _}, QUESTIONS.name: list()}:
            return not {"query_id", CLAIMS.name, "title_query"} & value.keys()
    return False


def _fits_documents(start: codec.FileStart) -> bool:
    value = start.value
    if not isinstance(value, dict) or not value:
        return False
    first = next(iter(value.values()))
    if isinstance(first, dict):
        value, first = first, next(iter(first.values()), None)
    match first:
        case [str(), dict(), *_]:
            return all(isinstance(entry, list) for entry in value.values())
    return False


def _imports(
    called: str, read: codec.Reader, fits: Callable[[codec.FileStart], bool]
) -> codec.Imports:
    # A NuggetBank may look like RAGTIME's, too, and has a query_id.
    specific = 10 if read is read_ragtime else 9
    return codec.Imports(
        option=BANK_OPTION, called=called, read=read, fits=fits, specific=specific
    )


_QUESTIONS = ("kept questions", "item texts", "answers", "aggregators")

CODECS = (
    codec.Codec(
        "nuggetbank",
        _imports("NuggetBank v3", read_nuggetbank, _fits_nuggetbank),
        codec.Exports(
            label="NuggetBank",
            what="The kept questions and key facts as a NuggetBank, version 3.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(  # of votes and provenance a part
                *_QUESTIONS,
                *("query texts", "backgrounds", "subtopics", "kept nuggets"),
                *("choices", "provenance", "votes", "title"),
                extras=("nuggetbank",),
            ),
            write=partial(_write_lines, V3),
        ),
    ),
    codec.Codec(
        "ragtime",
        _imports("RAGTIME 2026", read_ragtime, lambda start: _is_ragtime(start.value)),
        codec.Exports(
            label="RAGTIME nuggets",
            what="The kept questions with their answers, as RAGTIME 2026 takes them.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(  # of votes a part
                *_QUESTIONS, "subtopics", "choices", "votes", extras=("ragtime",)
            ),
            write=partial(_write_lines, RAGTIME),
        ),
    ),
    codec.Codec(
        "nugget_docs",
        _imports("nuggets with documents", read_nugget_docs, _fits_documents),
        codec.Exports(
            label="Nuggets with documents",
            what="The kept questions with their answers and the documents of these.",
            group=codec.BANK,
            forms=(("JSON", ".json"),),
            carries=codec.carried(*_QUESTIONS, extras=("nugget_docs",)),
            write=_write_documents,
        ),
    ),
)
