"""Which texts of a triple an AVA transformer reads together.

Loads no model. Source: Vu & Moschitti 2020, section 4.2.
"""

from __future__ import annotations

from grading.ava.configurations import Configuration
from grading.ava.triples import Triple

READING_VERSION = "pairs/1"  # bump when a triple would be read otherwise

TextsRead = tuple[tuple[str, str], ...]
"""The sentence pair of each part of a configuration."""


def texts_read(configuration: Configuration, triple: Triple) -> TextsRead:
    """The sentence pair of each part, in order.

    The paper's concatenation of two texts is one, a blank, the other. Half a
    surrogate pair is read as "?". The short answer is not used.
    """
    texts = {
        "q": _readable(triple.question),
        "r": _readable(triple.reference),
        "t": _readable(triple.candidate),
    }

    def said(letters: str) -> str:
        return " ".join(texts[letter] for letter in letters)

    return tuple((said(first), said(second)) for first, second in configuration.parts)


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
