"""Words for what was odd about a file and could be read all the same.

Also for ids of a file that match none in the workspace, and the ids that they may mean.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

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


COMPARED_UNMATCHED, COMPARED_KNOWN = 1_000, 100_000
"""How many ids of a file, and of the workspace, are compared with each other."""

_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
# Where an id may be cut: between a letter and a digit, or at what parts them.
_CUT = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)|[\W_]+")


def unmatched_notice(
    title: str, unmatched: Collection[str], ids_here: Iterable[str]
) -> list[str]:
    """A notice that counts and names the ids, and what they may mean; [] without any.

    ``title`` says of what they are, such as "Passages without a text here".
    """
    if not unmatched:
        return []
    likely = likely_ids(unmatched, ids_here)
    pairs = [f"{name} ({other})" for name, other in likely.items()]
    like = f" Like an id here ({len(pairs):,}): {listed(pairs)}." if pairs else ""
    return [f"{title} ({len(unmatched):,}): {listed(unmatched)}.{like}"]


def likely_ids(unmatched: Iterable[str], ids_here: Iterable[str]) -> Mapping[str, str]:
    """The known id that each unmatched one may mean, where there is just one.

    The two are equal but for case and leading zeros, or one of them has more before or
    after it. An equal id is preferred, then the longest that the unmatched one holds.
    """
    by_form: defaultdict[str, list[str]] = defaultdict(list)
    by_part: defaultdict[str, list[str]] = defaultdict(list)
    names = sorted(unmatched)[:COMPARED_UNMATCHED]
    for name in names:
        by_form[_simplest(name)].append(name)
        for part in _parts(_simplest(name)):
            by_part[part].append(name)
    candidates: dict[str, list[tuple[int, str]]] = {name: [] for name in names}
    for other in islice(ids_here, COMPARED_KNOWN):
        form = _simplest(other)
        alike = [(len(form) + 1, name) for name in by_form.get(form, ())]
        alike += [(len(form), name) for name in by_part.get(form, ())]
        for part in _parts(form):
            alike += [(0, name) for name in by_form.get(part, ())]
        for closeness, name in alike:
            candidates[name].append((closeness, other))
    likely: dict[str, str] = {}
    for name, others in candidates.items():
        best = max(others, default=(0, ""))[0]
        closest = {other for closeness, other in others if closeness == best}
        if len(closest) == 1:
            likely[name] = closest.pop()
    return likely


def _simplest(name: str) -> str:
    return _ZEROS.sub("", name.casefold())


def _parts(name: str) -> set[str]:
    """The parts before and after each place where an id may be cut."""
    cuts = list(_CUT.finditer(name))
    parts = {name[: cut.start()] for cut in cuts} | {name[cut.end() :] for cut in cuts}
    return parts - {"", name}
