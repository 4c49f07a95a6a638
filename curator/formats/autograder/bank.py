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
from typing import Any

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
from curator.formats.text.json_text import json_text, json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.records import (
    Place,
    described,
    either,
    identifier,
    list_of,
    record_of,
    text_of,
)

EXPECTED = 'a question bank: {"query_id", "query_text", "items": […]} a line'
FORMAT = "autograder"
STATES: dict[str, QuestionState] = {
    "kept": "kept",
    "proposed": "proposed",
    "retired": "retired",
}


@file_reader("bank", EXPECTED)
def read_bank(lines: TextLines) -> ParsedImport:
    """The questions and nuggets of a bank, with their queries and subtopics.

    A question that stands more than once counts once, with a notice. Raises
    InputFileError, also for one id with two texts.
    """
    reading = _Reading(lines)
    for text in lines:
        reading.add_line(record_of(lines, json_value(lines, text), "the line"))
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
        self.place = lines
        self.parsed = ParsedImport(lines.path.name, "a question bank")
        self.topics: dict[str, BankTopic] = {}
        self.flat: set[str] = set()  # queries with lines of the flat form
        self.line_extras: dict[tuple[str, str], dict[str, Any]] = {}
        self.item_extras: dict[str, dict[str, dict[str, Any]]] = {}  # by query, item
        self.unasked_choices: set[str] = set()  # questions without words
        self.odd = Oddities(_ODD)

    def add_line(self, record: dict[str, Any]) -> None:
        place = self.place
        groups = [name for name in GROUPS if name in record]
        if len(groups) == 2:
            raise place.error(f"has both {either(GROUPS)}; keep one of the lists.")
        if not groups and "qid" not in record:
            raise place.error(
                f"no questions here; expected a field {either((*GROUPS, 'qid'))}."
            )
        refuse_two_forms(place, record, groups)
        query_id = identifier(place, record.get("query_id"), "query_id")
        facet_id = self._facet(record)
        self._note_texts(record, query_id, facet_id)
        if not groups:
            self.flat.add(query_id)
            self._add_question(
                record, query_id, facet_id, "question", "qid", "question", FLAT_FIELDS
            )
            return
        extra = other_fields(record, LINE_FIELDS, LINE_EMPTY)
        if is_empty(extra.get("test_collection")):
            extra.pop("test_collection", None)  # what an export that knows none says
        kept = self.line_extras.setdefault((query_id, facet_id or NO_FACET), extra)
        self.odd.count("fields", not_empty(kept) != not_empty(extra))
        for value in list_of(place, record[groups[0]], groups[0]):
            item = record_of(place, value, f"an entry of {groups[0]}")
            own_query = item.get("query_id")
            if own_query is not None and (
                identifier(place, own_query, "query_id") != query_id
            ):
                raise place.error(
                    f"an item names query_id {described(own_query)} in the line of "
                    f"query '{query_id}'; they must agree."
                )
            own_facet = self._facet(item)
            if own_facet is not None:
                self.topics[query_id].facet_texts.setdefault(own_facet, None)
            nugget = "nugget_id" in item
            if nugget == ("question_id" in item):
                raise place.error(
                    f"an item of query '{query_id}' has both or none of "
                    '"question_id" and "nugget_id"; expected one.'
                )
            kind: Kind = "nugget" if nugget else "question"
            self._add_question(
                item,
                query_id,
                own_facet or facet_id,
                kind,
                f"{kind}_id",
                f"{kind}_text",
                ITEM_FIELDS[kind],
            )

    def _facet(self, record: dict[str, Any]) -> str | None:
        facet_id = record.get("facet_id")
        return (
            None if facet_id is None else identifier(self.place, facet_id, "facet_id")
        )

    def _note_texts(
        self, record: dict[str, Any], query_id: str, facet_id: str | None
    ) -> None:
        query_text = text_of(self.place, record.get("query_text"), "query_text")
        facet_text = text_of(self.place, record.get("facet_text"), "facet_text")
        topic = self.topics.setdefault(query_id, BankTopic())
        self.odd.count("text", topic.note(facet_id, query_text, facet_text))

    def _add_question(
        self,
        item: dict[str, Any],
        query_id: str,
        facet_id: str | None,
        kind: Kind,
        id_field: str,
        text_field: str,
        homes: set[str],
    ) -> None:
        place = self.place
        question_id = identifier(place, item.get(id_field), id_field)
        words = text_of(place, item.get(text_field), f"{text_field} of '{question_id}'")
        text = words if words and words.strip() else None
        if text is None:
            self.odd.name("no words", question_id)
        choices = choices_of(place, item, question_id)
        answers = answers_of(place, item, choices, question_id)
        question = Question(
            question_id,
            query_id,
            text,
            kind,
            self._state(item, question_id),
            facet_id,
            choices,
            answers,
            self._provenance(item, question_id),
        )
        known = self.parsed.questions.setdefault(question_id, question)
        if known is not question:
            self._require_same(known, question)
            self.odd.count("repeated")
            return
        extra = other_fields(item, homes, ITEM_EMPTY)
        extra |= written_otherwise(item, choices, answers)
        if words is not None and text is None:
            extra[f"{kind}_text"] = words
        if text is None:  # of what has no words nothing is asked
            extra |= {name: item[name] for name in KEY_FIELDS if name in item}
            if choices:
                self.unasked_choices.add(question_id)
                self.odd.name("unasked", question_id)
        self.item_extras.setdefault(query_id, {})[question_id] = extra

    def _state(self, item: dict[str, Any], question_id: str) -> QuestionState:
        state = item.get("state")
        if state is None:
            return "kept"
        if not isinstance(state, str) or state not in STATES:
            raise self.place.error(
                f"state of '{question_id}' is {described(state)}; expected "
                f"{either(tuple(STATES))}."
            )
        return STATES[state]

    def _provenance(self, item: dict[str, Any], question_id: str) -> str:
        value = item.get("provenance")
        if value is None:
            return "{}"
        record_of(self.place, value, f"provenance of '{question_id}'")
        return json_text(self.place, value)

    def _require_same(self, known: Question, again: Question) -> None:
        if known == again:
            return
        differing = next(
            name
            for name in Question.__dataclass_fields__
            if getattr(known, name) != getattr(again, name)
        )
        raise self.place.error(
            f"{known.kind} '{known.question_id}' stands twice with different "
            f"{differing}: {described(getattr(known, differing))} and "
            f"{described(getattr(again, differing))}; keep one of them."
        )

    def result(self) -> ParsedImport:
        """The whole bank, with titles found and notices."""
        parsed = self.parsed
        for question_id in self.unasked_choices:
            known = parsed.questions[question_id]
            parsed.questions[question_id] = replace(known, choices=())
        for query_id, topic in self.topics.items():
            title = topic.title(flat=query_id in self.flat)
            parsed.queries[query_id] = Query(
                query_id,
                title,
                subtopics=tuple(Subtopic(i, t) for i, t in topic.facet_texts.items()),
            )
            for facet, text in topic.line_texts.items():
                if text != title:
                    extra = self.line_extras.setdefault((query_id, facet), {})
                    extra["query_text"] = text
        self._keep_extras()
        parsed.notices += self.odd.notices()
        return parsed

    def _keep_extras(self) -> None:
        place, extras = self.place, self.parsed.extras
        lines: dict[str, list[dict[str, Any]]] = {}
        for (query_id, _), extra in self.line_extras.items():
            lines.setdefault(query_id, []).append(extra)
        questions = self.parsed.questions.values()
        asked = {one.query_id for one in questions if one.text is not None}
        collections = take_collections(lines, asked)
        for query_id in self.topics:
            form = {
                "items": take_common(self.item_extras.get(query_id, {}).values()),
                "lines": take_common(lines.get(query_id, [])),
                "test_collection": collections.get(query_id),
            }
            if form := not_empty(form):
                extras["bank_form", query_id, FORMAT] = json_text(place, form)
            for question_id, extra in self.item_extras.get(query_id, {}).items():
                if extra:
                    key = ("question", question_id, FORMAT)
                    extras[key] = json_text(place, extra)
        for (query_id, facet), extra in self.line_extras.items():
            if extra:
                key = ("bank_line", f"{query_id}\t{facet}", FORMAT)
                extras[key] = json_text(place, extra)


GROUPS = ("items", "questions")
LINE_FIELDS = {"query_id", "query_text", "facet_id", "facet_text", *GROUPS}
FLAT = ("qid", "question")
_ALSO_NAMED = {"question_id": "qid", "question_text": "question", "nugget_id": "qid"}
_OWN_FIELDS = {"query_id", "facet_id", "state", "provenance", *KEY_FIELDS}
ITEM_FIELDS: dict[Kind, set[str]] = {
    "question": _OWN_FIELDS | {"question_id", "question_text"},
    "nugget": _OWN_FIELDS | {"nugget_id", "nugget_text"},
}
FLAT_FIELDS = _OWN_FIELDS | {"query_text", "facet_text", *FLAT, *_ALSO_NAMED}
# Fields with a home that say nothing when they are empty.
LINE_EMPTY = {"facet_id", "facet_text"}
ITEM_EMPTY = {"query_id", "facet_id", "state", "provenance"}


def refuse_two_forms(
    place: Place, record: dict[str, Any], groups: Sequence[str]
) -> None:
    """Raise the place's error for a line that is a question and a list of them.

    ``groups`` are those of GROUPS that it has; the ``qid`` beside one may be the
    query's. A question may be named as an item is, too, if it is named alike.
    """
    for name in FLAT if groups else ():
        value = record.get(name)
        if value is not None and (name, value) != ("qid", record.get("query_id")):
            raise place.error(
                f'has "{name}" beside "{groups[0]}"; a line is a question or a list '
                "of items, part it into two."
            )
    for other, name in () if groups else _ALSO_NAMED.items():
        value, stated = record.get(other), record.get(name)
        if value is not None and value != stated and str(value) != str(stated):
            raise place.error(
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
        key = NO_FACET if facet_id is None else facet_id
        return self.line_texts.setdefault(key, query_text) != query_text

    def title(self, *, flat: bool) -> str | None:
        """The query's title, None where no line states one.

        Fills in the facets' texts where they stand behind the title. ``flat`` says
        that the lines are of the published CAR bank's form.
        """
        texts = self.line_texts
        if not texts:
            return None
        if NO_FACET in texts:
            return texts[NO_FACET]
        for facet, text in self.facet_texts.items():
            if text is not None and facet in texts:
                return texts[facet].removesuffix(f" / {text}")
        heads = {text.partition(" / ")[0] for text in texts.values()}
        same = len(set(texts.values())) == 1
        if len(heads) > 1 or any(" / " not in t for t in texts.values()):
            return next(iter(texts.values()))
        if same and not flat:
            return next(iter(texts.values()))  # a title that holds a slash
        for facet, text in texts.items():
            self.facet_texts[facet] = text.partition(" / ")[2]
        return heads.pop()


def take_collections(
    lines: Mapping[str, Sequence[dict[str, Any]]], asked: Collection[str]
) -> dict[str, Any]:
    """The ``test_collection`` of each query's lines, taken from those that name it.

    It is that of the first line that names one. A query without any that is ``asked``
    something has that of the others, if they agree.
    """
    field = "test_collection"
    named = {
        query_id: next(line[field] for line in of_query if field in line)
        for query_id, of_query in lines.items()
        if any(field in line for line in of_query)
    }
    for query_id, name in named.items():
        for line in lines[query_id]:
            if field in line and line[field] == name:
                del line[field]
    only = only_one(named.values())
    others = dict.fromkeys((one for one in lines if one in asked), only)
    return named if only is None else others | named


def only_one(values: Iterable[Any]) -> Any:
    """The value that all of them are, None where they differ or there is none."""
    found = list(values)
    return found[0] if found and found.count(found[0]) == len(found) else None
