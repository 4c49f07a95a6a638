"""Hasty checks: answers given faster than anybody can read a passage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from curator.bank.marks import Check

READING_TIME = 2.0  # seconds
WINDOW = 5  # answers in a row


def hasty_checks(checks: Mapping[str, Sequence[Check]]) -> frozenset[tuple[str, Check]]:
    """Return the hasty ones of the checks of each query, with their query ids.

    A check under ``READING_TIME`` is hasty if it is one of ``WINDOW`` in a row by a
    judge whose median is under it, too. Checks without a time and those of passages
    that the judge had checked before, and so read, are not considered.
    """
    by_judge: defaultdict[str, list[tuple[str, Check]]] = defaultdict(list)
    for query_id, query_checks in checks.items():
        for check in query_checks:
            by_judge[check.judge].append((query_id, check))
    hasty: set[tuple[str, Check]] = set()
    for entries in by_judge.values():
        entries.sort(key=lambda entry: entry[1].sort_key())
        first = {entry[1].passage_id: entry for entry in reversed(entries)}
        timed = [
            (seconds, entry)
            for entry in entries
            if first[entry[1].passage_id] is entry
            and (seconds := entry[1].seconds) is not None
        ]
        for end in range(WINDOW, len(timed) + 1):
            window = timed[end - WINDOW : end]
            if median(seconds for seconds, _ in window) < READING_TIME:
                hasty |= {entry for seconds, entry in window if seconds < READING_TIME}
    return frozenset(hasty)
