"""Question banks of the Autograder workbench: all three published forms in, items out.

A line is a group, ``{"query_id", "facet_id"?, "query_text", "items": [...]}`` (older
files say ``questions``), or flat: one question with ``qid``, ``question`` and perhaps
``choices``, ``correctKey``, ``correct``. A facet is a subtopic here.

Extras kept under the format "autograder", each a JSON object:

``("bank_line", "<query_id>\\t<facet_id, or nothing>")``
    fields of the group's line (``info``, ``hash``, ...), and ``query_text`` where it is
    not the query's title.
``("question", "<question_id>")``
    fields of the item (``info``, ...) or of the flat line; of its answers and choices
    and of what came empty those that are not written so anyway.
``("bank_form", "<query_id>")``
    ``items``: the fields that came empty in all of the query's items alike, and
    ``lines``: in all of its lines. ``test_collection`` of its first line that names
    one; a line of another one says so itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO, get_args

from curator.bank.questions import (
    Kind,
    Question,
    QuestionState,
    questions_by_query,
)
from curator.collection.pools import Query, Subtopic
from curator.formats import codec
from curator.formats.autograder.answer_keys import FIELDS as KEY_FIELDS
from curator.formats.autograder.answer_keys import (
    answers_of,
    choices_of,
    fields_written,
    written_otherwise,
)
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import (
    Extras,
    fields_kept,
    filled,
    is_empty,
    other_fields,
    take_common,
)
from curator.formats.text.json_text import json_line, json_records, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    FileLocation,
    Record,
    described,
    either,
)
from curator.formats.text.spreadsheets import is_csv, question_rows, write_csv

EXPECTED = 'a question bank: {"query_id", "query_text", "items": […]} a line'
FORMAT = "autograder"
STATES: dict[str, QuestionState] = {state: state for state in get_args(QuestionState)}


@file_reader("bank", EXPECTED)
def read_bank(lines: TextLines) -> ParsedImport:
    """The questions and nuggets of a bank, with their queries and subtopics.

    A question that stands more than once counts once, with a notice. Raises
    InputFileError, also for one id with two texts.
    """
    reading = _BankReader(lines)
    for record in json_records(lines):
        reading.add_line(record)
    return reading.result()


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


class _BankReader:
    def __init__(self, lines: TextLines) -> None:
        self.lines = lines
        self.parsed = ParsedImport(lines.path.name, "a question bank")
        self.topics: dict[str, _Topic] = {}
        self.unasked: set[str] = set()  # questions with choices and without words
        self.odd = Oddities(_ODD)

    def add_line(self, record: Record) -> None:
        groups = [name for name in GROUPS if name in record]
        if len(groups) == 2:
            raise record.error(f"has both {either(GROUPS)}; keep one of the lists.")
        if not groups and "qid" not in record:
            raise record.error(
                f"no questions here; expected a field {either((*GROUPS, 'qid'))}."
            )
        _refuse_two_forms(record, groups)
        query_id = record.identifier("query_id")
        facet_id = record.identifier_or_none("facet_id")
        topic = self.topics.setdefault(query_id, _Topic())
        texts = record.text("query_text"), record.text("facet_text")
        self.odd.count("text", not topic.agrees(facet_id, *texts))
        if not groups:
            topic.flat = True
            self._add_question(record, query_id, facet_id, "question", FLAT)
            return
        extra = other_fields(record, _LINE_FIELDS, _LINE_EMPTY)
        if is_empty(extra.get(COLLECTION)):
            extra.pop(COLLECTION, None)  # what an export that knows none says
        else:
            if topic.collection is None:
                topic.collection = extra[COLLECTION]
        if extra.get(COLLECTION) == topic.collection:
            extra.pop(COLLECTION, None)
        kept = topic.line_extras.setdefault(facet_id or NO_FACET, extra)
        self.odd.count("fields", _not_empty(kept) != _not_empty(extra))
        for item in record.records(groups[0], f"an entry of {groups[0]}"):
            own_query = item.identifier_or_none("query_id")
            if own_query not in (None, query_id):
                raise item.error(
                    f"an item names query_id {described(own_query)} in the line of "
                    f"query '{query_id}'; they must agree."
                )
            own_facet = item.identifier_or_none("facet_id")
            if own_facet is not None:
                topic.facet_texts.setdefault(own_facet, None)
            kind: Kind = "nugget" if "nugget_id" in item else "question"
            if ("nugget_id" in item) == ("question_id" in item):
                raise item.error(
                    f"an item of query '{query_id}' has both or none of "
                    '"question_id" and "nugget_id"; expected one.'
                )
            names = f"{kind}_id", f"{kind}_text"
            self._add_question(item, query_id, own_facet or facet_id, kind, names)

    def _add_question(
        self,
        item: Record,
        query_id: str,
        facet_id: str | None,
        kind: Kind,
        names: tuple[str, str],
    ) -> None:
        """Take an item, whose id and text have these ``names``."""
        question_id = item.identifier(names[0])
        item.of = f"'{question_id}'"
        text = item.words(names[1])
        if text is None:
            self.odd.name("no words", question_id)
        state = item.text("state") or "kept"
        if state not in STATES:
            raise item.error(
                f"{item.called('state')} is {described(state)}; expected "
                f"{either(tuple(STATES))}."
            )
        choices = choices_of(item)
        answers = answers_of(item, choices)
        question = Question(
            question_id,
            query_id,
            text,
            kind,
            STATES[state],
            facet_id,
            choices,
            answers,
            json_text(item, item.inner("provenance")),
        )
        earlier = self.parsed.questions.setdefault(question_id, question)
        if earlier is not question:
            _require_same(item, earlier, question)
            self.odd.count("repeated")
            return
        homes = _FLAT_FIELDS if names == FLAT else _OWN_FIELDS | {*names}
        extra = other_fields(item, homes, _ITEM_EMPTY)
        extra |= written_otherwise(item, choices, answers)
        if text is None:  # of what has no words nothing is asked
            if item.get(names[1]) is not None:
                extra[f"{kind}_text"] = item[names[1]]
            extra |= {name: item[name] for name in KEY_FIELDS if name in item}
            if choices:
                self.unasked.add(question_id)
                self.odd.name("unasked", question_id)
        self.topics[query_id].item_extras[question_id] = extra

    def result(self) -> ParsedImport:
        """The whole bank, with titles found and notices."""
        parsed = self.parsed
        for question_id in self.unasked:
            earlier = parsed.questions[question_id]
            parsed.questions[question_id] = replace(earlier, choices=())
        kept: dict[tuple[str, str], dict[str, Any]] = {}
        only = _only_one(topic.collection for topic in self.topics.values())
        questions = parsed.questions.values()
        with_text = {question.query_id for question in questions if question.text}
        for query_id, topic in self.topics.items():
            if topic.collection is None and query_id in with_text:
                topic.collection = only
            title = topic.title()
            subtopics = tuple(Subtopic(i, t) for i, t in topic.facet_texts.items())
            parsed.queries[query_id] = Query(query_id, title, subtopics=subtopics)
            form = {
                "items": take_common(topic.item_extras.values()),
                "lines": take_common(topic.line_extras.values()),
                COLLECTION: topic.collection,
            }
            kept["bank_form", query_id] = _not_empty(form)
            for question_id, extra in topic.item_extras.items():
                kept["question", question_id] = extra
            for facet, text in topic.line_texts.items():
                if text != title:
                    extra = topic.line_extras.setdefault(facet, {})
                    extra["query_text"] = text
            for facet, extra in topic.line_extras.items():
                kept["bank_line", f"{query_id}\t{facet}"] = extra
        for key, extra in kept.items():
            if extra:
                parsed.extras[*key, FORMAT] = json_text(self.lines, extra)
        parsed.notices += self.odd.notices()
        return parsed


GROUPS = ("items", "questions")
COLLECTION = "test_collection"
FLAT = ("qid", "question")
_ALSO_NAMED = {"question_id": "qid", "question_text": "question", "nugget_id": "qid"}
_LINE_FIELDS = {"query_id", "query_text", "facet_id", "facet_text", *GROUPS}
_OWN_FIELDS = {"query_id", "facet_id", "state", "provenance", *KEY_FIELDS}
_FLAT_FIELDS = _OWN_FIELDS | {"query_text", "facet_text", *FLAT, *_ALSO_NAMED}
# Fields with a home that say nothing when they are empty.
_LINE_EMPTY = {"facet_id", "facet_text"}
_ITEM_EMPTY = {"query_id", "facet_id", "state", "provenance"}
NO_FACET = ""
"""Stands for the facet of a line that has none."""


def _require_same(place: FileLocation, earlier: Question, again: Question) -> None:
    for name in Question.__dataclass_fields__:
        values = getattr(earlier, name), getattr(again, name)
        if values[0] != values[1]:
            raise place.error(
                f"{earlier.kind} '{earlier.question_id}' occurs twice with different "
                f"{name}: {' and '.join(map(described, values))}; keep one of them."
            )


def _refuse_two_forms(record: Record, groups: Sequence[str]) -> None:
    """Raise the record's error for a line that is a question and a list of them.

    The ``qid`` beside a list may be the query's. A question may be named as an item
    is, too, if it is named alike.
    """
    for name in FLAT if groups else ():
        value = record.get(name)
        if value is not None and (name, value) != ("qid", record.get("query_id")):
            raise record.error(
                f'has "{name}" as well as "{groups[0]}"; a line is a question or a '
                "list of items, so split it in two."
            )
    for other, name in () if groups else _ALSO_NAMED.items():
        value, stated = record.get(other), record.get(name)
        if value is not None and str(value) != str(stated):
            raise record.error(
                f"{other} is {described(value)} and {name} {described(stated)} in one "
                "line; they must agree."
            )


def _not_empty(extra: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in extra.items() if not is_empty(value)}


def _only_one(values: Iterable[Any]) -> Any:
    """The value that all of them but None have, None where they differ."""
    stated = [value for value in values if value is not None]
    same = stated and stated.count(stated[0]) == len(stated)
    return stated[0] if same else None


@dataclass
class _Topic:
    """A query, as collected from the lines of a bank.

    ``line_texts`` holds the first ``query_text`` of the lines of each facet,
    ``facet_texts`` every facet and its text, None where it is not known. ``flat``:
    there are lines of the flat form.
    """

    line_texts: dict[str, str] = field(default_factory=dict)
    facet_texts: dict[str, str | None] = field(default_factory=dict)
    line_extras: dict[str, dict[str, Any]] = field(default_factory=dict)
    item_extras: dict[str, dict[str, Any]] = field(default_factory=dict)
    collection: Any = None
    flat: bool = False

    def agrees(
        self, facet_id: str | None, query_text: str | None, facet_text: str | None
    ) -> bool:
        """Take a line's texts; return False for another ``query_text`` of its facet."""
        if facet_id is not None:
            earlier = self.facet_texts.get(facet_id)
            self.facet_texts[facet_id] = earlier or facet_text or None
        if not query_text or not query_text.strip():
            return True
        earlier = self.line_texts.setdefault(facet_id or NO_FACET, query_text)
        return earlier == query_text

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
    forms = {
        query_id: fields_kept(extras, entity, query_id, FORMAT)
        for entity, query_id, form in extras
        if (entity, form) == ("bank_form", FORMAT)
    }
    only = _only_one(form.get(COLLECTION) for form in forms.values())
    by_query = questions_by_query(questions)
    for query in queries:
        of_query = by_query.get(query.query_id, [])
        # An item without words came with grades, from no bank.
        added = any(question.text is not None for question in of_query)
        form = {COLLECTION: (added and only) or test_collection}
        form |= forms.get(query.query_id, {})
        for line in _lines(query, of_query, extras, form):
            stream.write(json_line(line))


def _lines(
    query: Query, questions: list[Question], extras: Extras, form: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    facet_texts = {s.subtopic_id: s.text for s in query.subtopics}
    groups: dict[str, dict[Kind, list[Question]]] = {facet: {} for facet in facet_texts}
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
        extra = fields_kept(extras, "bank_line", f"{query.query_id}\t{facet}", FORMAT)
        if facet == NO_FACET and len(facets) > 1 and not by_kind and not extra:
            continue  # all of the query is in its subtopics
        line: dict[str, Any] = {"query_id": query.query_id}
        if facet != NO_FACET:
            line["facet_id"] = facet
            if facet_texts.get(facet) is not None:
                line["facet_text"] = facet_texts[facet]
        extra = form.get("lines", {}) | extra
        line[COLLECTION] = extra.get(COLLECTION, form[COLLECTION])
        line["query_text"] = extra.get("query_text") or query.title or ""
        line = filled(line, extra)
        for members in by_kind.values() or [[]]:
            common = form.get("items", {})
            items = [_item(question, common, extras) for question in members]
            yield line | {"items": items}


def _item(
    question: Question, common: Mapping[str, Any], extras: Extras
) -> dict[str, Any]:
    item: dict[str, Any] = {
        "query_id": question.query_id,
        f"{question.kind}_id": question.question_id,
        f"{question.kind}_text": question.text,
    }
    if question.subtopic_id is not None:
        item["facet_id"] = question.subtopic_id
    extra = {**common}
    extra |= fields_kept(extras, "question", question.question_id, FORMAT)
    kept = {name: extra.pop(name) for name in KEY_FIELDS if name in extra}
    if question.text is None and kept:  # of which the workspace has no choices
        item |= kept
    else:
        item |= fields_written(question.choices, question.answers, kept)
    if question.state != "kept":
        item["state"] = question.state
    if question.provenance != "{}":
        item["provenance"] = json.loads(question.provenance)
    return filled(item, extra)


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


BANK_OPTION = codec.ImportOption(
    name="bank",
    what="a question bank",
    label="question bank",
    sign=r"question|nugget|bank|tqa",
)
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
