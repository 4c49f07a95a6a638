"""Nuggets with the documents that answer them: ``{question: ["OR", {answer: [id]}]}``.

A file ``nuggets_<topic>.json`` is of one topic, as autojudge-evaluate reads them from a
folder; in one file of several they stand under their topics.

Extras of the format "nugget_docs", ("nugget_docs_topic", "<query_id>"): the entries as
they came, in order, ``[[question_id, [aggregator, {answer: [id]}, …]], …]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from curator.bank.questions import Question, new_question_id, questions_by_query
from curator.collection.pools import Query
from curator.errors import CuratorError
from curator.formats import codec
from curator.formats.autograder.bank import BANK_OPTION
from curator.formats.nuggetbank import aggregator_in, in_order, writable
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.references import (
    OPEN_ENDED,
    References,
    document_ids,
    references_in,
)
from curator.formats.text.fields import Extras
from curator.formats.text.json_text import JsonDocument
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities, counted, listed
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    NOT_IN_IDS,
    described,
    identifier,
    list_of,
    record_of,
)

EXPECTED = 'nuggets with documents: {question: ["OR", {answer: [document id]}]}'
FORMAT, TOPIC = "nugget_docs", "nugget_docs_topic"
_OF_TOPIC = re.compile(r"nuggets_(.+?)\.json(?:\.gz)?")
_ODD = {
    "aggregators": "[aggregator] other than AND and OR, kept for exports: {}. Here, "
    "any answer is enough for such an item.",
}

Entry = tuple[str, list[Any]]  # (question id, its value as it came)


@file_reader("bank", EXPECTED)
def read_nugget_docs(lines: TextLines) -> ParsedImport:
    """The questions with their answers; their documents as ideal answers.

    Raises InputFileError, also where neither the file nor its name says the topic.
    """
    parsed = ParsedImport(lines.path.name, "nuggets with documents")
    odd = Oddities(_ODD)
    document = JsonDocument(lines.path, lines.whole())
    found = record_of(document, document.value(), "the file")
    if not found:
        raise document.error(f"the object names no question; expected {EXPECTED}.")
    if all(isinstance(value, dict) for value in found.values()):
        for topic, entries in found.items():
            query_id = identifier(document.at(topic), topic, "topic")
            _add_topic(parsed, odd, document.at(topic), query_id, entries)
    else:
        named = _OF_TOPIC.fullmatch(lines.path.name)
        if named is None:
            raise document.error(
                "the topic of these nuggets is unknown; name the file "
                "nuggets_TOPIC.json, or put them under the id of their topic."
            )
        query_id = identifier(document, named[1], "the topic in the file's name")
        _add_topic(parsed, odd, document, query_id, found)
    parsed.notices += odd.notices()
    return parsed


def _add_topic(
    parsed: ParsedImport,
    odd: Oddities,
    place: JsonDocument,
    query_id: str,
    entries: dict[str, Any],
) -> None:
    parsed.queries[query_id] = Query(query_id)
    came: list[Entry] = []
    for text, value in entries.items():
        here = place.at(text)
        if not text.strip():
            raise here.error("a question without a text; expected the text as its key.")
        match value:
            case [str() as said, dict() as by_answer, *_]:
                pass
            case _:
                raise here.error(
                    f"{described(text)} is {described(value)}; expected "
                    '["OR", {answer: [document id]}].'
                )
        for answer, ids in by_answer.items():
            at = here.at(1, answer)
            for number, one in enumerate(list_of(at, ids, described(answer))):
                passage_id = identifier(at.at(number), one, "document id")
                parsed.ideals[query_id, passage_id] = None
        if said not in ("AND", "OR"):
            odd.name("aggregators", described(said))
        answers = tuple(one for one in by_answer if one.strip() and one != OPEN_ENDED)
        question_id = new_question_id(query_id, None, text)
        parsed.questions[question_id] = Question(
            *(question_id, query_id, text),
            answers=answers,
            aggregator=aggregator_in(said, answers),
        )
        came.append((question_id, value))
    parsed.extras[TOPIC, query_id, FORMAT] = in_order(place, came)


def topics_of(
    queries: Iterable[Query], questions: Iterable[Question], extras: Extras
) -> Iterator[tuple[str, dict[str, Any]]]:
    """(query id, its nuggets by their texts), of queries with a question or a file."""
    by_query = questions_by_query(questions)
    references = references_in(extras)
    for query in queries:
        own = {one.question_id: one for one in by_query.get(query.query_id, [])}
        kept = extras.get((TOPIC, query.query_id, FORMAT))
        came: dict[str, list[Any]] = dict(json.loads(kept)) if kept else {}
        if own or came:
            ordered = dict.fromkeys([*(key for key in came if key in own), *own])
            entries = (
                _entry(own[key], came.get(key), references.get(key, {}))
                for key in ordered
            )
            yield query.query_id, dict(entries)


def _entry(
    question: Question, imported: list[Any] | None, references: References
) -> tuple[str, list[Any]]:
    aggregator, by_answer, *more = imported or [question.aggregator, {}]
    answers = tuple(text for text in by_answer if text.strip() and text != OPEN_ENDED)
    if aggregator_in(aggregator, answers) != question.aggregator:
        aggregator = question.aggregator
    if answers != question.answers or imported is None:
        names = question.answers or (OPEN_ENDED,)
        by_answer = {text: by_answer.get(text, []) for text in names}
    if OPEN_ENDED in references and question.aggregator == "OR":
        by_answer.setdefault(OPEN_ENDED, [])  # one more of several, where all count
    by_answer = {
        text: ids or document_ids(references.get(text, ()))
        for text, ids in by_answer.items()
    }
    return question.text or "", [aggregator, by_answer, *more]


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The kept questions: a file of all topics, or a folder with one for each.

    A target that is a folder, or a new name without an ending, is a folder.
    """
    kept = [one for one in contents.bank if one.state == "kept"]
    asked = [one for one in kept if one.kind == "question"]
    items = writable(asked)
    extras = contents.extras()
    topics = dict(topics_of(contents.queries, items, extras))
    if target.is_dir() or not (target.exists() or target.suffix):
        _write_folder(target, topics)
    else:
        _write_json(target, topics)
    dropped = []
    if same := len(asked) - len(items):
        dropped.append(
            f"{counted(same, 'kept question')} with the same text as another"
        )
    references = references_in(extras)
    unsaid = [
        item
        for item in items
        if OPEN_ENDED in references.get(item.question_id, {})
        and OPEN_ENDED not in topics[item.query_id][item.text or ""][1]
    ]
    if unsaid:
        what = counted(len(unsaid), "question that needs", "questions that need")
        dropped.append(f"the references of {what} all of several answers")
    return codec.WriteResult(len(items), "kept questions", dropped=dropped)


def _write_folder(folder: Path, topics: dict[str, dict[str, Any]]) -> None:
    names = {topic: f"nuggets_{topic}.json" for topic in topics}
    if odd := [one for one in topics if "/" in one or NOT_IN_IDS.search(one)]:
        raise CuratorError(
            f"Query '{odd[0]}' cannot be a file name; write all topics to one, such as "
            f"{folder.name}.json."
        )
    try:
        folder.mkdir(exist_ok=True)
        others = {one.name for one in folder.iterdir()} - set(names.values())
    except OSError as error:
        raise CuratorError(f"Cannot write '{folder}': {error.strerror}.") from None
    if others:
        raise CuratorError(
            f"The folder '{folder}' holds other files ({listed(others)}). Name a "
            "folder of its own."
        )
    for topic, nuggets in topics.items():
        _write_json(folder / names[topic], nuggets)


def _write_json(path: Path, value: dict[str, Any]) -> None:
    with output_file(path) as stream:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=4)
        stream.write(text + "\n")


def _fits(start: codec.FileStart) -> bool:
    value = start.value
    if not isinstance(value, dict) or not value:
        return False
    first = next(iter(value.values()))
    if isinstance(first, dict):
        value, first = first, next(iter(first.values()), None)
    match first:
        case [str(), dict(), *_]:
            return all(isinstance(one, list) for one in value.values())
    return False


CODECS = (
    codec.Codec(
        "nugget_docs",
        codec.Imports(
            option=BANK_OPTION,
            called="nuggets with documents",
            read=read_nugget_docs,
            fits=_fits,
        ),
        codec.Exports(
            label="Nuggets with documents",
            what="The kept questions with their answers and the documents of these.",
            group=codec.BANK,
            forms=(("JSON", ".json"),),
            carries=codec.carried(
                *("kept questions", "item texts", "answers", "aggregators"),
                extras=("nugget_docs",),
            ),
            write=_write,
        ),
    ),
)
