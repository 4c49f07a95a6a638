"""What a file is likely to be, by its name; a person has the last word."""

from __future__ import annotations

import re

KINDS = {
    "queries": "queries",
    "passages": "passages",
    "bank": "question bank",
    "autograder": "grades (Autograder)",
    "runs": "run",
    "judgments": "judgments (qrels)",
    "official": "official ranks",
    "gold": "gold articles",
}
# The first that matches; what a file holds most of stands in its name last.
_SIGNS = (
    ("judgments", r"qrel|judg"),
    ("gold", r"gold"),
    ("official", r"official|leaderboard"),
    ("runs", r"\.run\b|(^|[\W_])runs?([\W_]|$)|^input\."),
    ("autograder", r"graded|grades|exam-grad|autograde"),
    ("bank", r"question|nugget|bank"),
    ("passages", r"passage|corpus|paragraph|docs"),
    ("queries", r"quer|topic"),
)


def likely_kind(name: str) -> str:
    """The import option for a file of this name; ``queries`` where nothing is told."""
    lower = name.lower()
    return next((kind for kind, sign in _SIGNS if re.search(sign, lower)), "queries")
