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

from dataclasses import replace
from pathlib import Path
from typing import Any

from curator.bank.questions import Kind, Question, QuestionState
from curator.collection.queries import Query, Subtopic
from curator.formats.autograder.answer_keys import FIELDS as KEY_FIELDS
from curator.formats.autograder.answer_keys import (
    answers_of,
    choices_of,
    written_otherwise,
)
from curator.formats.autograder.bank_fields import (
    FLAT_FIELDS,
    GROUPS,
    ITEM_EMPTY,
    ITEM_FIELDS,
    LINE_EMPTY,
    LINE_FIELDS,
    other_fields,
    refuse_two_forms,
    said_of,
)
from curator.formats.autograder.bank_topics import NO_FACET, BankTopic, take_collections
from curator.formats.parsed_import import Incoming, Progress
from curator.formats.recognition import wrong_file_hint
from curator.formats.text.empty_fields import is_empty, take_common
from curator.formats.text.json_text import json_text, json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import counted, listed
from curator.formats.text.records import (
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


def read_bank(path: Path, *, progress: Progress | None = None) -> Incoming:
    """The questions and nuggets of a bank, with their queries and subtopics.

    A question that stands more than once counts once, with a notice. Raises
    InputFileError, also for one id with two texts.
    """
    with wrong_file_hint(path, "bank"):
        lines = TextLines(path, expected=EXPECTED, progress=progress)
        reading = _Reading(lines)
        for text in lines:
            reading.add_line(record_of(lines, json_value(lines, text), "the line"))
        return reading.result()


class _Reading:
    def __init__(self, lines: TextLines) -> None:
        self.place = lines
        self.incoming = Incoming(lines.path.name, "a question bank")
        self.topics: dict[str, BankTopic] = {}
        self.flat: set[str] = set()  # queries with lines of the flat form
        self.line_extras: dict[tuple[str, str], dict[str, Any]] = {}
        self.item_extras: dict[str, dict[str, dict[str, Any]]] = {}  # by query, item
        self.without_words: set[str] = set()
        self.unasked_choices: set[str] = set()  # questions without words
        self.repeated = self.other_texts = self.other_extras = 0

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
        self.other_extras += said_of(kept) != said_of(extra)
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
        self.other_texts += topic.note(facet_id, query_text, facet_text)

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
            self.without_words.add(question_id)
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
        known = self.incoming.questions.setdefault(question_id, question)
        if known is not question:
            self._require_same(known, question)
            self.repeated += 1
            return
        extra = other_fields(item, homes, ITEM_EMPTY)
        extra |= written_otherwise(item, choices, answers)
        if words is not None and text is None:
            extra[f"{kind}_text"] = words
        if text is None:  # of what has no words nothing is asked
            extra |= {name: item[name] for name in KEY_FIELDS if name in item}
            if choices:
                self.unasked_choices.add(question_id)
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

    def result(self) -> Incoming:
        """The whole bank, with titles found and notices."""
        incoming = self.incoming
        for question_id in self.unasked_choices:
            known = incoming.questions[question_id]
            incoming.questions[question_id] = replace(known, choices=())
        for query_id, topic in self.topics.items():
            title = topic.title(flat=query_id in self.flat)
            incoming.queries[query_id] = Query(
                query_id,
                title,
                subtopics=tuple(Subtopic(i, t) for i, t in topic.facet_texts.items()),
            )
            for facet, text in topic.line_texts.items():
                if text != title:
                    extra = self.line_extras.setdefault((query_id, facet), {})
                    extra["query_text"] = text
        self._keep_extras()
        if self.repeated:
            incoming.notices.append(
                f"{counted(self.repeated, 'line or item', 'lines or items')} repeat a "
                "question of the same id and text, counted once."
            )
        if self.without_words:
            incoming.notices.append(
                f"{counted(len(self.without_words), 'item')} without any words, "
                f"known by id only: {listed(self.without_words)}."
            )
        if self.unasked_choices:
            incoming.notices.append(
                f"The choices of {counted(len(self.unasked_choices), 'item')} "
                f"without words are kept for an export: {listed(self.unasked_choices)}."
            )
        if self.other_texts:
            incoming.notices.append(
                f"{counted(self.other_texts, 'line')} with another query_text than the "
                "first of the same query and facet, which is kept."
            )
        if self.other_extras:
            incoming.notices.append(
                f"{counted(self.other_extras, 'line')} with other fields than the "
                "first of the same query and facet, whose are kept."
            )
        return incoming

    def _keep_extras(self) -> None:
        place, extras = self.place, self.incoming.extras
        lines: dict[str, list[dict[str, Any]]] = {}
        for (query_id, _), extra in self.line_extras.items():
            lines.setdefault(query_id, []).append(extra)
        questions = self.incoming.questions.values()
        asked = {one.query_id for one in questions if one.text is not None}
        collections = take_collections(lines, asked)
        for query_id in self.topics:
            form = {
                "items": take_common(self.item_extras.get(query_id, {}).values()),
                "lines": take_common(lines.get(query_id, [])),
                "test_collection": collections.get(query_id),
            }
            if form := said_of(form):
                extras["bank_form", query_id, FORMAT] = json_text(place, form)
            for question_id, extra in self.item_extras.get(query_id, {}).items():
                if extra:
                    key = ("question", question_id, FORMAT)
                    extras[key] = json_text(place, extra)
        for (query_id, facet), extra in self.line_extras.items():
            if extra:
                key = ("bank_line", f"{query_id}\t{facet}", FORMAT)
                extras[key] = json_text(place, extra)
