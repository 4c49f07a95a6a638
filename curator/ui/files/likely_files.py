"""What a file is likely to be, by what it holds and else by its name.

A person has the last word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

KINDS = {
    "queries": "queries",
    "passages": "passages",
    "bank": "question bank",
    "autograder": "grades (Autograder)",
    "runs": "run",
    "judgments": "judgments (qrels)",
    "official": "official ranks",
    "gold": "gold articles",
    "reports": "generated reports",
}
# The first that matches; what a file holds most of stands in its name last.
_SIGNS = (
    ("judgments", r"qrel|judg"),
    ("gold", r"gold"),
    ("official", r"official|leaderboard"),
    ("runs", r"\.run\b|(^|[\W_])runs?([\W_]|$)|^input\."),
    ("autograder", r"graded|grades|exam-grad|autograde"),
    ("bank", r"question|nugget|bank|tqa"),
    ("reports", r"report|response|ragtime"),
    ("passages", r"passage|corpus|paragraph|docs"),
    ("queries", r"quer|topic"),
)


def likely_kind(name: str, fitting: Sequence[str] = ()) -> str:
    """The import option for a file of this name, of those that it fits.

    ``queries`` where neither what it holds nor its name tells.
    """
    among = [kind for kind in fitting if kind in KINDS]
    if len(among) == 1:
        return among[0]
    lower = name.lower()
    signs = (kind for kind, sign in _SIGNS if re.search(sign, lower))
    return next((kind for kind in signs if not among or kind in among), "queries")
