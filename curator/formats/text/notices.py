"""Words for what was odd about a file and could be read all the same."""

from __future__ import annotations

from collections.abc import Iterable

NAMED = 8  # names listed in one notice


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 system``, ``1,200 systems``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def missing_grades(number: int, needed: int | None = None) -> str:
    """``1 grade is missing``, ``2 of 30 grades are missing``."""
    be = "is" if number == 1 else "are"
    if needed is None:
        return f"{counted(number, 'grade')} {be} missing"
    return f"{number:,} of {counted(needed, 'grade')} {be} missing"


def listed(names: Iterable[str]) -> str:
    """The first names, sorted, and how many more there are."""
    ordered = sorted(names)
    more = len(ordered) - NAMED
    return ", ".join(ordered[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def left_out(number: int, noun: str, plural: str | None = None) -> str:
    """``2 queries without a kept item are left out.``"""
    be = "is" if number == 1 else "are"
    return f"{counted(number, noun, plural)} {be} left out."
