"""Passages: JSON lines or two columns in, a JSON record a line out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from curator.errors import ImportConflictError
from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.recognition import file_reader
from curator.formats.text.fields import (
    PASSAGES,
    Extras,
    id_and_text,
    is_two_columns,
    keep_record,
    kept_record,
    overlaid,
    records_in,
    stated_id,
)
from curator.formats.text.json_text import json_line
from curator.formats.text.lines import TextLines
from curator.formats.text.notices import Oddities
from curator.formats.text.output_files import output_file
from curator.formats.text.records import (
    FileLocation,
    Record,
    either,
    error_at,
)
from grading.highlight import sentences

TEXTS = PASSAGES.texts
EXPECTED = "passages: JSON records, or passage_id<TAB>text a line"
BEIR_ID = "_id"  # of BEIR, whose models read the title, a blank and the text
FORMAT = "passages"
"""The extra ("passage", passage_id) of this format is the record (``keep_record``)
without its text."""

MOST_WORDS = 400  # of one passage, so that a grader sees it whole
SEGMENT_WORDS = 150
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")

_ODD = {
    "empty": "[passage] without text, left out: their ranks count as answering "
    "nothing.",
    "repeated": "[line] repeat a passage, counted once.",
}


@file_reader("passages", EXPECTED)
def read_passages(lines: TextLines) -> ParsedImport:
    """The passages of a file: JSON records, or two columns.

    A passage without text is left out, with a notice, and so is one that stands
    twice with the same text. Raises InputFileError, also for an id with two texts.
    """
    parsed = ParsedImport(lines.path.name, "passages")
    odd, empty = Oddities(_ODD), False
    columns = "a passage id", "its text"
    for record in records_in(lines, PASSAGES, parsed.notices, columns):
        passage_id, text_field, text = _from_record(record)
        if not text.strip():
            odd.count("empty")
            empty = True
            continue
        stored = parsed.passages.setdefault(passage_id, text)
        if stored is not text:
            require_same_text(record, passage_id, stored, text)
            odd.count("repeated")
            continue
        keep_record(
            parsed.extras,
            ("passage", passage_id, FORMAT),
            record,
            {"passage_id": passage_id, "text": text},
            (*PASSAGES.ids, text_field),
            **{text_field: ""},
        )
    if not (parsed.passages or empty):
        message = f"the file holds no passage; expected {EXPECTED}."
        raise error_at(lines.path, None, message)
    parsed.notices += odd.notices()
    return parsed


def require_same_text(
    place: FileLocation, passage_id: str, stored: str, text: str
) -> None:
    """Refuse another text under a known id."""
    if stored != text:
        raise place.error(
            f"passage '{passage_id}' has another text here than earlier in the file; "
            "an id has one text, so give one of them another id."
        )


def _from_record(record: Record) -> tuple[str, str, str]:
    """The id, the field of the text, and the text."""
    id_field, passage_id = stated_id(record, PASSAGES, "passage")
    text_field = next((name for name in TEXTS if name in record), None)
    if text_field is None:
        raise record.error(
            f"passage '{passage_id}' has no text; expected a field {either(TEXTS)}."
        )
    record.of = f"'{passage_id}'"
    text = record.text(text_field) or ""
    if id_field == BEIR_ID and (title := record.words("title")) and text.strip():
        text = f"{title} {text}"
    return passage_id, text_field, text


def passages_of(text: str, *, most: int = MOST_WORDS) -> list[str]:
    """Split the text into pieces of at most ``most`` words.

    Cut at blank lines; a paragraph that is longer is cut between sentences, and a
    sentence never. Neighbours stay together as long as they fit.
    """
    if len(text.split()) <= most:
        return [text]
    segments: list[str] = []
    start, end, words = 0, 0, 0
    for piece_start, piece_end in _pieces(text, most):
        more = len(text[piece_start:piece_end].split())
        if words and words + more > most:
            segments.append(text[start:end])
            words = 0
        if not words:
            start = piece_start
        words += more
        end = piece_end
    return [*segments, text[start:end]]


def _pieces(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Character spans of the paragraphs, and of the sentences of those too long."""
    start = 0
    for end, following in (
        *((blank.start(), blank.end()) for blank in _BLANK_LINE.finditer(text)),
        (len(text), len(text)),
    ):
        paragraph = text[start:end]
        if len(paragraph.split()) > most:
            for first, last in sentences(paragraph):
                yield start + first, start + last
        elif paragraph.strip():
            yield start, end
        start = following


def in_segments(parsed: ParsedImport) -> ParsedImport:
    """The import with its passages cut into segments, which graders see in their place.

    Cut as gold articles are, into up to ``SEGMENT_WORDS`` words; a segment of ``d`` is
    called ``d#1`` and so on. A passage of one segment is its own, and stays as it is.
    """
    cut = {
        item: passages_of(t, most=SEGMENT_WORDS) for item, t in parsed.passages.items()
    }
    passages, segments = dict(parsed.passages), dict[str, tuple[str, ...]]()
    for passage_id, pieces in cut.items():
        if len(pieces) > 1:
            named = {f"{passage_id}#{i}": piece for i, piece in enumerate(pieces, 1)}
            for item, piece in named.items():
                if passages.setdefault(item, piece) != piece:
                    raise ImportConflictError(
                        parsed.source,
                        f"passage '{item}' has another text than that segment of "
                        f"'{passage_id}'; give one of them another id.",
                        (item,),
                    )
            segments[passage_id] = tuple(named)
    return replace(parsed, passages=passages, segments=segments)


def write_passages(
    stream: TextIO, passages: Iterable[tuple[str, str]], extras: Extras
) -> int:
    """Write (passage id, text) pairs with their other fields; returns how many."""
    written = 0
    for passage_id, text in passages:
        imported = kept_record(extras, "passage", passage_id, FORMAT)
        record = id_and_text(imported, PASSAGES, passage_id, text)
        if BEIR_ID in record and (title := imported.get("title")):
            record["text"] = text.removeprefix(f"{title} ")
        stream.write(json_line(overlaid(imported, record, ())))
        written += 1
    return written


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """Every passage with a text, in the order they came in."""
    extras = contents.extras()
    with output_file(target) as stream:
        written = write_passages(stream, contents.passages(), extras)
    return codec.WriteResult(written, "passages")


def _may_be(start: codec.FileStart, option: str | None) -> bool:
    is_unclear = start.has({"id", "text"}) or is_two_columns(start.line, PASSAGES)
    return option is None and is_unclear


CODECS = (
    codec.Codec(
        "passages",
        codec.Imports(
            option=codec.ImportOption(
                "passages", "passages", r"passage|corpus|paragraph|docs"
            ),
            read=read_passages,
            fits=lambda start: start.has(
                {"passage_id"},
                {"paragraph_id"},
                {"docid"},
                {"id", "contents"},
                {"_id", "title", "text"},
            ),
            specific=1,
            may_be=_may_be,
        ),
        codec.Exports(
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
