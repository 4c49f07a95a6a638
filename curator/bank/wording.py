"""The words people type, as they are stored, and as one line shows them."""

from __future__ import annotations

import re
import unicodedata

from curator.errors import EditError

# What programs put into a text that people copy: marks nobody can see, which change
# nothing, and a space or hyphen at which a line does not break.
_COPIED = str.maketrans(
    {"\u00a0": " ", "\u2007": " ", "\u202f": " ", "\u2011": "-"}
    | dict.fromkeys("\u00ad\u200b\u2060\ufeff")
)

MAX_TEXT = 2000  # characters; more is a passage pasted by mistake
MAX_REASON = 200  # characters
MAX_NOTE = 500  # characters
_FROM_THE_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def clean_text(text: str, what: str = "question") -> str:
    """The text as it is stored: stripped, one Unicode form, no control characters.

    Nor are there zero-width spaces, soft hyphens and no-break spaces. Line breaks and
    tabs stay, other control characters become blanks. Raises
    EditError for a text that is empty, too long or not Unicode (a lone surrogate).
    """
    text = without_controls(text)
    if not text:
        raise EditError(f"A {what} needs a text.")
    if len(text) > MAX_TEXT:
        raise EditError(
            f"A {what} has at most {MAX_TEXT} characters; this one has {len(text)}."
        )
    return text


def clean_reason(reason: str | None) -> str | None:
    """The reason as it is stored, on one line; None where there are no words."""
    cleaned = " ".join(without_controls(reason or "").split())
    if len(cleaned) > MAX_REASON:
        raise EditError(
            f"A reason has at most {MAX_REASON} characters; this one has "
            f"{len(cleaned)}."
        )
    return cleaned or None


def clean_note(text: str) -> str:
    """The note as it is stored; "" where there are no words. Raises EditError."""
    text = without_controls(text)
    if len(text) > MAX_NOTE:
        raise EditError(
            f"A note has at most {MAX_NOTE} characters; this one has {len(text)}."
        )
    return text


def without_controls(text: str) -> str:
    """The text stripped, in one Unicode form, control characters turned into blanks.

    Line breaks and tabs stay. Empty where nothing in it can be seen. Raises EditError
    for a text that is not Unicode (a lone surrogate).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_COPIED)
    text = unicodedata.normalize("NFC", text)
    text = "".join(
        c if c in "\n\t" or unicodedata.category(c) != "Cc" else " " for c in text
    ).strip()
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise EditError("The text holds a character that is not Unicode.") from None
    # Zero-width characters and the like are no text, though strip() leaves them.
    return text if any(c.isprintable() for c in text) else ""


def comparable(text: str) -> str:
    """The text in the form in which two texts are compared.

    White space is folded, invisible characters are left out, joiners of scripts too.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.translate(_COPIED))
        text = "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(text.split())


def shortened(text: str, length: int = 60) -> str:
    """The text on one line, cut at ``length`` characters with an ellipsis."""
    line = " ".join(text.split())
    return isolated(line if len(line) <= length else line[: length - 1].rstrip() + "…")


def isolated(text: str) -> str:
    """Keep words from right to left together within a sentence from left to right."""
    return f"\u2068{text}\u2069" if _FROM_THE_RIGHT.search(text) else text
