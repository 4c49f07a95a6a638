"""Nugget banks in: questions and claims, a query a line, in the dialects of a table.

A line is ``{"query_id", "title_query", "full_query"?, "nugget_bank"?: {text: {…}},
"claim_bank"?: {text: {…}}}``. Its questions are questions here, its claims nuggets.
Both banks may be lists, and one bank may be an object over many lines.

A record is kept once as it came, where an export would not write the same without it,
under the dialect's name, as JSON with its keys in order:

``("<dialect>_line", "<query_id>")``
    the line, with its banks empty.
``("<dialect>_question", "<question_id>")``
    the question or claim, its text null.

An item's ``metadata`` holds its subtopic and choices: ``facet_id``, ``facet_text`` and
``choices``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from curator.bank.questions import Question
from curator.collection.pools import Query, Subtopic
from curator.formats.nuggets.items import (
    CLAIM_ID,
    CLAIMS,
    QUESTIONS,
    VERSION,
    Dialect,
    Group,
    aggregator_in,
    importance_in,
    judge_of,
    known_answers,
    name_field,
    ordered_json,
    our_id,
    provenance_of,
    references_of,
    words,
)
from curator.formats.nuggets.write import choices_in, item_out, line_out
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.json_text import json_text
from curator.formats.text.notices import Oddities
from curator.formats.text.records import Record, described, either, name_of

ODD = {
    "versions": f"[other format_version], read as {VERSION} is: {{}}.",
    "below": "[sub-nugget] kept for exports, not asked here.",
    "aggregators": "[aggregator] other than AND and OR, kept for exports: {}. Here, "
    "any answer is enough for such an item.",
}


def add_line(
    parsed: ParsedImport, odd: Oddities, record: Record, dialect: Dialect
) -> None:
    """Add the query of a line with its items. Raises InputFileError."""
    # autojudge-base leaves both banks out of a line where they are empty.
    is_v3 = record.get("format_version") == VERSION
    if not is_v3 and not any(group.name in record for group in dialect.groups):
        names = either([group.name for group in dialect.groups])
        raise record.error(f"no nuggets here; expected a field {names}.")
    version = record.text("format_version")
    if version not in (None, VERSION):
        odd.name("versions", described(version))
    title = record.text("title_query")
    query_id = _query_id(record, title)
    if query_id in parsed.queries:
        raise record.at("query_id").error(
            f"query '{query_id}' occurs twice; put its nuggets into one line."
        )
    query = Query(query_id, words(title), words(record.get("full_query")))
    parsed.queries[query_id] = query
    line, groups = dict(record), list[Group]()
    facets: dict[str, str | None] = {}
    for group in dialect.groups:
        value = record.get(group.name)
        entries = list(_by_text(record, group.name, group.name, group.text))
        if entries:
            groups.append(group)
        if value is not None:
            line[group.name] = type(value)()
        for entry, text in entries:
            entry[group.text] = text
            _add_item(parsed, odd, dialect, group, query_id, entry, facets)
    subtopics = tuple(Subtopic(facet, text) for facet, text in facets.items())
    parsed.queries[query_id] = replace(query, subtopics=subtopics)
    kept = ordered_json(record, line)
    if not groups or kept != ordered_json(record, line_out(dialect, query, groups, {})):
        parsed.extras[dialect.line, query_id, dialect.name] = kept


def _add_item(
    parsed: ParsedImport,
    odd: Oddities,
    dialect: Dialect,
    group: Group,
    query_id: str,
    entry: Record,
    facets: dict[str, str | None],
) -> None:
    text = entry[group.text]
    own_query = entry.identifier_or_none("query_id")
    if own_query not in (None, query_id):
        raise entry.at("query_id").error(
            f"{group.text} {described(text)} names query_id {described(own_query)} in "
            f"the line of query '{query_id}'; they must agree."
        )
    stated = entry.inner(dialect.ids_in) if dialect.ids_in else entry
    question_id = our_id(stated, group.id, query_id, text)
    earlier = parsed.questions.get(question_id)
    is_taken = earlier and (earlier.kind, earlier.query_id) == ("question", query_id)
    if group is CLAIMS and is_taken:  # both ids are mostly the MD5 of the text
        suffix = question_id.removeprefix(f"{query_id}/")
        question_id = f"{query_id}/{CLAIM_ID}{suffix}"
    if question_id in parsed.questions:
        raise entry.at(group.id).error(
            f"{group.id} '{question_id}' occurs twice, at "
            f"{described(parsed.questions[question_id].text)} and at "
            f"{described(text)}; one id means one item."
        )
    entry.of = f"'{question_id}'"
    what = entry.called("creator")
    creators = entry.records("creator", f"an entry of {what}", what)
    for creator in creators:
        creator.flag("is_human")
        for name in ("assessor_id", "llm_model", "creation_date"):
            creator.text(name)
    answers: tuple[str, ...] = ()
    if group is QUESTIONS:
        named = _by_text(entry, "answers", entry.called("answers"), "answer")
        answers = known_answers(answer for _, answer in named)
    for _, reference in references_of(entry):
        parsed.ideals[query_id, reference["doc_id"]] = None
    aggregator = entry.text("aggregator_type")
    if aggregator not in (None, "", "OR", "AND", "Default"):
        odd.name("aggregators", described(aggregator))
    metadata = entry.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    place = Record(entry.at("metadata"), about, "metadata")
    facet_id = place.identifier_or_none("facet_id")
    if facet_id is not None:
        facets[facet_id] = facets.get(facet_id) or words(about.get("facet_text"))
    question = parsed.questions[question_id] = Question(
        question_id,
        query_id,
        text,
        group.kind,
        subtopic_id=facet_id,
        choices=choices_in(about),
        answers=answers,
        provenance=json_text(entry, provenance_of(creators)),
        aggregator=aggregator_in(aggregator, answers),
    )
    odd.count("below", len(entry.items_of("sub_nuggets")))
    vote = importance_in(entry.get("importance"))
    if vote is not None:
        here = entry.at("creator", *(name_field(creators) or ()))
        parsed.votes[question_id, name_of(here, judge_of(creators), what)] = vote
    fresh = item_out(dialect, group, question, facets, {})
    if ordered_json(entry, entry) != ordered_json(entry, fresh):
        kept = ordered_json(entry, entry | {group.text: None})
        parsed.extras[dialect.item, question_id, dialect.name] = kept


def _query_id(record: Record, title: str | None) -> str:
    query_id = record.identifier_or_none("query_id")
    if query_id is None and title:
        return hashlib.md5(title.encode(), usedforsecurity=False).hexdigest()
    if query_id is None:
        about = record.inner("metadata")
        names = ("topic_id", "query_id")
        query_id = next(filter(None, map(about.identifier_or_none, names)), None)
    if query_id is None:
        message = 'a bank without a query; expected a field "query_id".'
        raise record.at("metadata").error(message)
    return query_id


def _by_text(
    record: Record, name: str, what: str, field: str
) -> Iterator[tuple[Record, str]]:
    """The entries of an object by text, or of a list, each with its text ``field``.

    An answer without one is its key. Raises the place's error.
    """
    entries: Iterable[tuple[str | int, Any]]
    match record.get(name):
        case None:
            return
        case dict() as by_text:
            entries = by_text.items()
        case list() as listed:
            entries = enumerate(listed)
        case other:
            raise record.at(name).error(
                f"{what} is {described(other)}; expected an object by text, or a list."
            )
    for at, value in entries:
        key = at if isinstance(at, str) else None
        called = f"an entry of {what}" if key is None else f"{described(key)} in {what}"
        entry = Record(record.at(name, at), value, called, what)
        text = entry.text(field)
        if text is None and field == "answer":
            text = key
        # Nuggets with documents may have an answer without words.
        if text is None or not (text.strip() or (field == "answer" and key == text)):
            where = "" if key is None else f" at {described(key)}"
            raise entry.at(field).error(
                f"{what}: an entry without a text{where}; expected a text as its "
                f'"{field}".'
            )
        if key not in (None, text):
            raise entry.at(field).error(
                f"{what}: {described(key)} holds the {field} {described(text)}; they "
                "must agree."
            )
        yield entry, text
