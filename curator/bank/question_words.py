"""Unanswerable and compound questions, recognized by their words.

Rules for English, calibrated on DL19's 430 questions and tried on CAR Y3's 8,858
(docs/curate.md has the counts). A nugget asks nothing, and so is neither.
"""

from __future__ import annotations

import re

from curator.bank.questions import Question

_ASKS_FOR: dict[str, re.Pattern[str]] = {
    "now": re.compile(
        r"\b(right now|at the moment|tonight|tomorrow|near future"
        r"|this (week|weekend|month|season)|(next|coming) (week|weekend|month)"
        r"|this time of (the )?(year|day|week)"
        r"|current (weather|temperature|time|date|price|score|forecast|traffic)"
        r"|(expected|forecast) (here|in|this|next|for)\b)",
        re.IGNORECASE,
    ),
    "here": re.compile(
        r"\b(near (me|here|by)|around here|(in|from) here"
        r"|my (area|town|city|neighbou?rhood|location|state|country))\b",
        re.IGNORECASE,
    ),
    "an opinion": re.compile(
        r"\b(your (own )?(opinion|favou?rite|view|views|thoughts|preference)"
        r"|you (personally |really )?(think|feel|believe|prefer|enjoy))\b",
        re.IGNORECASE,
    ),
}
_SECOND_QUESTION = re.compile(
    r"\?.*\w.*\?|\band (if so|how|what|why|when|where|who|which|does|do|did|is|are|can"
    r"|should|will)\b",
    re.IGNORECASE | re.DOTALL,
)


def asks_for(question: Question) -> str | None:
    """Return what no text can answer: now, here or an opinion; None without."""
    if question.kind == "nugget":
        return None
    text = question.text or ""
    return next(
        (subject for subject, pattern in _ASKS_FOR.items() if pattern.search(text)),
        None,
    )


def is_compound(question: Question) -> bool:
    """Return True for two questions in one: a second "?", or "and how …"."""
    return question.kind != "nugget" and bool(
        _SECOND_QUESTION.search(question.text or "")
    )


def split_compound(question: Question) -> tuple[str, str]:
    """Split a compound question in two, to help with rewording.

    The second may still refer to words of the first.
    """
    text = (question.text or "").strip()
    match = _SECOND_QUESTION.search(text)
    if match is None:
        return text, ""
    if match[0].startswith("?"):
        first, _, second = text.partition("?")
    else:
        first, second = text[: match.start()].rstrip(" ,;"), text[match.start() + 4 :]
    second = second.strip()
    return f"{first}?", second[:1].upper() + second[1:]
