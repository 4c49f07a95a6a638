"""Words for what was odd about a file and could be read all the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

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


def counted_as_not_answered(number: int) -> str:
    """``2 grades are missing; they count as not answered``, for a sentence to end."""
    count = "it counts" if number == 1 else "they count"
    return f"{missing_grades(number)}; {count} as not answered"


def listed(names: Iterable[str]) -> str:
    """The first names, sorted, and how many more there are."""
    ordered = sorted(names)
    more = len(ordered) - NAMED
    return ", ".join(ordered[:NAMED]) + (f" and {more:,} more" if more > 0 else "")


def left_out(number: int, noun: str, plural: str | None = None) -> str:
    """``2 queries without a kept item are left out.``"""
    be = "is" if number == 1 else "are"
    return f"{counted(number, noun, plural)} {be} left out."


class Oddities:
    """Counts oddities of a file by kind, with a sentence for each kind.

    In a sentence ``[line]`` is the number with its noun, ``[entry/entries]`` one with
    an irregular plural, and ``{}`` the names that were given.
    """

    def __init__(self, sentences: Mapping[str, str]) -> None:
        self._sentences = sentences
        self._numbers: Counter[str] = Counter()
        self._names: defaultdict[str, dict[str, None]] = defaultdict(dict)

    def count(self, kind: str, number: int = 1, name: str | None = None) -> None:
        """Count this kind, under a name to list; 0 and False say nothing."""
        self._numbers[kind] += number
        if name is not None and number:
            self._names[kind][name] = None

    def name(self, kind: str, name: str) -> None:
        """Count this kind by a name; each counts once."""
        self.count(kind, name not in self._names[kind], name)

    def notices(self) -> list[str]:
        """A sentence for each kind that there was."""
        notices = []
        for kind, sentence in self._sentences.items():
            if number := self._numbers[kind]:
                before, noun, after = re.split(r"[][]", sentence, maxsplit=2)
                sentence = f"{before}{counted(number, *noun.split('/'))}{after}"
                notices.append(sentence.replace("{}", listed(self._names[kind])))
        return notices
