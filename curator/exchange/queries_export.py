"""Queries out: a JSON record a line, with background, subtopics and other fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from curator.collection.queries import Query, Subtopic
from curator.exchange.json_text import json_line
from curator.exchange.queries import FORMAT

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
    record: dict[str, Any] = {"query_id": query.query_id, "text": title}
    statement, background = _background(query, extra.pop("problem_statement", None))
    if statement is not None:
        record["problem_statement"] = statement
    if background is not None:
        record["background"] = background
    if query.subtopics:
        record["subtopics"] = [_subtopic(query, one, extras) for one in query.subtopics]
    return record | extra


def _background(query: Query, statement: object) -> tuple[object, str | None]:
    """What the reader puts together again: the problem statement and the rest.

    Where somebody else's background stands in the workspace, no statement is part of
    it, and it is written whole.
    """
    background = query.background
    if not isinstance(statement, str) or not statement:
        return statement, background
    if background == statement:
        return statement, None
    if background is not None and background.startswith(f"{statement}\n\n"):
        return statement, background.removeprefix(f"{statement}\n\n")
    return None, background


def _subtopic(query: Query, subtopic: Subtopic, extras: Extras) -> dict[str, Any]:
    entry: dict[str, Any] = {"subtopic_id": subtopic.subtopic_id}
    if subtopic.text is not None:
        entry["text"] = subtopic.text
    key = f"{query.query_id}\t{subtopic.subtopic_id}"
    return entry | _extra(extras, "subtopic", key)


def _extra(extras: Extras, entity: str, key: str) -> dict[str, Any]:
    text = extras.get((entity, key, FORMAT))
    fields: dict[str, Any] = json.loads(text) if text else {}
    return fields
