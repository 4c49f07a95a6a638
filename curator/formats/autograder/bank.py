"""Question banks of the Autograder workbench: all three published forms in, items out.

A line is a group, ``{"query_id", "facet_id"?, "query_text", "items": [...]}`` (older
files say ``questions``), or flat: one question with ``qid``, ``question`` and perhaps
``choices``, ``correctKey``, ``correct``. A flat line is read as a group of one item. A
facet is a subtopic here.

Extras kept under the format "autograder" are records (``keep_record``):

``("bank_line", "<query_id>\\t<facet_id, or nothing>")``
    the group's line without its items; its ``query_text`` is null where it is the
    query's title.
``("question", "<question_id>")``
    the item without its text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO, get_args

from curator.bank.answer_keys import LETTERS, Choices, matching_letters
from curator.bank.questions import Kind, Question, QuestionState, questions_by_query
from curator.collection.pools import Query, Subtopic
from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import (
    Extras,
    is_empty,
    keep_record,
    kept_record,
    overlaid,
)
from curator.formats.text.json_text import json_line, json_records, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import output_file
from curator.formats.text.records import FileLocation, Place, Record, described, either
from curator.formats.text.spreadsheets import is_csv, question_rows, write_csv

KEY_FIELDS = ("gold_answers", "choices", "correctKey", "correct")


def choices_of(item: Record) -> Choices:
    """(letter, text) pairs of ``choices``: an object by letter, or a list from A."""
    what = item.called("choices")
    match item.get("choices"):
        case None:
            return ()
        case dict() as by_letter:
            pairs = tuple(by_letter.items())
        case list() as texts if len(texts) <= len(LETTERS):
            pairs = tuple(zip(LETTERS, texts, strict=False))
        case value:
            raise item.error(
                f"{what} is {described(value)}; expected an object by letter, or a "
                f"list of at most {len(LETTERS)}."
            )
    for letter, text in pairs:
        if not isinstance(text, str) or not text.strip() or not letter.strip():
            raise item.error(
                f"{what} pairs {described(letter)} with {described(text)}; expected a "
                "letter and a text."
            )
    return pairs


def answers_of(item: Record, choices: Choices) -> tuple[str, ...]:
    """Gold answers, each once: ``correct`` or the choice of ``correctKey`` first.

    Raises the item's error for a key that is no choice's letter, or that names
    another choice than ``correct``.
    """
    correct, key = item.words("correct"), item.text("correctKey")
    answers = [] if correct is None else [correct]
    if key is not None and choices:
        chosen = dict(choices)[_letter_of(item, key, choices)]
        if correct is None:
            answers.append(chosen)
        elif correct.strip().lower() != chosen.strip().lower():
            raise item.error(
                f"correctKey and {item.called('correct')} disagree: "
                f"{described(chosen)} and {described(correct)}; correct one of them."
            )
    for gold in item.items_of("gold_answers"):
        if not isinstance(gold, str) or not gold.strip():
            what = item.called("gold_answers")
            raise item.error(f"{what} list {described(gold)}; expected texts.")
        answers.append(gold)
    return tuple(dict.fromkeys(answers))


def key_fields(
    choices: Choices, answers: Sequence[str], imported: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the ``KEY_FIELDS``, as they were imported if they say the same."""
    fields = _plain_fields(choices, answers)
    stated = {name: imported[name] for name in KEY_FIELDS if name in imported}
    # What was read once raises no error, so the place is never named.
    item = Record(Place(Path()), stated, "the item")
    if choices_of(item) != choices:
        return fields
    if answers_of(item, choices) == tuple(answers):
        return stated
    return fields | {name: stated[name] for name in stated if name == "choices"}


def _plain_fields(choices: Choices, answers: Sequence[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if answers:
        fields["gold_answers"] = list(answers)
    if choices:
        fields["choices"] = dict(choices)
    key = key_among(choices, answers[:1])
    if key is not None:
        fields |= {"correctKey": key, "correct": answers[0]}
    return fields


def key_among(choices: Choices, answers: Sequence[str]) -> str | None:
    """The letter of the first choice that is a gold answer."""
    return next((letter for letter, text in choices if text in answers), None)


def _letter_of(item: Record, key: str, choices: Choices) -> str:
    """The one choice's letter that the key names.

    Raises the item's error where it may name none or several.
    """
    letters = [letter for letter, _ in choices]
    matching = matching_letters(key, letters)
    if len(matching) == 1:
        return matching[0]
    message = f"{item.called('correctKey')} is {described(key)}"
    if not matching:
        raise item.error(f"{message}; expected one of {', '.join(letters)}.")
    several = " or ".join(map(described, matching))
    raise item.error(f"{message}, which may mean {several}; write one of them.")


EXPECTED = 'a question bank: {"query_id", "query_text", "items": […]} a line'
FORMAT = "autograder"
STATES: dict[str, QuestionState] = {state: state for state in get_args(QuestionState)}
GROUPS = ("items", "questions")
FLAT = ("qid", "question")
COLLECTION = "test_collection"
NO_FACET = ""
"""Stands for the facet of a line that has none."""
_LINE_FIELDS = ("query_id", "facet_id", "facet_text", "query_text")
_STORED_OF_LINE = {*_LINE_FIELDS, COLLECTION}
_NAMES_OF_ITEM = {"question_id", "question_text", "nugget_id", "nugget_text"}
_STORED = {"query_id", "facet_id", "state", "provenance", *_NAMES_OF_ITEM, *KEY_FIELDS}

_ODD = {
    "repeated": "[line or item/lines or items] repeat a question of the same id and "
    "text, counted once.",
    "no words": "[item] without a text, known only by id: {}.",
    "unasked": "The choices of [item] without a text are kept for exports: {}.",
    "text": "[line] with another query_text than the first line of the query and "
    "facet, whose text is kept.",
    "fields": "[line] with other fields than the first line of the query and facet, "
    "whose fields are kept.",
}


@file_reader("bank", EXPECTED)
def read_bank(lines: TextLines) -> ParsedImport:
    """The questions and nuggets of a bank, with their queries and subtopics.

    A question that stands more than once counts once, with a notice. Raises
    InputFileError, also for one id with two texts.
    """
    parsed = ParsedImport(lines.path.name, "a question bank")
    odd = Oddities(_ODD)
    topics: dict[str, _Topic] = {}
    for record in json_records(lines):
        line, items = _line_and_items(record)
        query_id = line.identifier("query_id")
        topic = topics.setdefault(query_id, _Topic())
        topic.flat |= "qid" in record
        _add_line(odd, topic, line)
        for item in items:
            _add_item(parsed, odd, topic, line, item)
    for query_id, topic in topics.items():
        title = topic.title()
        subtopics = tuple(Subtopic(i, t) for i, t in topic.facet_texts.items())
        query = parsed.queries[query_id] = Query(query_id, title, subtopics=subtopics)
        for facet, line in topic.lines.items():
            text = topic.line_texts.get(facet)
            keep_record(
                parsed.extras,
                ("bank_line", f"{query_id}\t{facet}", FORMAT),
                line,
                _line(query, facet, {}, ""),
                _STORED_OF_LINE,
                query_text=None if text == title else text,
            )
    parsed.notices += odd.notices()
    return parsed


def _line_and_items(record: Record) -> tuple[Record, list[Record]]:
    """A line without its items, and these; a flat line has one item."""
    groups = [name for name in GROUPS if name in record]
    flat = [name for name in FLAT if record.get(name) is not None]
    if groups and record.get("qid") == record.get("query_id"):
        flat = flat[1:]  # this qid is the query's
    if not groups and "qid" not in record:
        raise record.error(
            f"no questions here; expected a field {either((*GROUPS, 'qid'))}."
        )
    if len(groups) + bool(flat) > 1:
        raise record.error(
            f"has {' and '.join([*groups, *flat])}; a line is a question or one list "
            "of items, so split it in two."
        )
    if groups:
        fields = {name: record[name] for name in record if name not in groups}
        items = record.records(groups[0], f"an entry of {groups[0]}")
        return Record(record.place, fields, "the line"), items
    line = {name: record[name] for name in _LINE_FIELDS if name in record}
    item = {
        "query_id": record.get("query_id"),
        "question_id": record["qid"],
        "question_text": record.get("question"),
    }
    taken = {*_LINE_FIELDS, *FLAT, *_NAMES_OF_ITEM}
    item |= {name: value for name, value in record.items() if name not in taken}
    return Record(record.place, line, ""), [Record(record.place, item, "")]


def _add_line(odd: Oddities, topic: _Topic, line: Record) -> None:
    facet = line.identifier_or_none("facet_id") or NO_FACET
    query_text, facet_text = line.words("query_text"), line.text("facet_text")
    if facet != NO_FACET:
        topic.facet_texts[facet] = topic.facet_texts.get(facet) or facet_text or None
    if query_text:
        earlier = topic.line_texts.setdefault(facet, query_text)
        odd.count("text", earlier != query_text)
    first = topic.lines.setdefault(facet, line)
    odd.count("fields", _others(first) != _others(line))


def _others(line: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a line that are stored nowhere else."""
    return {
        name: value
        for name, value in line.items()
        if name not in _LINE_FIELDS and not is_empty(value)
    }


def _add_item(
    parsed: ParsedImport, odd: Oddities, topic: _Topic, line: Record, item: Record
) -> None:
    query_id = line.identifier("query_id")
    named_query = item.identifier_or_none("query_id")
    if named_query not in (None, query_id):
        raise item.error(
            f"an item names query_id {described(named_query)} in the line of query "
            f"'{query_id}'; they must agree."
        )
    facet_id = item.identifier_or_none("facet_id")
    if facet_id is not None:
        topic.facet_texts.setdefault(facet_id, None)
    if ("nugget_id" in item) == ("question_id" in item):
        raise item.error(
            f"an item of query '{query_id}' has both or none of "
            '"question_id" and "nugget_id"; expected one.'
        )
    kind: Kind = "nugget" if "nugget_id" in item else "question"
    text_field = f"{kind}_text"
    question_id = item.identifier(f"{kind}_id")
    item.of = f"'{question_id}'"
    text = item.words(text_field)
    state = item.text("state") or "kept"
    if state not in STATES:
        raise item.error(
            f"{item.called('state')} is {described(state)}; expected "
            f"{either(tuple(STATES))}."
        )
    choices = choices_of(item)
    question = Question(
        question_id,
        query_id,
        text,
        kind,
        STATES[state],
        facet_id or line.identifier_or_none("facet_id"),
        choices,
        answers_of(item, choices),
        json_text(item, item.inner("provenance")),
    )
    if text is None:
        odd.name("no words", question_id)
        if choices:  # nothing is asked of an item without words
            odd.name("unasked", question_id)
            question = replace(question, choices=())
    earlier = parsed.questions.setdefault(question_id, question)
    if earlier is not question:
        _require_same(item, earlier, question)
        odd.count("repeated")
        return
    key = ("question", question_id, FORMAT)
    kept_text = item.get(text_field) if text is None else None
    written, replaced = _item(question, {}), {text_field: kept_text}
    keep_record(parsed.extras, key, item, written, _STORED, **replaced)


def _require_same(place: FileLocation, earlier: Question, again: Question) -> None:
    for name in Question.__dataclass_fields__:
        values = getattr(earlier, name), getattr(again, name)
        if values[0] != values[1]:
            raise place.error(
                f"{earlier.kind} '{earlier.question_id}' occurs twice with different "
                f"{name}: {' and '.join(map(described, values))}; keep one of them."
            )


def _only_one(values: Iterable[Any]) -> Any:
    """The value that all of them but empty ones have, "" where they differ."""
    stated = [value for value in values if not is_empty(value)]
    same = stated and stated.count(stated[0]) == len(stated)
    return stated[0] if same else ""


@dataclass
class _Topic:
    """A query, as collected from the lines of a bank.

    ``lines`` holds the first line of each facet, ``line_texts`` its first
    ``query_text``, ``facet_texts`` every facet and its text or None.
    ``flat``: there are lines of the flat form.
    """

    lines: dict[str, Record] = field(default_factory=dict)
    line_texts: dict[str, str] = field(default_factory=dict)
    facet_texts: dict[str, str | None] = field(default_factory=dict)
    flat: bool = False

    def title(self) -> str | None:
        """The query's title, None where no line states one.

        Fills in the facets' texts where they stand behind the title, as in the
        published CAR bank.
        """
        texts = self.line_texts
        if not texts or NO_FACET in texts:
            return texts.get(NO_FACET)
        for facet, text in self.facet_texts.items():
            if text is not None and facet in texts:
                return texts[facet].removesuffix(f" / {text}")
        first, *others = texts.values()
        split = {facet: text.partition(" / ") for facet, text in texts.items()}
        title = first.partition(" / ")[0]
        behind = all(head == title and sign for head, sign, _ in split.values())
        if not behind or (not self.flat and others.count(first) == len(others)):
            return first  # perhaps a title that holds a slash
        self.facet_texts |= {facet: rest for facet, (_, _, rest) in split.items()}
        return title


# Out


def write_bank(
    stream: TextIO,
    queries: Iterable[Query],
    questions: Iterable[Question],
    *,
    extras: Extras | None = None,
    test_collection: str = "",
) -> None:
    """Write one line per query and subtopic, questions and nuggets apart.

    Every query and subtopic has a line, without items if it has none. ``state`` is
    said only where it is not "kept". ``extras`` may hold those of other formats too. A
    line without a ``test_collection``, which the workbench requires, has that of the
    query's other lines, else the only one there is, else ``test_collection``.
    """
    extras = extras or {}
    collections: dict[str, list[Any]] = {}
    for (entity, key, form), text in extras.items():
        if entity.startswith("bank_") and form == FORMAT:
            stated = collections.setdefault(key.partition("\t")[0], [])
            stated.append(json.loads(text).get(COLLECTION))
    only = _only_one(value for stated in collections.values() for value in stated)
    by_query = questions_by_query(questions)
    for query in queries:
        of_lines = filter(None, collections.get(query.query_id, ()))
        collection = next(of_lines, None) or only or test_collection
        of_query = by_query.get(query.query_id, [])
        for line in _lines(query, of_query, extras, collection):
            stream.write(json_line(line))


def _lines(
    query: Query, questions: list[Question], extras: Extras, collection: str
) -> Iterator[dict[str, Any]]:
    groups: dict[str, dict[Kind, list[Question]]] = {
        subtopic.subtopic_id: {} for subtopic in query.subtopics
    }
    first: dict[str, int] = {}
    for number, question in enumerate(questions):
        facet = question.subtopic_id or NO_FACET
        groups.setdefault(facet, {}).setdefault(question.kind, []).append(question)
        first.setdefault(facet, number)
    # Subtopics in their order, and what has none where it came in.
    without = groups.pop(NO_FACET, {}), first.get(NO_FACET, -1)
    facets = [*groups]
    later = (n for n, facet in enumerate(facets) if first.get(facet, -1) > without[1])
    facets.insert(next(later, len(facets)), NO_FACET)
    groups[NO_FACET] = without[0]
    for facet in facets:
        by_kind = groups[facet]
        key = f"{query.query_id}\t{facet}"
        imported = kept_record(extras, "bank_line", key, FORMAT)
        if facet == NO_FACET and len(facets) > 1 and not by_kind and not imported:
            continue  # all of the query is in its subtopics
        line = _line(query, facet, imported, collection)
        for members in by_kind.values() or [[]]:
            items = [
                _item(item, kept_record(extras, "question", item.question_id, FORMAT))
                for item in members
            ]
            yield line | {"items": items}


def _line(
    query: Query, facet: str, imported: Mapping[str, Any], collection: str
) -> dict[str, Any]:
    """The line of a query and facet, without its items."""
    line: dict[str, Any] = {"query_id": query.query_id}
    if facet != NO_FACET:
        line["facet_id"] = facet
        texts = {subtopic.subtopic_id: subtopic.text for subtopic in query.subtopics}
        if texts.get(facet) is not None:
            line["facet_text"] = texts[facet]
    line[COLLECTION] = imported.get(COLLECTION) or collection
    line["query_text"] = imported.get("query_text") or query.title or ""
    return overlaid(imported, line, _STORED_OF_LINE)


def _item(question: Question, imported: Mapping[str, Any]) -> dict[str, Any]:
    text_field = f"{question.kind}_text"
    item: dict[str, Any] = {
        "query_id": question.query_id,
        f"{question.kind}_id": question.question_id,
        text_field: question.text,
    }
    if question.subtopic_id is not None:
        item["facet_id"] = question.subtopic_id
    if question.text is None:
        item |= {name: imported[name] for name in KEY_FIELDS if name in imported}
        item[text_field] = imported.get(text_field)
    else:
        item |= key_fields(question.choices, question.answers, imported)
    if question.state != "kept":
        item["state"] = question.state
    if question.provenance != "{}":
        item["provenance"] = json.loads(question.provenance)
    return overlaid(imported, item, _STORED)


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The kept questions in the newest form, or as a table in a file of CSV."""
    kept = [question for question in contents.bank if question.state == "kept"]
    with output_file(target) as stream:
        if is_csv(target):
            write_csv(stream, question_rows(contents.queries, kept))
            return codec.WriteResult(len(kept), "kept items", carries=IN_A_TABLE)
        write_bank(
            stream,
            contents.queries,
            contents.in_full(kept),
            extras=contents.extras(),
            test_collection=contents.title,
        )
    return codec.WriteResult(len(kept), "kept items")


BANK_OPTION = codec.ImportOption("bank", "question bank", r"question|nugget|bank|tqa")
IN_A_TABLE = codec.carried("query texts", *codec.KEPT_ITEMS, "choices", "answers")

CODECS = (
    codec.Codec(
        "bank",
        codec.Imports(
            option=BANK_OPTION,
            called="Autograder",
            read=read_bank,
            fits=lambda start: start.has(*({name} for name in GROUPS), FLAT),
        ),
        codec.Exports(
            label="Question bank",
            what="The kept questions in Autograder’s form.",
            group=codec.BANK,
            forms=(codec.JSONL, codec.CSV),
            carries=codec.carried(
                *("query texts", "subtopics", *codec.KEPT_ITEMS),
                *("choices", "answers", "provenance"),
                extras=("autograder:bank_line", "autograder:question"),
            ),
            write=_write,
        ),
    ),
)
