"""The names under which files state an id and a text, as fields or as headings.

A record is kept once as it came, where an export would write it otherwise
(``keep_record``), and an export overlays what has changed (``overlaid``).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from curator.formats.text.json_text import json_records, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.records import (
    Record,
    either,
    first_field,
    identifier,
)


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


def records_in(
    lines: TextLines, names: Names, notices: list[str], of: tuple[str, str]
) -> Iterator[Record]:
    """The records of a file; a line of an id, a tab and a text is one as well.

    ``of`` names the two columns in messages. A heading becomes a notice.
    """
    first = lines.peek()
    if first.lstrip().startswith(("{", "[")):
        yield from json_records(lines)
        return
    if names.head(first):
        columns = first.replace("\t", " and ")
        notices.append(f"The first line is read as a heading: {columns}.")
    fields = names.ids[0], names.texts[0]
    for line in islice(lines, len(notices), None):
        cells = line.split("\t")
        if len(cells) != 2:
            raise lines.error(
                f"{len(cells)} columns; expected two, {' and '.join(of)}, with one tab "
                "between."
            )
        yield Record(lines, dict(zip(fields, cells, strict=True)), "the line")


def is_two_columns(line: str, names: Names) -> bool:
    """Return True for an id and a text, unless headings name another family."""
    families = (QUERIES, PASSAGES, GOLD)
    headed = any(family.head(line) for family in families)
    return line.count("\t") == 1 and (names.head(line) or not headed)


def stated_id(record: Record, names: Names, noun: str) -> tuple[str, str]:
    """The field of the record's id and the id. Raises the record's error."""
    id_field = first_field(record, names.ids)
    if id_field is None:
        message = f"a {noun} without an id; expected a field {either(names.ids)}."
        raise record.error(message)
    return id_field[0], identifier(record.at(id_field[0]), id_field[1], f"{noun} id")


def is_empty(value: object) -> bool:
    """Return True for null, "", [] and {}, but not for 0 and false."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def filled(record: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """The record with the kept fields that it does not have or has empty."""
    return {
        **record,
        **{name: value for name, value in kept.items() if is_empty(record.get(name))},
    }


Extras = Mapping[tuple[str, str, str], str]
"""JSON texts by (entity, key, format): fields of files that have no other home here."""

SPELLING = "_spelling"
"""Ends the entity of a record that is kept for its names, order and empty fields."""


def keep_record(
    extras: dict[tuple[str, str, str], str],
    key: tuple[str, str, str],
    record: Record,
    written: Mapping[str, Any],
    homes: Collection[str],
    **replaced: Any,
) -> None:
    """Keep a record as it came where an export would write it otherwise.

    ``written`` is the record that an export makes without it, ``homes`` are the fields
    that are stored elsewhere. ``replaced`` fields are stored with other values.
    """
    if json_text(record, record, in_order=True) == json.dumps(
        written, separators=(",", ":")
    ):
        return
    entity, *place = key
    if all(name in homes or is_empty(value) for name, value in record.items()):
        entity += SPELLING
    stored = json_text(record, record | replaced, in_order=True)
    extras[entity, place[0], place[1]] = stored


def kept_record(extras: Extras, entity: str, key: str, form: str) -> dict[str, Any]:
    """The record that ``keep_record`` kept; empty for none."""
    kept = fields_kept(extras, entity, key, form)
    return kept or fields_kept(extras, entity + SPELLING, key, form)


def overlaid(
    imported: Mapping[str, Any], now: Mapping[str, Any], homes: Collection[str]
) -> dict[str, Any]:
    """The imported record with the fields that are stored elsewhere as they are now.

    A field of ``homes`` that says nothing now is left out unless it came empty.
    """
    kept = {
        name: value
        for name, value in imported.items()
        if name in now or name not in homes or is_empty(value)
    }
    return kept | dict(now)


def id_and_text(
    imported: Mapping[str, Any], names: Names, item_id: str, text: str
) -> dict[str, Any]:
    """The fields of the id and the text, named as in the imported record.

    There the text is "".
    """
    ids = (name for name in names.ids if str(imported.get(name)) == item_id)
    id_field = next(ids, names.ids[0])
    texts = (name for name in names.texts if imported.get(name) == "")
    return {
        id_field: imported.get(id_field, item_id),
        next(texts, names.texts[0]): text,
    }


def fields_kept(extras: Extras, entity: str, key: str, form: str) -> dict[str, Any]:
    """The fields kept under this key, those of a fresh object; empty for none."""
    text = extras.get((entity, key, form))
    fields: dict[str, Any] = json.loads(text) if text else {}
    return fields
