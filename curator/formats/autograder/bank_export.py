"""Question banks out, in the newest Autograder form (``items``)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Any, TextIO

from curator.bank.questions import (
    Kind,
    Question,
    QuestionState,
    questions_by_query,
)
from curator.collection.queries import Query
from curator.formats import codec
from curator.formats.autograder.answer_keys import FIELDS, fields_written
from curator.formats.autograder.bank import (
    FLAT,
    FORMAT,
    GROUPS,
    NO_FACET,
    only_one,
    read_bank,
)
from curator.formats.text.fields import Extras, fields_kept, filled
from curator.formats.text.json_text import json_line
from curator.formats.text.output_files import output_file
from curator.formats.text.spreadsheets import is_csv, question_rows, write_csv

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
    collections = {
        query_id: form["test_collection"]
        for query_id, form in forms.items()
        if "test_collection" in form
    }
    only = only_one(collections.values()) or test_collection
    by_query = questions_by_query(one for one in questions if one.state in states)
    for query in queries:
        own = by_query.get(query.query_id, [])
        # An item without words came with grades, from no bank.
        added = any(question.text is not None for question in own)
        name = collections.get(query.query_id, only if added else test_collection)
        form = {"test_collection": name} | forms.get(query.query_id, {})
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
    kept = {name: extra.pop(name) for name in FIELDS if name in extra}
    if question.text is None:  # of which the workspace has no choices
        item |= kept or fields_written((), question.answers, {})
    else:
        item |= fields_written(question.choices, question.answers, kept)
    if question.state != "kept":
        item["state"] = question.state
    if question.provenance != "{}":
        item["provenance"] = json.loads(question.provenance)
    return filled(item, extra)


def _write(contents: codec.Contents, target: Path) -> codec.Written:
    """The kept questions in the newest form, or as a table in a file of CSV."""
    bank = contents.bank
    if is_csv(target):
        kept = [question for question in bank if question.state == "kept"]
        with output_file(target) as stream:
            write_csv(stream, question_rows(contents.queries, kept))
        return codec.Written(len(kept), "kept items", carries=IN_A_TABLE)
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
    return codec.Written(kept_items, "kept items")


BANK_OPTION = codec.ImportOption(
    name="bank",
    what="a question bank",
    label="question bank",
    help="Question bank: {}.",
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
            help="The kept questions, Autograder form; a table as .csv.",
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
