"""Files that operating systems leave in folders and archives without being asked."""

from __future__ import annotations

from collections.abc import Iterable

from curator.formats.text.notices import listed
from curator.formats.text.records import on_one_line

_NAMES = {"__macosx", ".ds_store", "icon\r", "thumbs.db", "desktop.ini"}


def is_system_file(path: str) -> bool:
    """Return True for a path that macOS or Windows made by itself."""
    parts = path.replace("\\", "/").split("/")
    return any(part.casefold() in _NAMES or part.startswith("._") for part in parts)


def system_files_notice(paths: Iterable[str]) -> list[str]:
    """A notice that names the system files among these paths; empty without any."""
    left_out = [on_one_line(path) for path in paths if is_system_file(path)]
    if not left_out:
        return []
    return [f"Files of the operating system, left out: {listed(left_out)}."]
