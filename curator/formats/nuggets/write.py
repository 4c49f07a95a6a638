"""Nugget banks out: imported records, overlaid with what was changed since."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from curator.bank.questions import Question, questions_by_query
from curator.collection.pools import Query
from curator.formats import codec
from curator.formats.nuggets.items import (
    CLAIM_ID,
    CREATOR_FIELDS,
    DOCUMENTS,
    QUESTIONS,
    V3,
    VERSION,
    Dialect,
    Facets,
    Group,
    References,
    add_references,
    aggregator_in,
    answer_entries,
    importance_in,
    items_written,
    judge_of,
    known_answers,
    references_in,
    their_id,
    update_importance,
    words,
    writable,
)
from curator.formats.text.fields import fields_kept
from curator.formats.text.notices import counted


def written_bank(
    dialect: Dialect, contents: codec.Contents
) -> tuple[dict[str, dict[str, Any]], codec.WriteResult]:
    """Return the lines of the kept items by query id, and what they leave out.

    A query has a line if it has an item or an imported line.
    """
    kinds = {group.kind for group in dialect.groups}
    kept = [q for q in contents.bank if q.state == "kept" and q.kind in kinds]
    items = contents.in_full(writable(kept))
    extras, authors = contents.extras(), contents.authors()
    references = references_in(extras)
    by_query = questions_by_query(items)
    lines: dict[str, dict[str, Any]] = {}
    votes = bare = 0
    for query in contents.queries:
        questions = by_query.get(query.query_id, [])
        facets = {subtopic.subtopic_id: subtopic.text for subtopic in query.subtopics}
        bare += len(facets.keys() - {question.subtopic_id for question in questions})
        imported = fields_kept(extras, dialect.line, query.query_id, dialect.name)
        if not (questions or imported):
            continue
        present = {question.kind for question in questions}
        groups = [group for group in dialect.groups if group.kind in present]
        line = line_out(dialect, query, groups, imported, contents.title)
        lines[query.query_id] = line
        ids = {question.question_id for question in questions}
        for group in groups:
            entries = []
            for question in (q for q in questions if q.kind == group.kind):
                item_id = question.question_id
                stored = fields_kept(extras, dialect.item, item_id, dialect.name)
                about = references.get(item_id)
                entry = item_out(dialect, group, question, facets, stored, about)
                update_importance(
                    entry, question.votes, importance_in(entry.get("importance"))
                )
                if dialect.full:
                    _add_creators(entry, question, authors.get(item_id))
                if _looks_like_a_question(group, question, ids):
                    entry[group.id] = item_id
                creator = judge_of(entry.get("creator") or ())
                votes += sum(judge != creator for judge, _ in question.votes)
                entries.append(entry)
            is_list = isinstance(line[group.name], list)
            by_text = {entry[group.text]: entry for entry in entries}
            line[group.name] = entries if is_list else by_text
    what = "kept items" if dialect is V3 else "kept questions"
    if dialect is DOCUMENTS:
        return lines, items_written(contents, what, kept, items, lines.keys(), 0)
    result = items_written(contents, what, kept, items, lines.keys(), votes)
    dropped = [*result.dropped]
    if bare:
        dropped.append(f"{counted(bare, 'subtopic')} without a kept item")
    if claims := sum(q.kind == "nugget" and bool(q.answers) for q in items):
        dropped.append(f"the known answers of {counted(claims, 'nugget')}")
    return lines, codec.WriteResult(len(items), what, result.notices, dropped)


def line_out(
    dialect: Dialect,
    query: Query,
    groups: Iterable[Group],
    imported: Mapping[str, Any],
    collection: str = "",
) -> dict[str, Any]:
    """The line of a query: as imported, with its texts as they are now."""
    texts = {"title_query": query.title, "full_query": query.background}
    line = dict(imported)
    if not line:
        inside, name = dialect.query_field
        line[name] = query.query_id
        if inside:
            line = {inside: line}
        if dialect.full:
            line |= {name: text for name, text in texts.items() if text is not None}
            line |= {"test_collection": collection} if collection else {}
            line["format_version"] = VERSION
        else:
            groups = dialect.groups
    elif dialect.full:
        for name, text in texts.items():
            stated = line.get(name)
            if text not in (None, stated) and isinstance(stated, str | None):
                line[name] = text
                # Without an id the query was known by its title.
                line["query_id"] = line.get("query_id") or query.query_id
    for group in groups:
        if line.get(group.name) is None:
            line[group.name] = [] if dialect.lists else {}
    return line


def item_out(
    dialect: Dialect,
    group: Group,
    question: Question,
    facets: Facets,
    imported: Mapping[str, Any],
    references: References | None = None,
) -> dict[str, Any]:
    """Return the entry of an item: as imported, except for later edits.

    Without importance and creators.
    """
    item = {**imported, group.text: question.text}
    if not imported and dialect.ids_in == "":
        item |= {group.id: their_id(question), "query_id": question.query_id}
    if group is QUESTIONS:
        is_list = (
            dialect.lists if not imported else isinstance(item.get("answers"), list)
        )
        always = not imported and len(question.answers) >= dialect.states_or
        _update_answers(item, question, is_list=is_list, always=always)
    add_references(item, references or {}, as_ids=not dialect.full)
    metadata = item.get("metadata")
    about = dict(metadata) if isinstance(metadata, dict) else {}
    if (
        dialect.ids_in
        and not about.get(group.id)
        and their_id(question) == question.question_id
    ):
        about[group.id] = question.question_id
    about = _with_subtopic(about, question, facets)
    if question.choices != choices_in(about):
        about["choices"] = dict(question.choices)
    if about != (metadata or {}):
        item["metadata"] = about
    return item


def _update_answers(
    item: dict[str, Any], question: Question, *, is_list: bool, always: bool
) -> None:
    entries: dict[str, Any] = {}
    for text, entry in answer_entries(item):
        entries.setdefault(text, entry)
    imported = known_answers(entries)
    stated = aggregator_in(item.get("aggregator_type"), imported)
    if always or stated != question.aggregator:
        item["aggregator_type"] = question.aggregator
    if imported != question.answers:
        now = {text: entries.get(text, {"answer": text}) for text in question.answers}
        item["answers"] = list(now.values()) if is_list else now


def _with_subtopic(
    about: dict[str, Any], question: Question, facets: Facets
) -> dict[str, Any]:
    """Return an entry's metadata with the question's subtopic."""
    former, now = about.get("facet_id"), question.subtopic_id
    title = None if now is None else facets.get(now)
    moved = now != (None if former is None else str(former))
    if moved:
        about = {k: v for k, v in about.items() if k not in ("facet_id", "facet_text")}
        about |= {} if now is None else {"facet_id": now}
    if title and (moved or about.get("facet_text") not in (None, "", title)):
        about["facet_text"] = title
    return about


def choices_in(about: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The choices that an export of ours put there; () for anything else."""
    match about.get("choices"):
        case dict() as choices if all(map(words, choices.values())):
            return tuple(choices.items())
    return ()


def _looks_like_a_question(group: Group, question: Question, written: set[str]) -> bool:
    """Return True for a claim whose short id would be read as a question's.

    False where the question with the same id is ``written`` too.
    """
    start = f"{question.query_id}/{CLAIM_ID}"
    suffix = question.question_id.removeprefix(start)
    is_plain = group is QUESTIONS or suffix == question.question_id
    return not is_plain and f"{question.query_id}/{suffix}" not in written


def _add_creators(
    item: dict[str, Any], question: Question, author: tuple[str, str] | None
) -> None:
    """Write who made an item, and the ``author`` (judge, when) of its words here."""
    creators = list(item.get("creator") or _creators_of(question.provenance))
    if author is not None:
        names = dict(zip(("assessor_id", "creation_date"), author, strict=True))
        writer = {"is_human": True} | names
        if writer not in creators:  # a typed proposal's provenance names them too
            creators.append(writer)
    if creators:
        item["creator"] = creators


def _creators_of(provenance: str) -> Iterator[dict[str, Any]]:
    origin = json.loads(provenance)
    created, decided = origin.get("created"), origin.get("decided")
    makers = list(created) if isinstance(created, list) else []
    makers.append({"model": origin.get("model"), "at": origin.get("at")})
    if isinstance(prompt := origin.get("prompt_text"), str):
        makers[-1]["prompt"] = [prompt]
    if isinstance(decided, dict) and decided.get("as") == "written":
        makers.append({"by": decided.get("by"), "at": decided.get("at")})
    for maker in makers:
        if isinstance(maker, dict) and (maker.get("by") or maker.get("model")):
            creator = {"is_human": not maker.get("model")}
            yield creator | {
                field: maker[name]
                for name, field in CREATOR_FIELDS.items()
                if maker.get(name)
            }
