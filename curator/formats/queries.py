"""Queries: a JSON object of texts, two columns or a record a line in, records out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from curator.collection.pools import Query, Subtopic
from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import (
    QUERIES,
    Extras,
    field_of_a_record,
    id_and_text,
    is_two_columns,
    keep_record,
    kept_record,
    overlaid,
    records_in,
    stated_id,
)
from curator.formats.text.json_text import json_line
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import left_out
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    FileLocation,
    Record,
    described,
    either,
    first_field,
    identifier,
    text_of,
)

IDS, TEXTS = QUERIES.ids, QUERIES.texts
_OF_QUERIES = {"id", *TEXTS[1:], "problem_statement", "background", "subtopics"}
"""Fields of which each record is a query's, though others too have an "id"."""
EXPECTED = 'queries: {"id": "text"}, or id<TAB>text, or JSON records'
FORMAT = "queries"
RESTRICTED = "restricted"  # whether texts of the query are for organizers alone
"""Extras of this format are records (``keep_record``): ("query", query_id), without its
text and subtopics, and ("subtopic", "<query_id>\\t<subtopic_id>")."""
_STORED = {"problem_statement", "background", "subtopics", RESTRICTED}
_OF_SUBTOPICS = {"subtopic_id", "text"}


@file_reader("queries", EXPECTED)
def read_queries(lines: TextLines) -> ParsedImport:
    """The queries of a file in any of its forms.

    ``problem_statement`` and ``background`` together are a query's background.
    Raises InputFileError.
    """
    parsed = ParsedImport(lines.path.name, "queries")
    columns = "a query id", "its text"
    for record in records_in(lines, QUERIES, parsed.notices, columns):
        if parsed.queries or any(name in record for name in (*IDS, *TEXTS)):
            _add_record(parsed, record)
        else:
            _add_texts(parsed, record)
    if not parsed.queries:
        lines.number = 0
        raise lines.error(f"the file holds no query; expected {EXPECTED}.")
    return parsed


def _add_texts(parsed: ParsedImport, record: Record) -> None:
    if name := field_of_a_record(record):
        raise record.at(name).error(
            f"{described(name)} is the field of a record, and no query in an object of "
            f"texts; expected a field {either(IDS)} in it."
        )
    for key, text in record.items():
        here = record.at(key)
        query_id = identifier(here, key, "query id")
        _add(parsed, here, Query(query_id, _title(here, text, query_id)))


def _title(place: FileLocation, value: object, query_id: str) -> str:
    title = text_of(place, value, f"the text of query '{query_id}'")
    if title is None or not title.strip():
        raise place.error(f"query '{query_id}' has no text; every query needs one.")
    return title


def _add(parsed: ParsedImport, place: FileLocation, query: Query) -> None:
    if query.query_id in parsed.queries:
        raise place.error(f"query '{query.query_id}' occurs twice; keep one of them.")
    parsed.queries[query.query_id] = query


def _add_record(parsed: ParsedImport, record: Record) -> None:
    id_field, query_id = stated_id(record, QUERIES, "query")
    record.of = f"query '{query_id}'"
    found_text = first_field(record, TEXTS)
    if found_text is None:
        raise record.error(
            f"{record.of} has no text; expected a field {either(TEXTS)}."
        )
    text_field, title = found_text
    parts = [record.text(name) for name in ("problem_statement", "background")]
    query = Query(
        query_id,
        _title(record.at(text_field), title, query_id),
        background="\n\n".join(part for part in parts if part) or None,
        subtopics=_subtopics(parsed, record, query_id),
    )
    _add(parsed, record.at(id_field), query)
    if record.flag(RESTRICTED):
        parsed.restricted.append(query_id)
    homes = {id_field, text_field, RESTRICTED, "background", "subtopics"}
    written = _record(query, query.title or "", parsed.extras)
    replaced = (
        {text_field: "", "subtopics": []} if query.subtopics else {text_field: ""}
    )
    keep_record(
        parsed.extras, ("query", query_id, FORMAT), record, written, homes, **replaced
    )


def _subtopics(
    parsed: ParsedImport, record: Record, query_id: str
) -> tuple[Subtopic, ...]:
    subtopics: dict[str, Subtopic] = {}
    for entry in record.records("subtopics", f"a subtopic of query '{query_id}'"):
        subtopic_id = entry.identifier("subtopic_id")
        if subtopic_id in subtopics:
            raise entry.at("subtopic_id").error(
                f"subtopic {described(subtopic_id)} of query '{query_id}' occurs twice."
            )
        entry.of = f"subtopic '{subtopic_id}'"
        subtopics[subtopic_id] = Subtopic(subtopic_id, entry.text("text") or None)
        key = ("subtopic", f"{query_id}\t{subtopic_id}", FORMAT)
        written = _subtopic(query_id, subtopics[subtopic_id], {})
        keep_record(parsed.extras, key, entry, written, _OF_SUBTOPICS)
    return tuple(subtopics.values())


def write_queries(stream: TextIO, queries: Iterable[Query], extras: Extras) -> int:
    """Write a line for each query with a text; returns how many have none.

    ``extras`` may hold those of other formats too.
    """
    without_text = 0
    for query in queries:
        if query.title is None:
            without_text += 1
            continue
        stream.write(json_line(_record(query, query.title, extras)))
    return without_text


def _record(query: Query, title: str, extras: Extras) -> dict[str, Any]:
    imported = kept_record(extras, "query", query.query_id, FORMAT)
    record = id_and_text(imported, QUERIES, query.query_id, title)
    background = query.background or ""
    statement = imported.get("problem_statement")
    # Part of the background, unless the background is another one now.
    if statement and f"{background}\n\n".startswith(f"{statement}\n\n"):
        record["problem_statement"] = statement
        background = background[len(f"{statement}\n\n") :]
    if background:
        record["background"] = background
    if query.subtopics:
        record["subtopics"] = [
            _subtopic(query.query_id, subtopic, extras) for subtopic in query.subtopics
        ]
    return overlaid(imported, record, _STORED)


def _subtopic(query_id: str, subtopic: Subtopic, extras: Extras) -> dict[str, Any]:
    key = f"{query_id}\t{subtopic.subtopic_id}"
    imported = kept_record(extras, "subtopic", key, FORMAT)
    entry = {"subtopic_id": imported.get("subtopic_id", subtopic.subtopic_id)}
    if subtopic.text is not None:
        entry["text"] = subtopic.text
    return overlaid(imported, entry, _OF_SUBTOPICS)


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """Every query with a text, its background and its subtopics."""
    with output_file(target) as stream:
        without = write_queries(stream, contents.queries, contents.extras())
    words = "query without a text", "queries without one"
    notices = [left_out(without, *words)] if without else []
    return codec.WriteResult(len(contents.queries) - without, "queries", notices)


def _fits(start: codec.FileStart) -> bool:
    if start.has(
        *({"query_id", name} for name in TEXTS), {"request_id"}, {"_id", "text"}
    ):
        return True
    record = start.record
    if field_of_a_record(record):
        return any(name in record for name in TEXTS) and record.keys() <= _OF_QUERIES
    return bool(record) and all(isinstance(text, str) for text in record.values())


def _may_be(start: codec.FileStart, option: str | None) -> bool:
    is_unclear = start.has({"id", "text"}) or is_two_columns(start.line, QUERIES)
    return option is None and is_unclear


CODECS = (
    codec.Codec(
        "queries",
        codec.Imports(
            option=codec.ImportOption("queries", "queries", r"quer|topic"),
            read=read_queries,
            fits=_fits,
            specific=0,
            may_be=_may_be,
        ),
        codec.Exports(
            label="Queries",
            what="Queries with their background and subtopics.",
            group=codec.COLLECTION,
            forms=(codec.JSONL,),
            carries=codec.carried(
                "query texts", "backgrounds", "subtopics", extras=("queries",)
            ),
            write=_write,
        ),
    ),
)
