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
    ``lines``: in all of its lines. ``test_collection`` of its lines, else the only one
    that the file names; a line of another one says so itself.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
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
    record_of,
)
from curator.formats.text.spreadsheets import is_csv, question_rows, write_csv

EXPECTED = 'a question bank: {"query_id", "query_text", "items": […]} a line'
FORMAT = "autograder"
STATES: dict[str, QuestionState] = {one: one for one in get_args(QuestionState)}


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
        facet_id = record.identifier_or_none("facet_id")
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


def _require_same(place: FileLocation, known: Question, again: Question) -> None:
    for name in Question.__dataclass_fields__:
        values = getattr(known, name), getattr(again, name)
        if values[0] != values[1]:
            raise place.error(
                f"{known.kind} '{known.question_id}' occurs twice with different "
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
                f'has "{name}" as well as "{groups[0]}"; a line is a question or a '
                "list of items, so split it in two."
            )
    for other, name in () if groups else _ALSO_NAMED.items():
        value, stated = record.get(other), record.get(name)
        if value is not None and value != stated and str(value) != str(stated):
            raise record.error(
                f"{other} is {described(value)} and {name} {described(stated)} in one "
                "line; they must agree."
            )


def not_empty(extra: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not empty."""
    return {name: value for name, value in extra.items() if not is_empty(value)}


NO_FACET = ""
"""Stands for the facet of a line that has none."""


@dataclass
class BankTopic:
    """A query, as collected from the lines of a bank.

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


# Out

KEPT: tuple[QuestionState, ...] = ("kept",)


def write_bank(
    stream: TextIO,
    queries: Iterable[Query],
    questions: Iterable[Question],
    *,
    extras: Extras | None = None,
    states: Collection[QuestionState] = KEPT,
    test_collection: str = "",
) -> None:
    """Write one line per query and subtopic, questions and nuggets apart.

    Every query and subtopic given has a line, without items if it has none in one of
    ``states``. ``state`` is said only where it is not "kept". ``extras`` may hold
    those of other formats too. A line of which no extra names a ``test_collection``,
    which the workbench requires, has that of the query's other lines, else the only
    one there is, else ``test_collection``.
    """
    extras = extras or {}
    forms = {
        query_id: fields_kept(extras, entity, query_id, FORMAT)
        for entity, query_id, form in extras
        if (entity, form) == ("bank_form", FORMAT)
    }
    field = "test_collection"
    only = only_one(form[field] for form in forms.values() if field in form)
    by_query = questions_by_query(one for one in questions if one.state in states)
    for query in queries:
        own = by_query.get(query.query_id, [])
        # An item without words came with grades, from no bank.
        added = any(question.text is not None for question in own)
        form = {field: (added and only) or test_collection}
        form |= forms.get(query.query_id, {})
        for line in _lines(query, own, extras, form):
            stream.write(json_line(line))


def _lines(
    query: Query, questions: list[Question], extras: Extras, form: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    facet_texts = {s.subtopic_id: s.text for s in query.subtopics}
    groups: dict[str, dict[Kind, list[Question]]] = {NO_FACET: {}}
    groups.update((facet, {}) for facet in facet_texts)
    for question in questions:
        facet = question.subtopic_id or NO_FACET
        groups.setdefault(facet, {}).setdefault(question.kind, []).append(question)
    in_subtopics = len(groups) > 1
    for facet, by_kind in _in_order(groups, questions):
        extra = fields_kept(extras, "bank_line", f"{query.query_id}\t{facet}", FORMAT)
        if facet == NO_FACET and in_subtopics and not by_kind and not extra:
            continue  # all of the query is in its subtopics
        line: dict[str, Any] = {"query_id": query.query_id}
        if facet != NO_FACET:
            line["facet_id"] = facet
            if facet_texts.get(facet) is not None:
                line["facet_text"] = facet_texts[facet]
        extra = form.get("lines", {}) | extra
        line["test_collection"] = extra.get("test_collection", form["test_collection"])
        line["query_text"] = extra.get("query_text") or query.title or ""
        line = filled(line, extra)
        for members in by_kind.values() or [[]]:
            items = [_item(one, form.get("items", {}), extras) for one in members]
            yield line | {"items": items}


def _in_order(
    groups: dict[str, dict[Kind, list[Question]]], questions: list[Question]
) -> list[tuple[str, dict[Kind, list[Question]]]]:
    """The groups, subtopics in their order, and what has none where it came in.

    So that, read again, questions stand in the order in which they stand here, where
    each subtopic's stand together.
    """
    first: dict[str, int] = {}
    for number, one in enumerate(questions):
        first.setdefault(one.subtopic_id or NO_FACET, number)
    own = groups.pop(NO_FACET), first.get(NO_FACET, -1)
    ordered = list(groups.items())
    before = list(takewhile(lambda one: first.get(one[0], -1) <= own[1], ordered))
    return [*before, (NO_FACET, own[0]), *ordered[len(before) :]]


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
    if question.text is None:  # of which the workspace has no choices
        item |= kept or fields_written((), question.answers, {})
    else:
        item |= fields_written(question.choices, question.answers, kept)
    if question.state != "kept":
        item["state"] = question.state
    if question.provenance != "{}":
        item["provenance"] = json.loads(question.provenance)
    return filled(item, extra)


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The kept questions in the newest form, or as a table in a file of CSV."""
    bank = contents.bank
    if is_csv(target):
        kept = [question for question in bank if question.state == "kept"]
        with output_file(target) as stream:
            write_csv(stream, question_rows(contents.queries, kept))
        return codec.WriteResult(len(kept), "kept items", carries=IN_A_TABLE)
    questions = contents.in_full(bank)
    extras = contents.extras()
    with output_file(target) as stream:
        write_bank(
            stream,
            contents.queries,
            questions,
            extras=extras,
            test_collection=contents.title,
        )
    kept_items = sum(question.state == "kept" for question in questions)
    return codec.WriteResult(kept_items, "kept items")


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
            fits=lambda start: start.has(*({one} for one in GROUPS), FLAT),
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
