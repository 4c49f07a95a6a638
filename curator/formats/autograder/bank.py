"""Question banks of the Autograder workbench in: all three published forms.

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
    ``lines``: in all of its lines. ``test_collection`` of its lines, else the only one
    that the file names; a line of another one says so itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from curator.bank.questions import Kind, Question, QuestionState
from curator.collection.queries import Query, Subtopic
from curator.formats.autograder.answer_keys import FIELDS as KEY_FIELDS
from curator.formats.autograder.answer_keys import (
    answers_of,
    choices_of,
    written_otherwise,
)
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import is_empty, other_fields, take_common
from curator.formats.text.json_documents import line_record
from curator.formats.text.json_text import json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.records import Place, Record, described, either, record_of

EXPECTED = 'a question bank: {"query_id", "query_text", "items": […]} a line'
FORMAT = "autograder"
STATES: dict[str, QuestionState] = {one: one for one in get_args(QuestionState)}


@file_reader("bank", EXPECTED)
def read_bank(lines: TextLines) -> ParsedImport:
    """The questions and nuggets of a bank, with their queries and subtopics.

    A question that stands more than once counts once, with a notice. Raises
    InputFileError, also for one id with two texts.
    """
    reading = _Reading(lines)
    for text in lines:
        reading.add_line(line_record(lines, text))
    return reading.result()


_ODD = {
    "repeated": "[line or item/lines or items] repeat a question of the same id and "
    "text, counted once.",
    "no words": "[item] without any words, known by id only: {}.",
    "unasked": "The choices of [item] without words are kept for an export: {}.",
    "text": "[line] with another query_text than the first of the same query and "
    "facet, which is kept.",
    "fields": "[line] with other fields than the first of the same query and facet, "
    "whose are kept.",
}


class _Reading:
    def __init__(self, lines: TextLines) -> None:
        self.lines = lines
        self.parsed = ParsedImport(lines.path.name, "a question bank")
        self.topics: dict[str, BankTopic] = {}
        self.flat: set[str] = set()  # queries with lines of the flat form
        self.line_extras: dict[tuple[str, str], dict[str, Any]] = {}
        self.item_extras: dict[str, dict[str, dict[str, Any]]] = {}  # by query, item
        self.unasked_choices: set[str] = set()  # questions without words
        self.odd = Oddities(_ODD)

    def add_line(self, record: Record) -> None:
        groups = [name for name in GROUPS if name in record]
        if len(groups) == 2:
            raise record.error(f"has both {either(GROUPS)}; keep one of the lists.")
        if not groups and "qid" not in record:
            raise record.error(
                f"no questions here; expected a field {either((*GROUPS, 'qid'))}."
            )
        refuse_two_forms(record, groups)
        query_id = record.identifier("query_id")
        facet_id = _facet(record)
        topic = self.topics.setdefault(query_id, BankTopic())
        texts = record.text("query_text"), record.text("facet_text")
        self.odd.count("text", topic.note(facet_id, *texts))
        if not groups:
            self.flat.add(query_id)
            self._add_question(record, query_id, facet_id, "question", FLAT)
            return
        extra = other_fields(record, LINE_FIELDS, LINE_EMPTY)
        if is_empty(extra.get("test_collection")):
            extra.pop("test_collection", None)  # what an export that knows none says
        kept = self.line_extras.setdefault((query_id, facet_id or NO_FACET), extra)
        self.odd.count("fields", not_empty(kept) != not_empty(extra))
        for item in record.records(groups[0], f"an entry of {groups[0]}"):
            own_query = item.get("query_id")
            if own_query is not None and item.identifier("query_id") != query_id:
                raise item.error(
                    f"an item names query_id {described(own_query)} in the line of "
                    f"query '{query_id}'; they must agree."
                )
            own_facet = _facet(item)
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
        state = item.text("state")
        if state is not None and state not in STATES:
            raise item.error(
                f"{item.called('state')} is {described(state)}; expected "
                f"{either(tuple(STATES))}."
            )
        choices = choices_of(item)
        answers = answers_of(item, choices)
        provenance = item.get("provenance")
        if provenance is not None:
            record_of(item, provenance, item.called("provenance"))
        question = Question(
            question_id,
            query_id,
            text,
            kind,
            STATES[state or "kept"],
            facet_id,
            choices,
            answers,
            json_text(item, provenance or {}),
        )
        known = self.parsed.questions.setdefault(question_id, question)
        if known is not question:
            _require_same(item, known, question)
            self.odd.count("repeated")
            return
        homes = FLAT_FIELDS if names == FLAT else _OWN_FIELDS | {*names}
        extra = other_fields(item, homes, ITEM_EMPTY)
        extra |= written_otherwise(item, choices, answers)
        if text is None:  # of what has no words nothing is asked
            if item.get(names[1]) is not None:
                extra[f"{kind}_text"] = item[names[1]]
            extra |= {name: item[name] for name in KEY_FIELDS if name in item}
            if choices:
                self.unasked_choices.add(question_id)
                self.odd.name("unasked", question_id)
        self.item_extras.setdefault(query_id, {})[question_id] = extra

    def result(self) -> ParsedImport:
        """The whole bank, with titles found and notices."""
        parsed = self.parsed
        for question_id in self.unasked_choices:
            known = parsed.questions[question_id]
            parsed.questions[question_id] = replace(known, choices=())
        for query_id, topic in self.topics.items():
            title = topic.title(flat=query_id in self.flat)
            subtopics = tuple(Subtopic(i, t) for i, t in topic.facet_texts.items())
            parsed.queries[query_id] = Query(query_id, title, subtopics=subtopics)
            for facet, text in topic.line_texts.items():
                if text != title:
                    extra = self.line_extras.setdefault((query_id, facet), {})
                    extra["query_text"] = text
        self._keep_extras()
        parsed.notices += self.odd.notices()
        return parsed

    def _keep_extras(self) -> None:
        lines: dict[str, list[dict[str, Any]]] = {}
        for (query_id, _), extra in self.line_extras.items():
            lines.setdefault(query_id, []).append(extra)
        questions = self.parsed.questions.values()
        asked = {one.query_id for one in questions if one.text is not None}
        collections = take_collections(lines, asked)
        kept: dict[tuple[str, str], dict[str, Any]] = {}
        for query_id in self.topics:
            items = self.item_extras.get(query_id, {})
            form = {
                "items": take_common(items.values()),
                "lines": take_common(lines.get(query_id, [])),
                "test_collection": collections.get(query_id),
            }
            kept["bank_form", query_id] = not_empty(form)
            kept |= {("question", one): extra for one, extra in items.items()}
        for (query_id, facet), extra in self.line_extras.items():
            kept["bank_line", f"{query_id}\t{facet}"] = extra
        for key, extra in kept.items():
            if extra:
                self.parsed.extras[*key, FORMAT] = json_text(self.lines, extra)


GROUPS = ("items", "questions")
LINE_FIELDS = {"query_id", "query_text", "facet_id", "facet_text", *GROUPS}
FLAT = ("qid", "question")
_ALSO_NAMED = {"question_id": "qid", "question_text": "question", "nugget_id": "qid"}
_OWN_FIELDS = {"query_id", "facet_id", "state", "provenance", *KEY_FIELDS}
FLAT_FIELDS = _OWN_FIELDS | {"query_text", "facet_text", *FLAT, *_ALSO_NAMED}
# Fields with a home that say nothing when they are empty.
LINE_EMPTY = {"facet_id", "facet_text"}
ITEM_EMPTY = {"query_id", "facet_id", "state", "provenance"}


def _facet(record: Record) -> str | None:
    named = record.get("facet_id") is not None
    return record.identifier("facet_id") if named else None


def _require_same(place: Place, known: Question, again: Question) -> None:
    for name in Question.__dataclass_fields__:
        values = getattr(known, name), getattr(again, name)
        if values[0] != values[1]:
            raise place.error(
                f"{known.kind} '{known.question_id}' stands twice with different "
                f"{name}: {' and '.join(map(described, values))}; keep one of them."
            )


def refuse_two_forms(record: Record, groups: Sequence[str]) -> None:
    """Raise the record's error for a line that is a question and a list of them.

    ``groups`` are those of GROUPS that it has; the ``qid`` beside one may be the
    query's. A question may be named as an item is, too, if it is named alike.
    """
    for name in FLAT if groups else ():
        value = record.get(name)
        if value is not None and (name, value) != ("qid", record.get("query_id")):
            raise record.error(
                f'has "{name}" beside "{groups[0]}"; a line is a question or a list '
                "of items, part it into two."
            )
    for other, name in () if groups else _ALSO_NAMED.items():
        value, stated = record.get(other), record.get(name)
        if value is not None and value != stated and str(value) != str(stated):
            raise record.error(
                f"{other} is {described(value)} and {name} {described(stated)} in one "
                "line; they must agree."
            )


def not_empty(extra: dict[str, Any]) -> dict[str, Any]:
    """Those of the fields that are not empty."""
    return {name: value for name, value in extra.items() if not is_empty(value)}


NO_FACET = ""
"""Stands for the facet of a line that has none."""


@dataclass
class BankTopic:
    """What lines have said of one query.

    ``line_texts`` holds the first ``query_text`` of the lines of each facet,
    ``facet_texts`` every facet seen and its text, None where it is not known.
    """

    line_texts: dict[str, str] = field(default_factory=dict)
    facet_texts: dict[str, str | None] = field(default_factory=dict)

    def note(
        self, facet_id: str | None, query_text: str | None, facet_text: str | None
    ) -> bool:
        """Take a line's texts; returns whether its ``query_text`` is one of its own.

        Its own: other than that of an earlier line of the same facet.
        """
        if facet_id is not None:
            known = self.facet_texts.get(facet_id)
            self.facet_texts[facet_id] = known or facet_text or None
        if not query_text or not query_text.strip():
            return False
        return (
            self.line_texts.setdefault(facet_id or NO_FACET, query_text) != query_text
        )

    def title(self, *, flat: bool) -> str | None:
        """The query's title, None where no line states one.

        Fills in the facets' texts where they stand behind the title. ``flat`` says
        that the lines are of the published CAR bank's form.
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
        if not behind or (not flat and others.count(first) == len(others)):
            return first  # perhaps a title that holds a slash
        self.facet_texts |= {facet: rest for facet, (_, _, rest) in split.items()}
        return title


def take_collections(
    lines: Mapping[str, Sequence[dict[str, Any]]], asked: Collection[str]
) -> dict[str, Any]:
    """The ``test_collection`` of each query's lines, taken from those that name it.

    It is that of the first line that names one. A query without any that is ``asked``
    something has that of the others, if they agree.
    """
    field = "test_collection"
    found: dict[str, Any] = {}
    for query_id, of_query in lines.items():
        for line in of_query:
            if field in line and found.setdefault(query_id, line[field]) == line[field]:
                del line[field]
    only = only_one(found.values())
    if only is None:
        return found
    return dict.fromkeys((one for one in lines if one in asked), only) | found


def only_one(values: Iterable[Any]) -> Any:
    """The value that all of them are, None where they differ or there is none."""
    found = list(values)
    return found[0] if found and found.count(found[0]) == len(found) else None
