"""Fields that came empty: null, "", [] or {}. They say nothing, and go out again.

Files that have one at all mostly have it in every record, where it is kept once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any


def is_empty(value: object) -> bool:
    """Whether it is null, "", [] or {}; 0 and false say something."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def empty_among(record: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Those of the named fields that the record has and that are empty."""
    return {n: v for n, v in record.items() if n in names and is_empty(v)}


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
