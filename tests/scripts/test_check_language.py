"""The language check counts what it is said to count."""

from __future__ import annotations

import ast
from collections import Counter

from scripts.check_language import places_in, risen

SOURCE = '''
def of_words(one):
    """Whether it rests on words."""
    return print(*("a", "b"))


class OverTime:
    """Time of a run."""


def overview(question):
    """Return the overview."""
'''


def test_places_that_break_a_rule_are_found() -> None:
    counts = Counter(rule for rule, _, _ in places_in(ast.parse(SOURCE)))
    assert counts == {
        "vague name": 1,
        "name starts with a preposition": 2,
        "docstring starts with a question word": 1,
        "idiom in a docstring": 1,
        "literal unpacked in a call": 1,
    }


def test_a_count_that_rises_is_named() -> None:
    assert risen(Counter({"vague name": 2}), {"vague name": 2}) == []
    assert risen(Counter({"vague name": 3}), {"vague name": 2}) == [
        "vague name: 3 places, 2 allowed"
    ]
