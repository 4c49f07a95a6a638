"""Ids of a file that match none in the workspace, and the ids that they may mean."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from itertools import islice

from curator.formats.text.notices import listed

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
