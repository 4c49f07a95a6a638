"""NuggetBanks (v3) out: questions as questions, nuggets as claims.

What came from such a bank goes out as it came, fields in their order, except for what
was changed here since.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, TextIO

from curator.bank.questions import Kind, Question
from curator.collection.queries import Query
from curator.formats.nuggetbank.fields import importance_in, importance_of
from curator.formats.nuggetbank.records import (
    FORMAT,
    GROUPS,
    ITEM,
    LINE,
    Group,
    judge_of,
    new_item,
    new_line,
    question_beside,
)
from curator.formats.text.json_text import json_line

Extras = Mapping[tuple[str, str, str], str]
Authors = Mapping[str, tuple[str, str]]
"""(judge, when) by question id: who gave an item the words it has, here."""


def writable(questions: Iterable[Question]) -> list[Question]:
    """The kept items that have words no other of their query and kind has.

    A line's banks are keyed by text, so of equal texts the first is written.
    """
    first: dict[tuple[str, Kind, str], Question] = {}
    for one in questions:
        if one.state == "kept" and one.text is not None and one.text.strip():
            first.setdefault((one.query_id, one.kind, one.text), one)
    return list(first.values())


def write_nuggetbank(
    stream: TextIO,
    queries: Iterable[Query],
    questions: Iterable[Question],
    *,
    extras: Extras | None = None,
    authors: Authors | None = None,
    test_collection: str = "",
) -> set[str]:
    """Write a line per query that has an item or came with a line; returns which.

    ``questions`` are ``writable`` ones. ``test_collection`` stands in lines that came
    from elsewhere. ``extras`` may hold those of other formats too.
    """
    extras, authors = extras or {}, authors or {}
    by_query: dict[str, list[Question]] = {}
    for question in questions:
        by_query.setdefault(question.query_id, []).append(question)
    written = set()
    for query in queries:
        own = by_query.get(query.query_id, [])
        came = _extra(extras, LINE, query.query_id)
        if own or came is not None:
            line = _line(query, own, came, test_collection)
            ids = {one.question_id for one in own}
            for group in GROUPS:
                if group.name in line and line[group.name] is not None:
                    entries = [
                        item_out(group, one, extras, authors.get(one.question_id))
                        | _id_in_full(group, one, ids)
                        for one in own
                        if one.kind == group.kind
                    ]
                    line[group.name] = (
                        entries
                        if isinstance(line[group.name], list)
                        else {entry[group.text]: entry for entry in entries}
                    )
            stream.write(json_line(line))
            written.add(query.query_id)
    return written


def item_out(
    group: Group, question: Question, extras: Extras, author: tuple[str, str] | None
) -> dict[str, Any]:
    """The entry of one item: as it came, but for what is otherwise now."""
    item = _extra(extras, ITEM, question.question_id)
    if item is None:
        item = new_item(group, question)
    item[group.text] = question.text
    if group.kind == "question":
        _say_answers(item, question)
    importance = importance_of(question.votes)
    if importance != importance_in(item.get("importance")):
        if importance is None:
            del item["importance"]
        else:
            item["importance"] = importance
    creators = list(item.get("creator") or _creators(question.provenance))
    if author is not None:
        writer = {"is_human": True} | dict(
            zip(("assessor_id", "creation_date"), author, strict=True)
        )
        if writer not in creators:  # a typed proposal's provenance names them too
            creators.append(writer)
    if creators:
        item["creator"] = creators
    return item


def _id_in_full(
    group: Group, question: Question, written: Collection[str]
) -> dict[str, str]:
    """The field of a claim's id, where theirs would be read as another one.

    Theirs is also a question's, which is not ``written`` beside it any more.
    """
    beside = question_beside(question)
    if beside is None or beside in written:
        return {}
    return {group.id: question.question_id}


def read_back(item: Mapping[str, Any]) -> tuple[str, str] | None:
    """(judge, vote) that reading this entry gives; None where it has no vote."""
    vote = importance_in(item.get("importance"))
    return None if vote is None else (judge_of(item.get("creator") or []), vote)


def _line(
    query: Query, own: list[Question], came: dict[str, Any] | None, collection: str
) -> dict[str, Any]:
    there = [group for group in GROUPS if any(q.kind == group.kind for q in own)]
    if came is None:
        line = new_line(query, ())
        if collection:
            version = line.pop("format_version")
            line |= {"test_collection": collection, "format_version": version}
        return line | {group.name: {} for group in there}
    for name, value in (("title_query", query.title), ("full_query", query.background)):
        said = came.get(name)
        says_nothing = said is None or (isinstance(said, str) and not said.strip())
        if value in (None, said) or not (says_nothing or isinstance(said, str)):
            continue
        came[name] = value
        if came.get("query_id") is None:  # the line's query was known by its title
            came["query_id"] = query.query_id
    for group in there:
        if came.get(group.name) is None:
            came[group.name] = {}
    return came


def _say_answers(item: dict[str, Any], question: Question) -> None:
    """Put the question's answers into the entry, each as it came where it came."""
    value = item.get("answers")
    if isinstance(value, dict):
        came = {answer: value[answer] for answer in value}
    else:
        came = {entry["answer"]: entry for entry in reversed(value or [])}
    if set(came) == set(question.answers):
        return
    entries = {one: came.get(one, {"answer": one}) for one in question.answers}
    item["answers"] = list(entries.values()) if isinstance(value, list) else entries


def _creators(provenance: str) -> Iterator[dict[str, Any]]:
    """Who made an item that came from elsewhere or that a model proposed."""
    said = json.loads(provenance)
    created = said.get("created")
    for one in created if isinstance(created, list) else []:
        if isinstance(one, dict):
            yield from _creator(one.get("model"), one.get("by"), one.get("at"))
    for one in _creator(said.get("model"), None, said.get("at")):
        prompt = said.get("prompt_text")
        yield one | ({"llm_prompt": [prompt]} if isinstance(prompt, str) else {})
    decided = said.get("decided")
    if isinstance(decided, dict) and decided.get("as") == "written":
        yield from _creator(None, decided.get("by"), decided.get("at"))


def _creator(model: object, by: object, at: object) -> Iterator[dict[str, Any]]:
    named: dict[str, Any] = {"is_human": not isinstance(model, str)}
    for name, value in (("assessor_id", by), ("llm_model", model)):
        if isinstance(value, str) and value:
            named[name] = value
    if len(named) > 1:
        yield named | ({"creation_date": at} if isinstance(at, str) else {})


def _extra(extras: Extras, entity: str, key: str) -> dict[str, Any] | None:
    text = extras.get((entity, key, FORMAT))
    if text is None:
        return None
    fields: dict[str, Any] = json.loads(text)
    return fields
