"""Passages and gold articles out, a JSON record a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from curator.formats.gold import FORMAT as GOLD
from curator.formats.passages import FORMAT as PASSAGES
from curator.formats.text.empty_fields import filled
from curator.formats.text.field_names import PASSAGES as NAMES
from curator.formats.text.field_names import respelled
from curator.formats.text.json_text import json_line

Extras = Mapping[tuple[str, str, str], str]


def write_passages(
    stream: TextIO, passages: Iterable[tuple[str, str]], extras: Extras
) -> int:
    """Write (passage id, text) pairs with their other fields; returns how many."""
    written = 0
    for passage_id, text in passages:
        extra = _extra(extras, ("passage", passage_id, PASSAGES))
        form = _extra(extras, ("passage_form", passage_id, PASSAGES))
        record = respelled(NAMES, form, passage_id, text, extra)
        stream.write(json_line(filled(record, extra)))
        written += 1
    return written


def write_gold(
    stream: TextIO, passages: Iterable[tuple[str, str, str]], extras: Extras
) -> set[str]:
    """Write (query id, passage id, text) in the articles' order; returns the queries.

    ``extras`` may hold those of other formats too.
    """
    queries = set()
    for query_id, passage_id, text in passages:
        record = {"query_id": query_id, "passage_id": passage_id, "text": text}
        extra = _extra(extras, ("gold", f"{query_id}\t{passage_id}", GOLD))
        stream.write(json_line(record | extra))
        queries.add(query_id)
    return queries


def _extra(extras: Extras, key: tuple[str, str, str]) -> dict[str, Any]:
    text = extras.get(key)
    fields: dict[str, Any] = json.loads(text) if text else {}
    return fields
