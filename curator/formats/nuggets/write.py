"""Nugget banks out: imported records, overlaid with what was changed since."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from curator.bank.questions import Question, questions_by_query
from curator.collection.pools import Query
from curator.formats import codec
from curator.formats.nuggets.items import (
    Facets,
    Group,
    aggregator_in,
    importance_in,
    items_written,
    judge_of,
    update_importance,
    writable,
)
from curator.formats.nuggets.read import (
    CLAIM_ID,
    DOCUMENTS,
    QUESTIONS,
    V3,
    Dialect,
    new_item,
    new_line,
    set_choices,
    set_inner_id,
)
from curator.formats.nuggets.references import (
    References,
    add_references,
    answer_entries,
    known_answers,
    references_in,
)
from curator.formats.text.fields import Extras, fields_kept
from curator.formats.text.notices import counted

Authors = Mapping[str, tuple[str, str]]
"""(judge, when) by question id: who gave an item the words it has, here."""


def bank_lines(
    dialect: Dialect,
    queries: Iterable[Query],
    questions: Iterable[Question],
    *,
    extras: Extras | None = None,
    authors: Authors | None = None,
    test_collection: str = "",
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (query id, line) of each query that has an item or an imported line.

    ``questions`` are ``writable`` ones. Lines of other queries get the
    ``test_collection``. ``extras`` may hold those of other formats too.
    """
    extras, authors = extras or {}, authors or {}
    references = references_in(extras)
    by_query = questions_by_query(questions)
    for query in queries:
        items = by_query.get(query.query_id, [])
        line = fields_kept(extras, dialect.line, query.query_id, dialect.name)
        if not (items or line):
            continue
        kinds = {question.kind for question in items}
        groups = [group for group in dialect.groups if group.kind in kinds]
        fresh = new_line(dialect, query, groups, test_collection)
        line = _updated_line(line, fresh, query) if line else fresh
        ids = {question.question_id for question in items}
        facets = {subtopic.subtopic_id: subtopic.text for subtopic in query.subtopics}
        for group in groups:
            entries = [
                item_out(
                    dialect,
                    group,
                    question,
                    facets,
                    extras,
                    authors.get(question.question_id),
                    references.get(question.question_id),
                )
                | _full_claim_id(group, question, ids)
                for question in items
                if question.kind == group.kind
            ]
            is_list = isinstance(line[group.name], list)
            by_text = {entry[group.text]: entry for entry in entries}
            line[group.name] = entries if is_list else by_text
        yield query.query_id, line


def _updated_line(
    line: dict[str, Any], fresh: dict[str, Any], query: Query
) -> dict[str, Any]:
    """The line as imported, with the query's texts as they are now."""
    for name, value in (("title_query", query.title), ("full_query", query.background)):
        stated = line.get(name)
        if value in (None, stated) or not isinstance(stated, str | None):
            continue
        line[name] = value
        if line.get("query_id") is None:  # the line's query was known by its title
            line["query_id"] = query.query_id
    return line | {
        name: value
        for name, value in fresh.items()
        if name.endswith("_bank") and line.get(name) is None
    }


def item_out(
    dialect: Dialect,
    group: Group,
    question: Question,
    facets: Facets,
    extras: Extras,
    author: tuple[str, str] | None,
    references: References | None = None,
) -> dict[str, Any]:
    """Return the entry of one item: as imported, except for later edits."""
    item = fields_kept(extras, dialect.item, question.question_id, dialect.name)
    item = item or new_item(dialect, group, question, facets)
    item[group.text] = question.text
    if group is QUESTIONS:
        _update_answers(item, question)
    add_references(item, references or {}, as_ids=dialect.plain_documents)
    _update_subtopic(item, question, facets)
    set_choices(item, question)
    if dialect.ids_in:
        set_inner_id(item, group, question, dialect.ids_in)
    update_importance(item, question.votes, importance_in(item.get("importance")))
    if not dialect.creators:
        return item
    creators = list(item.get("creator") or _creators_of(question.provenance))
    if author is not None:
        names = dict(zip(("assessor_id", "creation_date"), author, strict=True))
        writer = {"is_human": True} | names
        if writer not in creators:  # a typed proposal's provenance names them too
            creators.append(writer)
    if creators:
        item["creator"] = creators
    return item


def _update_answers(item: dict[str, Any], question: Question) -> None:
    entries: dict[str, Any] = {}
    for text, entry in answer_entries(item):
        entries.setdefault(text, entry)
    imported = known_answers(entries)
    if aggregator_in(item.get("aggregator_type"), imported) != question.aggregator:
        item["aggregator_type"] = question.aggregator
    if imported != question.answers:
        now = {text: entries.get(text, {"answer": text}) for text in question.answers}
        is_list = isinstance(item.get("answers"), list)
        item["answers"] = list(now.values()) if is_list else now


def _update_subtopic(item: dict[str, Any], question: Question, facets: Facets) -> None:
    """Write the question's subtopic into the entry's metadata, if it is another now."""
    metadata = item.get("metadata")
    about = dict(metadata) if isinstance(metadata, dict) else {}
    former, now = about.get("facet_id"), question.subtopic_id
    title = None if now is None else facets.get(now)
    moved = now != (None if former is None else str(former))
    if moved:
        about = {k: v for k, v in about.items() if k not in ("facet_id", "facet_text")}
        about |= {} if now is None else {"facet_id": now}
    if title and (moved or about.get("facet_text") not in (None, "", title)):
        about["facet_text"] = title
    if about != (metadata or {}):
        item["metadata"] = about


def _full_claim_id(
    group: Group, question: Question, written: Collection[str]
) -> dict[str, str]:
    """The id of a claim that would be read as a question's.

    Empty where the question with the same id is ``written`` too.
    """
    start = f"{question.query_id}/{CLAIM_ID}"
    suffix = question.question_id.removeprefix(start)
    is_plain = group is QUESTIONS or suffix == question.question_id
    if is_plain or f"{question.query_id}/{suffix}" in written:
        return {}
    return {group.id: question.question_id}


def _creators_of(provenance: str) -> Iterator[dict[str, Any]]:
    origin = json.loads(provenance)
    created = origin.get("created")
    for maker in created if isinstance(created, list) else []:
        if isinstance(maker, dict):
            yield from _creator(maker.get("model"), maker.get("by"), maker.get("at"))
    for creator in _creator(origin.get("model"), None, origin.get("at")):
        prompt = origin.get("prompt_text")
        yield creator | ({"llm_prompt": [prompt]} if isinstance(prompt, str) else {})
    decided = origin.get("decided")
    if isinstance(decided, dict) and decided.get("as") == "written":
        yield from _creator(None, decided.get("by"), decided.get("at"))


def _creator(model: object, by: object, at: object) -> Iterator[dict[str, Any]]:
    creator: dict[str, Any] = {"is_human": not isinstance(model, str)}
    for name, value in (("assessor_id", by), ("llm_model", model)):
        if isinstance(value, str) and value:
            creator[name] = value
    if len(creator) > 1:
        yield creator | ({"creation_date": at} if isinstance(at, str) else {})


def written_bank(
    dialect: Dialect, contents: codec.Contents
) -> tuple[dict[str, dict[str, Any]], codec.WriteResult]:
    """Return the lines of the kept items by query id, and what they leave out."""
    kinds = {group.kind: group for group in dialect.groups}
    kept = [q for q in contents.bank if q.state == "kept" and q.kind in kinds]
    items = contents.in_full(writable(kept))
    extras, authors = contents.extras(), contents.authors()
    lines = dict(
        bank_lines(
            dialect,
            contents.queries,
            items,
            extras=extras,
            authors=authors,
            test_collection=contents.title,
        )
    )
    what = "kept items" if dialect is V3 else "kept questions"
    votes = 0
    for question in items if dialect is not DOCUMENTS else ():
        author = authors.get(question.question_id)
        item = item_out(dialect, kinds[question.kind], question, {}, extras, author)
        # (judge, vote) that reading the entry gives
        vote = importance_in(item.get("importance"))
        read = judge_of(item.get("creator") or ()), vote
        votes += len(question.votes) - (read in question.votes)
    result = items_written(contents, what, kept, items, lines.keys(), votes)
    if dialect is DOCUMENTS:
        return lines, result
    named = {(question.query_id, question.subtopic_id) for question in items}
    dropped = [*result.dropped]
    bare = sum(
        (query.query_id, subtopic.subtopic_id) not in named
        for query in contents.queries
        for subtopic in query.subtopics
    )
    if bare:
        dropped.append(f"{counted(bare, 'subtopic')} without a kept item")
    claims = sum(q.kind == "nugget" and bool(q.answers) for q in items)
    if claims:
        dropped.append(f"the known answers of {counted(claims, 'nugget')}")
    return lines, codec.WriteResult(len(items), what, result.notices, dropped)
