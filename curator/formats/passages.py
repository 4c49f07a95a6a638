"""Passages: JSON lines or two columns in, a JSON record a line out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TextIO

from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import (
    PASSAGES,
    Extras,
    fields_kept,
    filled,
    heading_notice,
    respelled,
    spelling,
)
from curator.formats.text.json_text import json_line, json_text, json_value
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    Place,
    either,
    error_at,
    first_field,
    identifier,
    record_of,
    text_of,
    two_columns,
)

IDS, TEXTS = PASSAGES.ids, PASSAGES.texts
EXPECTED = "passages: a JSON record or passage_id<TAB>text a line"
FORMAT = "passages"
"""Extras of this format: ("passage", passage_id) -> the record's other fields, and
("passage_form", passage_id) -> its spelling, where it is not the usual one."""


_ODD = {
    "empty": "[passage] without text, left out: a rank that names one answers nothing.",
    "repeated": "[line] repeat a passage, counted once.",
}


@file_reader("passages", EXPECTED)
def read_passages(lines: TextLines) -> ParsedImport:
    """The passages of a file, JSON lines or two columns as its first line decides.

    A passage without text is left out, with a notice, and so is one that stands
    twice with the same text. Raises InputFileError, also for an id with two texts.
    """
    parsed = ParsedImport(lines.path.name, "passages")
    columns: bool | None = None
    odd, empty = Oddities(_ODD), False
    for line in lines:
        if columns is None:
            columns = not line.lstrip().startswith(("{", "["))
            if heading := heading_notice(line, PASSAGES):
                parsed.notices += heading
                continue
        if columns:
            passage_id, text = two_columns(lines, line, "a passage id", "its text")
            extra, form = dict[str, Any](), dict[str, Any]()
        else:
            record = record_of(lines, json_value(lines, line), "the line")
            passage_id, text, extra, form = _from_record(lines, record)
        if not text.strip():
            odd.count("empty")
            empty = True
            continue
        known = parsed.passages.setdefault(passage_id, text)
        if known is not text:
            require_same_text(lines, passage_id, known, text)
            odd.count("repeated")
            continue
        for entity, fields in (("passage", extra), ("passage_form", form)):
            if fields:
                kept = json_text(lines, fields)
                parsed.extras[entity, passage_id, FORMAT] = kept
    if not (parsed.passages or empty):
        raise error_at(
            lines.path, None, f"the file holds no passage; expected {EXPECTED}."
        )
    parsed.notices += odd.notices()
    return parsed


def require_same_text(place: Place, passage_id: str, known: str, text: str) -> None:
    """Refuse another text under a known id."""
    if known != text:
        raise place.error(
            f"passage '{passage_id}' has another text here than earlier in the file; "
            "an id stands for one text, so give one of them another id."
        )


def _from_record(
    place: Place, record: dict[str, Any]
) -> tuple[str, str, dict[str, Any], dict[str, Any]]:
    """Its id, its text, its other fields and its spelling."""
    found = first_field(record, IDS)
    if found is None:
        raise place.error(f"a passage without an id; expected a field {either(IDS)}.")
    passage_id = identifier(place, found[1], "passage id")
    fields = [name for name in TEXTS if name in record]
    if not fields:
        raise place.error(
            f"passage '{passage_id}' has no text; expected a field {either(TEXTS)}."
        )
    text = text_of(place, record[fields[0]], f"{fields[0]} of '{passage_id}'") or ""
    homes = (found[0], fields[0])
    extra = {name: value for name, value in record.items() if name not in homes}
    return passage_id, text, extra, spelling(PASSAGES, *homes, found[1])


def write_passages(
    stream: TextIO, passages: Iterable[tuple[str, str]], extras: Extras
) -> int:
    """Write (passage id, text) pairs with their other fields; returns how many."""
    written = 0
    for passage_id, text in passages:
        extra = fields_kept(extras, "passage", passage_id, FORMAT)
        form = fields_kept(extras, "passage_form", passage_id, FORMAT)
        record = respelled(PASSAGES, form, passage_id, text, extra)
        stream.write(json_line(filled(record, extra)))
        written += 1
    return written


def _write(contents: codec.Contents, target: Path) -> codec.Written:
    """Every passage with a text, in the order they came in."""
    extras = contents.extras()
    with output_file(target) as stream:
        written = write_passages(stream, contents.passages(), extras)
    return codec.Written(written, "passages")


def _may_be(record: Mapping[str, Any], found: str | None) -> bool:
    """Whether nothing but an "id" says whose record it is."""
    return found is None and "id" in record and isinstance(record.get("text"), str)


CODECS = (
    codec.Codec(
        "passages",
        codec.Imports(
            option=codec.ImportOption(
                name="passages",
                what="a file of passages",
                label="passages",
                help="Passage texts: JSONL or TSV.",
                sign=r"passage|corpus|paragraph|docs",
            ),
            read=read_passages,
            fits=lambda start: start.has(
                {"passage_id"}, {"paragraph_id"}, {"docid"}, {"id", "contents"}
            ),
            specific=1,
            may_be=_may_be,
            heads=PASSAGES.head,
            others=('"query_id"',),
        ),
        codec.Exports(
            help="Passage texts, JSONL.",
            label="Passages",
            what="Every passage that has a text.",
            group=codec.COLLECTION,
            forms=(codec.JSONL_GZ, codec.JSONL),
            carries=codec.carried(
                "passage texts", "texts in no pool", extras=("passages",)
            ),
            write=_write,
            large=True,
        ),
    ),
)
