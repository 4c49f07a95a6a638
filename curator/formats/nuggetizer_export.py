"""Nuggets out as nuggetizer reads them, the lines that came from it as they came."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from curator.bank.questions import Question
from curator.collection.queries import Query
from curator.formats.nuggetbank.fields import importance_in, importance_of
from curator.formats.nuggetizer import (
    FORMAT,
    LINE,
    Nuggets,
    new_line,
    new_nugget,
    title_field,
    with_id,
)
from curator.formats.text.json_text import json_line

Extras = Mapping[tuple[str, str, str], str]


@dataclass(frozen=True)
class StoredLine:
    """A line as it came, and its nuggets in their order."""

    at: int
    key: str
    line: dict[str, Any]
    nuggets: Nuggets


def writable_nuggets(questions: Iterable[Question]) -> list[Question]:
    """The kept nuggets that have words."""
    return [
        one
        for one in questions
        if one.state == "kept"
        and one.kind == "nugget"
        and one.text is not None
        and one.text.strip()
    ]


def write_nuggetizer(
    stream: TextIO,
    queries: Iterable[Query],
    nuggets: Iterable[Question],
    *,
    extras: Extras | None = None,
) -> set[str]:
    """Write a line per query that has a nugget, and every line that came.

    Returns the queries that have a line.

    ``nuggets`` are ``writable_nuggets``. One that no line of its query had stands at
    the end of each. ``extras`` may hold those of other formats too.
    """
    by_query: dict[str, list[Question]] = {}
    for nugget in nuggets:
        by_query.setdefault(nugget.query_id, []).append(nugget)
    stored = _stored_lines(extras or {})
    written = set()
    for query in queries:
        own = by_query.get(query.query_id, [])
        for line in _lines(query, own, stored.get(query.query_id, [])):
            stream.write(json_line(line))
            written.add(query.query_id)
    return written


def _lines(
    query: Query, own: list[Question], stored: list[StoredLine]
) -> Iterator[dict[str, Any]]:
    if not stored:
        if own:
            fresh = [new_nugget(one, importance_of(one.votes)) for one in own]
            yield new_line(query) | {"nuggets": fresh}
        return
    by_id = {one.question_id: one for one in own}
    # A vote came from the first line that had the nugget; another line's own word
    # stands as long as nobody has voted since.
    came = {
        question_id: importance_in(nugget.get("importance"))
        for one in reversed(stored)
        for question_id, nugget in reversed(one.nuggets)
    }
    new = [one for one in own if one.question_id not in came]
    for one in stored:
        nuggets = [
            _as_it_came(dict(nugget), by_id[question_id], came[question_id])
            for question_id, nugget in one.nuggets
            if question_id in by_id
        ]
        nuggets += [new_nugget(nugget, importance_of(nugget.votes)) for nugget in new]
        field = title_field(one.line)
        if query.title is not None:
            one.line[field] = query.title
        yield one.line | {"nuggets": nuggets}


def _as_it_came(
    nugget: dict[str, Any], question: Question, came: str | None
) -> dict[str, Any]:
    """The nugget, but for words and importance that are otherwise now."""
    nugget["text"] = question.text
    importance = importance_of(question.votes)
    if importance != came:
        if importance is None:
            nugget.pop("importance", None)
        else:
            nugget["importance"] = importance
    return with_id(nugget, question)


def _stored_lines(extras: Extras) -> dict[str, list[StoredLine]]:
    """The lines that came, by query, in the order they had."""
    found: dict[str, list[StoredLine]] = {}
    for (entity, key, form), text in extras.items():
        if (entity, form) == (LINE, FORMAT):
            said = json.loads(text)
            one = StoredLine(said["at"], key, said["line"], said["nuggets"])
            found.setdefault(key.partition("\t")[0], []).append(one)
    for lines in found.values():
        lines.sort(key=lambda one: (one.at, one.key))
    return found
