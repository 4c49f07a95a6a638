"""Queries out: a JSON record a line, with background, subtopics and other fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from curator.collection.queries import Query, Subtopic
from curator.formats.queries import FORMAT
from curator.formats.text.empty_fields import filled
from curator.formats.text.field_names import QUERIES, respelled
from curator.formats.text.json_text import json_line

Extras = Mapping[tuple[str, str, str], str]


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
    extra = _extra(extras, "query", query.query_id)
    form = _extra(extras, "query_form", query.query_id)
    record = respelled(QUERIES, form, query.query_id, title, extra)
    statement = extra.pop("problem_statement") if _has_statement(extra) else None
    record |= _background(query, statement)
    if query.subtopics:
        record["subtopics"] = [_subtopic(query, one, extras) for one in query.subtopics]
    return filled(record, extra)


def _has_statement(extra: Mapping[str, Any]) -> bool:
    """Whether it has one that is part of the background, none that came empty."""
    return bool(extra.get("problem_statement"))


def _background(query: Query, statement: str | None) -> dict[str, str]:
    """What the reader puts together again: the problem statement and the rest.

    Where somebody else's background stands in the workspace, no statement is part of
    it, and it is written whole.
    """
    background = query.background
    if background is None:
        return {}
    if statement is not None:
        if background == statement:
            return {"problem_statement": statement}
        if background.startswith(f"{statement}\n\n"):
            rest = background.removeprefix(f"{statement}\n\n")
            return {"problem_statement": statement, "background": rest}
    return {"background": background}


def _subtopic(query: Query, subtopic: Subtopic, extras: Extras) -> dict[str, Any]:
    entry: dict[str, Any] = {"subtopic_id": subtopic.subtopic_id}
    if subtopic.text is not None:
        entry["text"] = subtopic.text
    extra = _extra(extras, "subtopic", f"{query.query_id}\t{subtopic.subtopic_id}")
    if "subtopic_id" in extra:
        entry["subtopic_id"] = extra["subtopic_id"]
    return filled(entry, extra)


def _extra(extras: Extras, entity: str, key: str) -> dict[str, Any]:
    text = extras.get((entity, key, FORMAT))
    fields: dict[str, Any] = json.loads(text) if text else {}
    return fields
