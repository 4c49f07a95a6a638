"""What the words of a question say of it: that no text answers it, that it is two.

Rules on English words, set on DL19's 430 questions and tried on CAR Y3's 8,858
(docs/next.md has the counts). A nugget asks nothing, and so is neither.
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
_ANOTHER = re.compile(
    r"\?.*\w.*\?|\band (if so|how|what|why|when|where|who|which|does|do|did|is|are|can"
    r"|should|will)\b",
    re.IGNORECASE | re.DOTALL,
)


def asks_for(question: Question) -> str | None:
    """What it asks for that no text can say: now, here or an opinion; None without."""
    if question.kind == "nugget":
        return None
    text = question.text or ""
    return next((what for what, rule in _ASKS_FOR.items() if rule.search(text)), None)


def is_compound(question: Question) -> bool:
    """Whether it asks two things at once: a second question mark, or "and how …"."""
    return question.kind != "nugget" and bool(_ANOTHER.search(question.text or ""))


def halves(question: Question) -> tuple[str, str]:
    """A compound question's two, as far as words part them: for whoever rewords them.

    The second may still speak of what only the first names.
    """
    text = (question.text or "").strip()
    found = _ANOTHER.search(text)
    if found is None:
        return text, ""
    if found[0].startswith("?"):
        first, _, second = text.partition("?")
    else:
        first, second = text[: found.start()].rstrip(" ,;"), text[found.start() + 4 :]
    second = second.strip()
    return f"{first}?", second[:1].upper() + second[1:]
