"""Gold articles: what a person wrote for a query, as JSON lines or two columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from curator.formats import codec
from curator.formats.parsed_import import ParsedImport
from curator.formats.passages import passages_of, require_same_text
from curator.formats.recognition import file_reader
from curator.formats.text.fields import (
    GOLD,
    fields_kept,
    is_two_columns,
    records_in,
)
from curator.formats.text.json_text import json_line, json_text
from curator.formats.text.lines import TextLines
from curator.formats.text.output_files import output_file
from curator.formats.text.records import Record, error_at, first_field

IDS = ("passage_id", "id", "docid")
EXPECTED = 'gold articles: {"query_id", "text", "passage_id"?} or query_id<TAB>text'
FORMAT = "gold"
"""Extras of this format: ("gold", "<query_id>\\t<passage_id>") -> the other fields of
a line, with the first passage that was made of it."""
_RECORDS = [{"query_id", "text", name} for name in IDS]
LONG_QUERY = 50  # words; a longer text may as well be an article


@file_reader("gold", EXPECTED)
def read_gold(lines: TextLines) -> ParsedImport:
    """The gold articles of a file, JSON lines or two columns as its first line decides.

    Several lines of one query are one article, in their order. A text of more than
    ``MOST_WORDS`` words is cut, at blank lines and where need be between sentences.
    Passages without an id are called ``gold/<query id>/<number>``. Raises
    InputFileError.
    """
    articles: dict[str, dict[str, str]] = {}  # text by passage id, by query
    texts: dict[str, str] = {}
    extras: dict[tuple[str, str, str], str] = {}
    notices: list[str] = []
    for record in records_in(lines, GOLD, notices, ("a query id", "its article")):
        query_id, passage_id, text, extra = _from_record(record)
        if not text.strip():
            raise record.error(
                f"the gold article of query '{query_id}' has no text here; leave "
                "the line out."
            )
        article = articles.setdefault(query_id, {})
        stem = passage_id or f"gold/{query_id}"
        for item, piece in named(text, stem, passage_id is None, len(article)):
            if item in article:
                raise record.error(
                    f"passage '{item}' occurs twice in the gold article of query "
                    f"'{query_id}'; keep one of them."
                )
            require_same_text(record, item, texts.setdefault(item, piece), piece)
            article[item] = piece
            if extra:
                key = ("gold", f"{query_id}\t{item}", FORMAT)
                extras[key], extra = json_text(record, extra), {}
    if not articles:
        message = f"the file holds no article; expected {EXPECTED}."
        raise error_at(lines.path, None, message)
    parsed = ParsedImport(
        lines.path.name, "gold articles", passages=texts, extras=extras, notices=notices
    )
    for query_id, article in articles.items():
        parsed.gold[query_id] = tuple(article)
        parsed.pooled |= dict.fromkeys((query_id, item) for item in article)
    return parsed


def named(text: str, stem: str, numbered: bool, before: int) -> list[tuple[str, str]]:
    """The pieces of one line's text with their ids, made of ``stem``.

    ``numbered``: by their place in the article, in which ``before`` passages come
    first; else by their place in the line, and ``stem`` itself for a whole one.
    """
    pieces = passages_of(text)
    if numbered:
        return [(f"{stem}/{before + i}", p) for i, p in enumerate(pieces, start=1)]
    if len(pieces) == 1:
        return [(stem, text)]
    return [(f"{stem}/{i}", piece) for i, piece in enumerate(pieces, start=1)]


def _from_record(record: Record) -> tuple[str, str | None, str, dict[str, Any]]:
    if record.get("query_id") is None:
        raise record.error("a gold article without a query; expected a field query_id.")
    query_id = record.identifier("query_id")
    id_field = first_field(record, IDS)
    passage_id = None if id_field is None else record.identifier(id_field[0])
    record.of = f"the gold article of '{query_id}'"
    if "text" not in record:
        raise record.error(f"{record.of} has no text; expected a field text.")
    homes = {"query_id", "text", *(name for name in IDS if record.get(name) is None)}
    if id_field is not None:
        homes.add(id_field[0])
    extra = {name: value for name, value in record.items() if name not in homes}
    return query_id, passage_id, record.text("text") or "", extra


def _write(contents: codec.Contents, target: Path) -> codec.WriteResult:
    """The gold articles, a line a passage, in the articles' order."""
    extras, queries = contents.extras(), set()
    with output_file(target) as stream:
        for query_id, passage_id, text in contents.gold():
            record = {"query_id": query_id, "passage_id": passage_id, "text": text}
            extra = fields_kept(extras, "gold", f"{query_id}\t{passage_id}", FORMAT)
            stream.write(json_line(record | extra))
            queries.add(query_id)
    return codec.WriteResult(len(queries), "gold articles")


def _may_be(start: codec.FileStart, option: str | None) -> bool:
    text = start.record.get("text")
    is_long = isinstance(text, str) and len(text.split()) > LONG_QUERY
    match option:
        case None:
            return is_two_columns(start.line, GOLD)
        case "passages":
            return start.has(*_RECORDS)
    return option == "queries" and is_long


def _fits(start: codec.FileStart) -> bool:
    # A passage with its query looks so, too: the name or the ids of the file tell.
    names = [start.path.name, *(str(start.record.get(name)) for name in IDS)]
    return start.has(*_RECORDS) and any("gold" in name.lower() for name in names)


CODECS = (
    codec.Codec(
        "gold",
        codec.Imports(
            option=codec.ImportOption("gold", "gold articles", r"gold"),
            read=read_gold,
            fits=_fits,
            specific=2,
            may_be=_may_be,
        ),
        codec.Exports(
            label="Gold articles",
            what="The passages that answer by right.",
            group=codec.COLLECTION,
            forms=(codec.JSONL,),
            carries=codec.carried("gold articles", extras=("gold",)),
            write=_write,
        ),
    ),
)
