"""Cleaning, comparing and shortening of texts that people type."""

from __future__ import annotations

import re
import unicodedata

from curator.errors import EditError

# Characters that programs add to copied texts: invisible ones without meaning, and
# no-break spaces and hyphens.
_COPIED = str.maketrans(
    {"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u2011": "-"}
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff")
)

MAX_TEXT = 2000  # characters; more is a passage pasted by mistake
MAX_REASON = 200  # characters
MAX_NOTE = 500  # characters
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def clean_text(text: str, what: str = "question") -> str:
    """Strip a text, normalize it to NFC, and remove control characters.

    Also removes zero-width spaces, soft hyphens and no-break spaces. Line breaks and
    tabs stay, other control characters become blanks. Raises EditError for a text that
    is empty, too long or not Unicode (a lone surrogate).
    """
    text = without_controls(text)
    if not text:
        raise EditError(f"A {what} needs a text.")
    return _limited(text, what, MAX_TEXT)


def _limited(text: str, what: str, limit: int) -> str:
    if len(text) > limit:
        raise EditError(
            f"A {what} has at most {limit} characters; this one has {len(text)}."
        )
    return text


def clean_reason(reason: str | None) -> str | None:
    """Clean a reason to one line; None if it is empty."""
    cleaned = " ".join(without_controls(reason or "").split())
    return _limited(cleaned, "reason", MAX_REASON) or None


def clean_note(text: str) -> str:
    """Clean a note; "" if it is empty. Raises EditError."""
    return _limited(without_controls(text), "note", MAX_NOTE)


def without_controls(text: str) -> str:
    """Strip a text, normalize it to NFC, and replace control characters with blanks.

    Line breaks and tabs stay. Empty if nothing is visible. Raises EditError for a text
    that is not Unicode (a lone surrogate).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_COPIED)
    text = unicodedata.normalize("NFC", text)
    text = "".join(map(_without_control, text)).strip()
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise EditError("The text contains a character that is not Unicode.") from None
    # strip() leaves zero-width characters and the like.
    return text if any(character.isprintable() for character in text) else ""


def _without_control(character: str) -> str:
    is_control = unicodedata.category(character) == "Cc"
    return " " if is_control and character not in "\n\t" else character


def comparable(text: str) -> str:
    """Normalize a text for comparison with another.

    White space is folded; invisible characters are removed, joiners of scripts too.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_COPIED))
        text = "".join(
            character for character in text if unicodedata.category(character) != "Cf"
        )
    return " ".join(text.split())


def shortened(text: str, length: int = 60) -> str:
    """Return the text on one line, cut at ``length`` characters with an ellipsis."""
    line = " ".join(text.split())
    return isolated(line if len(line) <= length else line[: length - 1].rstrip() + "…")


def isolated(text: str) -> str:
    """Isolate right-to-left text within a left-to-right sentence."""
    return f"\u2068{text}\u2069" if _RIGHT_TO_LEFT.search(text) else text
