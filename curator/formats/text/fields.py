"""The names under which files state an id and a text, as fields or as headings.

And the *spelling* of a record: under which of these names its id and its text came,
and whether the id came as a number, so that an export can write it so again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator.formats.text.json_text import line_record
from curator.formats.text.lines import TextLines
from curator.formats.text.records import Record, either, first_field, identifier


@dataclass(frozen=True)
class Names:
    """Of one family: the fields of the id and of the text, the usual ones first.

    ``more_ids`` and ``more_texts`` are read as headings of two columns only.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    more_ids: tuple[str, ...] = ()
    more_texts: tuple[str, ...] = ()

    def head(self, line: str) -> bool:
        """Return True if the line is a heading, ``query_id<TAB>text``."""
        match line.split("\t"):
            case [first, second]:
                return (
                    first in self.ids + self.more_ids
                    and second in self.texts + self.more_texts
                )
        return False


QUERIES = Names(
    ("query_id", "request_id", "id", "_id"),
    ("text", "title", "title_query"),
    ("qid", "topic_id"),
    ("query",),
)
PASSAGES = Names(
    ("passage_id", "paragraph_id", "docid", "id", "_id"),
    ("text", "contents"),
    ("pid", "docno", "doc_id"),
    ("passage",),
)
GOLD = Names(("query_id",), ("text",))

OF_RECORDS = {
    *(
        name
        for names in (QUERIES, PASSAGES, GOLD)
        for name in names.ids + names.more_ids
    ),
    *("corpus_id", "document_id", "number", "topic", "narrative_id"),
    *("run_id", "team_id", "facet_id", "subtopic_id", "question_id", "nugget_id"),
    *("claim_id", "globalID", "paragraphId", "queryId"),
}
"""Fields by which any of the formats here, and of their neighbours, states an id."""


def field_of_a_record(keys: Mapping[str, Any]) -> str | None:
    """The first key that is a record's id field, so that the object is no map of ids.

    Nobody calls a query or a system so, and a record that is taken for a map becomes
    queries called "docid" and "title".
    """
    return next((key for key in keys if key in OF_RECORDS), None)


def heading_notice(line: str, names: Names) -> tuple[str, ...]:
    """A notice where the line is a heading; else nothing."""
    if not names.head(line):
        return ()
    columns = line.replace("\t", " and ")
    return (f"The first line is read as a heading: {columns}.",)


def rows(lines: TextLines, names: Names, notices: list[str]) -> Iterator[Record | str]:
    """The lines, as objects unless the first is none; a heading becomes a notice."""
    columns: bool | None = None
    for line in lines:
        if columns is None:
            columns = not line.lstrip().startswith(("{", "["))
            if heading := heading_notice(line, names):
                notices += heading
                continue
        yield line if columns else line_record(lines, line)


def stated_id(record: Record, names: Names, noun: str) -> tuple[str, str]:
    """The field of the record's id and the id. Raises the record's error."""
    found = first_field(record, names.ids)
    if found is None:
        message = f"a {noun} without an id; expected a field {either(names.ids)}."
        raise record.error(message)
    return found[0], identifier(record.at(found[0]), found[1], f"{noun} id")


def other_fields(
    record: Mapping[str, Any], homes: Collection[str], often_empty: Collection[str] = ()
) -> dict[str, Any]:
    """Return a record's unknown fields, and its empty ones of ``often_empty``."""
    return {
        name: value
        for name, value in record.items()
        if name not in homes or (name in often_empty and is_empty(value))
    }


def spelling(
    names: Names, id_field: str, text_field: str, value: object
) -> dict[str, Any]:
    """Return what ``respelled`` needs to restore a record's spelling.

    ``value`` is the id as it came.
    """
    found: dict[str, Any] = {}
    if id_field != names.ids[0]:
        found["id"] = id_field
    if text_field != names.texts[0]:
        found["text"] = text_field
    if not isinstance(value, str):
        found["number"] = True
    return found


def respelled(
    names: Names,
    form: Mapping[str, Any],
    found_id: str,
    text: str,
    others: Mapping[str, Any],
) -> dict[str, Any]:
    """The fields of the id and the text, named as ``spelling`` found them.

    Named as usual where one of ``others``, the record's other fields, would be taken
    for the id or for the text instead.
    """
    id_field = _unless_hidden(form.get("id"), names.ids, others)
    text_field = _unless_hidden(form.get("text"), names.texts, others)
    value = int(found_id) if form.get("number") else found_id
    return {id_field: value, text_field: text}


def _unless_hidden(
    field: str | None, names: Sequence[str], others: Mapping[str, Any]
) -> str:
    if field is None or field not in names:
        return names[0]
    before = names[: names.index(field) + 1]
    hidden = any(others.get(name) is not None for name in before)
    return names[0] if hidden else field


def is_empty(value: object) -> bool:
    """Return True for null, "", [] and {}, but not for 0 and false."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def take_common(
    records: Collection[dict[str, Any]], *, nulls_only: bool = False
) -> dict[str, Any]:
    """Remove from every record, and return, the empty fields that all have alike."""
    first: dict[str, Any] = next(iter(records), {})
    common = {
        name: value
        for name, value in first.items()
        if (value is None if nulls_only else is_empty(value))
        and all(name in record and record[name] == value for record in records)
    }
    for record in records:
        for name in common:
            del record[name]
    return common


def filled(record: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """The record with the kept fields that it does not have or has empty."""
    return {
        **record,
        **{name: value for name, value in kept.items() if is_empty(record.get(name))},
    }


Extras = Mapping[tuple[str, str, str], str]
"""JSON texts by (entity, key, format): fields of files that have no other home here."""


def fields_kept(extras: Extras, entity: str, key: str, form: str) -> dict[str, Any]:
    """The fields kept under this key, those of a fresh object; empty for none."""
    text = extras.get((entity, key, form))
    fields: dict[str, Any] = json.loads(text) if text else {}
    return fields
