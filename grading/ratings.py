"""Ratings 0-5, what stands where there is none, and the self-rating parser.

Source: Farzi & Dietz 2024, section 3.2.3 and footnote 5. A published implementation
has the last two cases swapped (0 by default, 1 for unanswerable); ratings imported
from it stay as given.
"""

import re
import unicodedata
from typing import Literal

NOT_ASKED = -1
UNREADABLE = -2
"""Both mean unknown, never 0."""

PARSER_VERSION = "self-rating/1"  # bump when any response would be read differently

# A rating alone, or with a mark that closes it, or with a mark and then anything.
# DOTALL: an explanation that runs over several lines is still an explanation.
_RATING = re.compile(r"[0-5](\s*[:.)](\s.*)?)?", re.DOTALL)

UNANSWERABLE = frozenset(
    {
        "unanswerable",
        "no",
        "no answer",
        "not enough information",
        "unknown",
        "it is not possible to tell",
        "it does not say",
        "no relevant information",
    }
)


ResponseKind = Literal["a rating", "unanswerable", "other words", "no words"]


def parse_self_rating(raw: str) -> int:
    """Rating 0-5 that a self-rating response states.

    The digit where the stripped response is a digit 0-5, alone or followed by a
    closing ``:``, ``.`` or ``)``, alone or followed by white space and anything. Else
    0 where the response, lower-cased and without punctuation, *is* one of
    ``UNANSWERABLE``. Else 1, the empty response included.

    Source: Farzi & Dietz 2024, section 3.2.3.
    """
    kind = response_kind(raw)
    if kind == "a rating":
        return int(raw.strip()[0])
    return 0 if kind == "unanswerable" else 1


def response_kind(raw: str) -> ResponseKind:
    """What the parser takes a self-rating response for."""
    stripped = raw.strip()
    if _RATING.fullmatch(stripped):
        return "a rating"
    if is_unanswerable(stripped):
        return "unanswerable"
    return "other words" if stripped else "no words"


def is_unanswerable(response: str) -> bool:
    """Whether ``response``, in ``plain`` form, *is* one of ``UNANSWERABLE``."""
    return plain(response) in UNANSWERABLE


def plain(text: str) -> str:
    """``text`` lower-cased, without punctuation, its white space single spaces."""
    return " ".join(text.lower().translate(_LETTERS).split())


class _WithoutPunctuation(dict[int, int | None]):
    """What becomes of every character by its code; found out when it is first met."""

    def __missing__(self, code: int) -> int | None:
        punctuation = unicodedata.category(chr(code)).startswith("P")
        self[code] = None if punctuation else code
        return self[code]


_LETTERS = _WithoutPunctuation()
