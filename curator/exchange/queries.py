"""Queries in: a JSON object of texts, two columns, or a record a line."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import Any

from curator.collection.queries import Query, Subtopic
from curator.exchange.incoming import Incoming, Progress
from curator.exchange.json_text import json_text, json_value
from curator.exchange.recognition import wrong_file_hint
from curator.exchange.records import (
    Place,
    described,
    either,
    first_field,
    identifier,
    list_of,
    names_columns,
    record_of,
    text_of,
    two_columns,
)
from curator.exchange.text_lines import TextLines

IDS = ("query_id", "request_id", "id")
TEXTS = ("text", "title", "title_query")
_EMPTY_WHEN_NULL = {*IDS, *TEXTS, "problem_statement"}
EXPECTED = 'queries: {"id": "text"}, or id<TAB>text, or a JSON record a line'
FORMAT = "queries"
"""Extras of this format, each the other fields of a record: ("query", query_id) and
("subtopic", "<query_id>\\t<subtopic_id>")."""


def read_queries(path: Path, *, progress: Progress | None = None) -> Incoming:
    """The queries of a file in any of its three forms.

    ``problem_statement`` and ``background`` together are a query's background.
    Raises InputFileError.
    """
    with wrong_file_hint(path, "queries"):
        lines = TextLines(path, expected=EXPECTED, progress=progress)
        whole = lines.whole()
        texts = [text for text in whole.split("\n") if text.strip()]
        if not texts[0].lstrip().startswith(("{", "[")):
            incoming = Incoming(path.name, "queries (two columns)")
            incoming.notices += names_columns(texts[0], IDS, TEXTS)
            for text in islice(lines.lines_of(whole), len(incoming.notices), None):
                query_id, title = two_columns(lines, text, "a query id", "its text")
                _add(incoming, lines, Query(query_id, _title(lines, title, query_id)))
        elif _is_record(texts[0], alone=len(texts) == 1):
            incoming = Incoming(path.name, "queries (JSON records)")
            for text in lines.lines_of(whole):
                record = record_of(lines, json_value(lines, text), "the line")
                _add_record(incoming, lines, record)
        else:
            incoming = Incoming(path.name, "queries (JSON object)")
            titles = record_of(
                lines, json_value(lines, whole, document=True), "the file"
            )
            for key, value in titles.items():
                query_id = identifier(lines, key, "query id")
                _add(incoming, lines, Query(query_id, _title(lines, value, query_id)))
        if not incoming.queries:
            lines.number = 0
            raise lines.error(f"the file holds no query; expected {EXPECTED}.")
        return incoming


def _is_record(first: str, *, alone: bool) -> bool:
    """Whether the first line is a record and not (the beginning of) one object."""
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if not alone:
        return True
    return isinstance(value, dict) and any(i in value for i in IDS) and len(value) > 1


def _title(place: Place, value: object, query_id: str) -> str:
    title = text_of(place, value, f"the text of query '{query_id}'")
    if title is None or not title.strip():
        raise place.error(f"query '{query_id}' has no text; every query needs one.")
    return title


def _add(incoming: Incoming, place: Place, query: Query) -> None:
    if query.query_id in incoming.queries:
        raise place.error(f"query '{query.query_id}' stands twice; keep one of them.")
    incoming.queries[query.query_id] = query


def _add_record(incoming: Incoming, place: Place, record: dict[str, Any]) -> None:
    found_id, found_text = first_field(record, IDS), first_field(record, TEXTS)
    if found_id is None:
        raise place.error(f"a query without an id; expected a field {either(IDS)}.")
    query_id = identifier(place, found_id[1], "query id")
    if found_text is None:
        raise place.error(
            f"query '{query_id}' has no text; expected a field {either(TEXTS)}."
        )
    parts = [
        text_of(place, record.get(name), f"{name} of query '{query_id}'")
        for name in ("problem_statement", "background")
    ]
    query = Query(
        query_id,
        _title(place, found_text[1], query_id),
        background="\n\n".join(part for part in parts if part) or None,
        subtopics=_subtopics(incoming, place, record, query_id),
    )
    _add(incoming, place, query)
    homes = {found_id[0], found_text[0], "background", "subtopics"}
    extra = {
        name: value
        for name, value in record.items()
        if name not in homes and not (name in _EMPTY_WHEN_NULL and value is None)
    }
    if extra:
        incoming.extras["query", query_id, FORMAT] = json_text(place, extra)


def _subtopics(
    incoming: Incoming, place: Place, record: dict[str, Any], query_id: str
) -> tuple[Subtopic, ...]:
    subtopics: dict[str, Subtopic] = {}
    for value in list_of(place, record.get("subtopics"), f"subtopics of '{query_id}'"):
        entry = record_of(place, value, f"a subtopic of query '{query_id}'")
        subtopic_id = identifier(place, entry.get("subtopic_id"), "subtopic_id")
        if subtopic_id in subtopics:
            raise place.error(
                f"subtopic {described(subtopic_id)} of query '{query_id}' stands twice."
            )
        text = text_of(place, entry.get("text"), f"text of subtopic '{subtopic_id}'")
        subtopics[subtopic_id] = Subtopic(subtopic_id, text or None)
        homes = ("subtopic_id", "text")
        if extra := {k: v for k, v in entry.items() if k not in homes}:
            key = ("subtopic", f"{query_id}\t{subtopic_id}", FORMAT)
            incoming.extras[key] = json_text(place, extra)
    return tuple(subtopics.values())
