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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from curator.bank.questions import Question
from curator.collection.pools import Query, Subtopic
from curator.formats.nuggets.items import (
    Facets,
    Group,
    aggregator_in,
    importance_in,
    judge_of,
    name_field,
    ordered_json,
    our_id,
    provenance_of,
    their_id,
    words,
)
from curator.formats.nuggets.references import documents_in, known_answers
from curator.formats.parsed_import import ParsedImport
from curator.formats.text.json_text import json_text
from curator.formats.text.notices import Oddities
from curator.formats.text.records import Record, described, either, name_of

QUESTIONS = Group("nugget_bank", "question", "question")
CLAIMS = Group("claim_bank", "nugget", "claim")
VERSION = "v3"
CLAIM_ID = "claim/"
"""Before the id of a claim that is also a question's."""


@dataclass(frozen=True)
class Dialect:
    """The rules that distinguish a format of such lines.

    ``lists``: banks and answers from elsewhere are lists. ``query_field``: the object
    of a line, and the field in it, that names the query. ``ids_in``: the field of an
    item whose object has the id, "" for the item itself. ``plain_documents``: of a
    document the id alone is written.
    """

    name: str
    groups: tuple[Group, ...]
    query_field: tuple[str, str] = ("", "query_id")
    ids_in: str = ""
    lists: bool = False
    aggregator_first: bool = False
    creators: bool = False
    texts_of_queries: bool = False
    plain_documents: bool = True

    @property
    def line(self) -> str:
        """The entity of its lines."""
        return f"{self.name}_line"

    @property
    def item(self) -> str:
        """The entity of its items."""
        return f"{self.name}_question"


V3 = Dialect(
    "nuggetbank",
    (QUESTIONS, CLAIMS),
    creators=True,
    texts_of_queries=True,
    plain_documents=False,
)
RAGTIME = Dialect(
    "ragtime",
    (QUESTIONS,),
    query_field=("metadata", "topic_id"),
    ids_in="metadata",
    lists=True,
    aggregator_first=True,
)
DOCUMENTS = Dialect("nugget_docs", (QUESTIONS,), aggregator_first=True)

ODD = {
    "versions": f"[other format_version], read as {VERSION} is: {{}}.",
    "below": "[sub-nugget] kept for exports, not asked here.",
    "aggregators": "[aggregator] other than AND and OR, kept for exports: {}. Here, "
    "any answer is enough for such an item.",
}


def new_line(
    dialect: Dialect, query: Query, groups: Iterable[Group], collection: str = ""
) -> dict[str, Any]:
    """The line of a query that came from elsewhere, its banks empty."""
    inside, name = dialect.query_field
    line: dict[str, Any] = {name: query.query_id}
    if inside:
        line = {inside: line}
    if dialect.texts_of_queries:
        texts = {"title_query": query.title, "full_query": query.background}
        line |= {name: text for name, text in texts.items() if text is not None}
        line |= {"test_collection": collection} if collection else {}
        line["format_version"] = VERSION
    else:
        groups = dialect.groups
    return line | {group.name: [] if dialect.lists else {} for group in groups}


def new_item(
    dialect: Dialect, group: Group, question: Question, facets: Facets
) -> dict[str, Any]:
    """The entry of a question that came from elsewhere.

    Its metadata hold the subtopic, with its text in ``facets``, and the choices, named
    as in an Autograder bank.
    """
    item: dict[str, Any] = {group.text: question.text}
    fields: dict[str, Any] = {}
    if not (dialect.ids_in or dialect is DOCUMENTS):
        item |= {group.id: their_id(question), "query_id": question.query_id}
    if question.answers and group is QUESTIONS:
        by_text = {answer: {"answer": answer} for answer in question.answers}
        fields["answers"] = [*by_text.values()] if dialect.lists else by_text
    many = len(question.answers) > 1 and dialect.aggregator_first
    if question.aggregator != "OR" or many or dialect is DOCUMENTS:
        aggregator = {"aggregator_type": question.aggregator}
        fields = (
            aggregator | fields if dialect.aggregator_first else fields | aggregator
        )
    item |= fields
    if dialect.ids_in:
        set_inner_id(item, group, question, dialect.ids_in)
    if question.subtopic_id is not None:
        about = item.get("metadata", {}) | {"facet_id": question.subtopic_id}
        if text := facets.get(question.subtopic_id):
            about["facet_text"] = text
        item["metadata"] = about
    set_choices(item, question)
    return item


def set_inner_id(
    item: dict[str, Any], group: Group, question: Question, field: str
) -> None:
    """Put an id that the text does not give into the object of this field."""
    item_id, about = their_id(question), item.get(field)
    about = about if isinstance(about, dict) else {}
    if item_id == question.question_id and not about.get(group.id):
        item[field] = about | {group.id: item_id}


def set_choices(item: dict[str, Any], question: Question) -> None:
    """Write the question's choices into the entry's metadata if they differ."""
    metadata = item.get("metadata")
    about = metadata if isinstance(metadata, dict) else {}
    if question.choices != _choices_in(about):
        item["metadata"] = about | {"choices": dict(question.choices)}


def add_line(
    parsed: ParsedImport, odd: Oddities, record: Record, dialect: Dialect
) -> None:
    """Add the query of a line with its items. Raises InputFileError."""
    # autojudge-base leaves both banks out of a line where they are empty.
    empty = record.get("format_version") == VERSION
    if not empty and not any(group.name in record for group in dialect.groups):
        names = either([group.name for group in dialect.groups])
        raise record.error(f"no nuggets here; expected a field {names}.")
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
    if not groups or kept != ordered_json(record, new_line(dialect, query, groups)):
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
    documents = documents_in(entry)
    parsed.ideals |= dict.fromkeys((query_id, document) for document in documents)
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
        choices=_choices_in(about),
        answers=answers,
        provenance=json_text(entry, provenance_of(creators)),
        aggregator=aggregator_in(aggregator, answers),
    )
    odd.count("below", len(entry.items_of("sub_nuggets")))
    vote = importance_in(entry.get("importance"))
    if vote is not None:
        here = entry.at("creator", *(name_field(creators) or ()))
        parsed.votes[question_id, name_of(here, judge_of(creators), what)] = vote
    fresh = new_item(dialect, group, question, facets)
    if ordered_json(entry, entry) != ordered_json(entry, fresh):
        kept = ordered_json(entry, entry | {group.text: None})
        parsed.extras[dialect.item, question_id, dialect.name] = kept


def _choices_in(about: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The choices that an export of ours put there; () for anything else."""
    match about.get("choices"):
        case dict() as choices if all(map(words, choices.values())):
            return tuple(choices.items())
    return ()


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
