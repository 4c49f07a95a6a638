"""Nugget banks: questions and claims, a query a line, in three dialects.

A line is ``{"query_id", "title_query", "full_query"?, "nugget_bank"?: {text: {…}},
"claim_bank"?: {text: {…}}}``. Its questions are questions here, its claims nuggets.
Both banks may be lists, and one bank may be an object over many lines.

Nuggets with documents are ``{question: ["OR", {answer: [id]}]}``: a file
``nuggets_<topic>.json`` is of one topic, as autojudge-evaluate reads them from a
folder; a file of several topics is an object by topic.

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
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from curator.bank.questions import Question
from curator.collection.pools import Query, Subtopic
from curator.errors import CuratorError
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.nuggets.items import (
    CLAIM_ID,
    CLAIMS,
    DOCUMENTS,
    OPEN_ENDED,
    QUESTIONS,
    RAGTIME,
    V3,
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
from curator.formats.nuggets.write import choices_in, item_out, line_out, written_bank
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.json_text import (
    JsonDocument,
    json_line,
    json_records,
    json_text,
)
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import make_folder, output_file
from curator.formats.text.records import (
    NOT_IN_IDS,
    Record,
    described,
    either,
    identifier,
    list_of,
    name_of,
    record_of,
)

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


V3_EXPECTED = 'a NuggetBank: {"query_id", "title_query", "nugget_bank": {…}} a line'
RAGTIME_EXPECTED = (
    'a nugget bank of RAGTIME: {"metadata": {"topic_id"}, "nugget_bank": […]} a line'
)
DOCUMENTS_EXPECTED = (
    'nuggets with documents: {question: ["OR", {answer: [document id]}]}'
)
_FILE_OF_TOPIC = re.compile(r"nuggets_(.+?)\.json(?:\.gz)?")


def _reader(
    dialect: Dialect,
    expected: str,
    called: str,
    records: Callable[[TextLines], Iterable[Record]],
) -> codec.Reader:
    """Make the reader of a dialect, whose lines ``records`` finds in a file."""

    @file_reader("bank", expected)
    def read(lines: TextLines) -> ParsedImport:
        """Read the items of each query, their importance as votes."""
        parsed, odd = ParsedImport(lines.path.name, called), Oddities(ODD)
        for record in records(lines):
            add_line(parsed, odd, record, dialect)
        parsed.notices += odd.notices()
        return parsed

    return read


def _ragtime_lines(lines: TextLines) -> Iterator[Record]:
    for record in json_records(lines):
        if not _is_ragtime(record):
            raise record.error(
                f"a field of a NuggetBank, or no list of nuggets of a topic; expected "
                f"{RAGTIME_EXPECTED}."
            )
        yield record


def _topics(lines: TextLines) -> Iterator[Record]:
    """The topics of a file of nuggets with documents, as lines of other dialects.

    Raises InputFileError where neither the file nor its name says the topic.
    """
    document = JsonDocument(lines.path, text=lines.whole())
    value = record_of(document, document.value(), "the file")
    topics = {topic: (document.at(topic), entries) for topic, entries in value.items()}
    if not value or not all(isinstance(entries, dict) for entries in value.values()):
        named = _FILE_OF_TOPIC.fullmatch(lines.path.name)
        if named is None or not value:
            raise document.error(
                f"the topic of these nuggets is unknown; expected {DOCUMENTS_EXPECTED} "
                "in a file nuggets_TOPIC.json, or under the ids of topics."
            )
        topics = {named[1]: (document, value)}
    for topic, (place, entries) in topics.items():
        items = {
            text: _item_of(place.at(text), text, entry)
            for text, entry in entries.items()
        }
        topic = identifier(place, topic, "topic")
        yield Record(place, {"query_id": topic, QUESTIONS.name: items}, "the topic")


read_nuggetbank = _reader(V3, V3_EXPECTED, f"a NuggetBank ({VERSION})", json_records)
read_ragtime = _reader(
    RAGTIME, RAGTIME_EXPECTED, "a nugget bank of RAGTIME 2026", _ragtime_lines
)
read_nugget_docs = _reader(
    DOCUMENTS, DOCUMENTS_EXPECTED, "nuggets with documents", _topics
)


def _item_of(place: JsonDocument, text: str, value: object) -> dict[str, Any]:
    """The entry of a question as other dialects have it."""
    match value:
        case [str() as aggregator, dict() as by_answer, *more]:
            pass
        case _:
            raise place.error(
                f"{described(text)} is {described(value)}; expected "
                '["OR", {answer: [document id]}].'
            )
    for answer, ids in by_answer.items():
        at = place.at(1, answer)
        for document in list_of(at, ids, described(answer)):
            identifier(at, document, "document id")
    answers = {answer: {"references": ids} for answer, ids in by_answer.items()}
    item = {QUESTIONS.text: text, "aggregator_type": aggregator, "answers": answers}
    return item | ({"more": more} if more else {})


def _value_of(item: dict[str, Any]) -> list[Any]:
    """The value of a question in nuggets with documents."""
    by_answer = {
        answer: [
            reference["doc_id"] if isinstance(reference, dict) else reference
            for reference in entry.get("references") or ()
        ]
        for answer, entry in item.get("answers", {OPEN_ENDED: {}}).items()
    }
    # Where all answers are needed, another one beside them would be needed too.
    if item.get("references") and item["aggregator_type"] == "OR":
        by_answer[OPEN_ENDED] = by_answer.get(OPEN_ENDED) or item["references"]
    return [item["aggregator_type"], by_answer, *item.get("more", ())]


def _write_lines(
    dialect: Dialect, contents: codec.Contents, target: Path
) -> codec.WriteResult:
    lines, result = written_bank(dialect, contents)
    with output_file(target) as stream:
        stream.writelines(map(json_line, lines.values()))
    return result


def _write_documents(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """Write the kept questions: a file of all topics, or a folder with one for each.

    A target that is a folder, or a new name without an ending, is a folder.
    """
    lines, result = written_bank(DOCUMENTS, contents)
    topics = {
        topic: {
            text: _value_of(item) for text, item in dict(line[QUESTIONS.name]).items()
        }
        for topic, line in lines.items()
    }
    if target.is_dir() or not (target.exists() or target.suffix):
        for topic in topics:
            if "/" in topic or NOT_IN_IDS.search(topic):
                raise CuratorError(
                    f"Query '{topic}' cannot be a file name; write all topics to one, "
                    f"such as {target.name}.json."
                )
        files = {f"nuggets_{topic}.json": entries for topic, entries in topics.items()}
        make_folder(target, files)
        for name, entries in files.items():
            _write_json(target / name, entries)
    else:
        _write_json(target, topics)
    return replace(result, notices=())


def _write_json(path: Path, value: dict[str, Any]) -> None:
    with output_file(path) as stream:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=4)
        stream.write(text + "\n")


def _fits_nuggetbank(start: codec.FileStart) -> bool:
    is_v3 = start.record.get("format_version") == VERSION
    return is_v3 or start.has({QUESTIONS.name}, {CLAIMS.name})


def _is_ragtime(value: Any) -> bool:
    match value:
        case {"metadata": {"topic_id": _}, QUESTIONS.name: list()}:
            return not {"query_id", CLAIMS.name, "title_query"} & value.keys()
    return False


def _fits_documents(start: codec.FileStart) -> bool:
    value = start.value
    if not isinstance(value, dict) or not value:
        return False
    first = next(iter(value.values()))
    if isinstance(first, dict):
        value, first = first, next(iter(first.values()), None)
    match first:
        case [str(), dict(), *_]:
            return all(isinstance(entry, list) for entry in value.values())
    return False


def _imports(
    called: str, read: codec.Reader, fits: Callable[[codec.FileStart], bool]
) -> codec.Imports:
    # A NuggetBank may look like RAGTIME's, too, and has a query_id.
    specific = 10 if read is read_ragtime else 9
    return codec.Imports(
        option=BANK_OPTION, called=called, read=read, fits=fits, specific=specific
    )


_QUESTIONS = ("kept questions", "item texts", "answers", "aggregators")

CODECS = (
    codec.Codec(
        "nuggetbank",
        _imports("NuggetBank v3", read_nuggetbank, _fits_nuggetbank),
        codec.Exports(
            label="NuggetBank",
            what="The kept questions and key facts as a NuggetBank, version 3.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(  # of votes and provenance a part
                *_QUESTIONS,
                *("query texts", "backgrounds", "subtopics", "kept nuggets"),
                *("choices", "provenance", "votes", "title"),
                extras=("nuggetbank",),
            ),
            write=partial(_write_lines, V3),
        ),
    ),
    codec.Codec(
        "ragtime",
        _imports("RAGTIME 2026", read_ragtime, lambda start: _is_ragtime(start.value)),
        codec.Exports(
            label="RAGTIME nuggets",
            what="The kept questions with their answers, as RAGTIME 2026 takes them.",
            group=codec.BANK,
            forms=(codec.JSONL,),
            carries=codec.carried(  # of votes a part
                *_QUESTIONS, "subtopics", "choices", "votes", extras=("ragtime",)
            ),
            write=partial(_write_lines, RAGTIME),
        ),
    ),
    codec.Codec(
        "nugget_docs",
        _imports("nuggets with documents", read_nugget_docs, _fits_documents),
        codec.Exports(
            label="Nuggets with documents",
            what="The kept questions with their answers and the documents of these.",
            group=codec.BANK,
            forms=(("JSON", ".json"),),
            carries=codec.carried(*_QUESTIONS, extras=("nugget_docs",)),
            write=_write_documents,
        ),
    ),
)
