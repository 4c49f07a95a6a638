"""What can be exported, as the page lists it: a line for each format."""

from __future__ import annotations

from collections.abc import Collection

from curator.formats.codec import Exports as FileKind
from curator.formats.registry import exports

__all__ = ["FileKind", "kind_of", "offered"]


def offered() -> tuple[FileKind, ...]:
    """The kinds that can be written, in the order of the list."""
    return tuple(exports("page").values())


def kind_of(kinds: Collection[FileKind], name: str | None) -> FileKind:
    """The kind of this name, else the first."""
    return next((one for one in kinds if one.kind == name), next(iter(kinds)))
