"""Ends of sentences, and marks and markup around a text of a list."""

from __future__ import annotations

import re

CLOSING = " \"'”’»」』`*_)]}"  # may follow the end of a sentence
QUESTION_MARKS = "?？؟՞፧\u037e"
ENDS = f"{QUESTION_MARKS}.!…。！।"
_GREEK = re.compile(r"[\u0370-\u037d\u0384-\u03ff\u1f00-\u1fff]")

_BOLD = re.compile(r"\*\*([^*]+)\*\*")
_WRAPPED = re.compile(
    r"([*_`\"']|__)((?:(?!\1).)+)\1|[“„]([^“”„]+)[”“]|[‘‚]([^‘’‚]+)[’‘]|"
    r"«([^«»]+)»|「([^「」]+)」",
    re.DOTALL,
)
_MARK = re.compile(
    r"""
    [ \t>]* (?:\#{1,6}[ ]+)?
    (?P<mark>
        (?: (?: [•‣◦▪●]\s* | [-–—*+·]\s+ ) (?:\[[ x]\]\s+)? )?
        (?:
            (?: (?:q|question|nugget|(?:key[ ])?fact)[ ]?\#? )?
            [(\[\#]? \d{1,3} (?: [ ]?\\?[.):\]](?!\d) | [．、] | [ ]+[-–—](?=[ ]) )
          | (?:question|nugget|(?:key[ ])?fact) :
          | \(?[a-z]\)(?=\s) | (?:[a-z]|[ivx]{2,4})\.(?=\s)
        )?
    )
    """,
    re.VERBOSE | re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Return True if the text ends in a question mark of any script.

    In Greek also a semicolon. Quotes, brackets and markup may follow it.
    """
    stripped = text.rstrip(CLOSING)
    is_greek = stripped.endswith(";") and _GREEK.search(stripped) is not None
    return is_greek or stripped.endswith(tuple(QUESTION_MARKS))


def is_finished(text: str) -> bool:
    """Return True if the text ends as a sentence does, so that nothing is missing."""
    return is_question(text) or text.rstrip(CLOSING).endswith(tuple(ENDS))


def without_markup(text: str) -> str:
    """Return the stripped text without bold, enclosing quotes and enclosing markup.

    A comma after a quoted text is removed with the quotes.
    """
    text = _BOLD.sub(r"\1", text).strip()
    # No pair of marks contains itself, so the loop ends soon.
    while wrapped := _WRAPPED.fullmatch(text.rstrip(", ")):
        text = wrapped[wrapped.lastindex or 0].strip()
    return text


def split_mark(line: str) -> tuple[str, str]:
    """Return a line's number or bullet, "" without any, and the text after it."""
    plain_line = _BOLD.sub(r"\1", line)
    match = _MARK.match(plain_line)
    mark = match["mark"].strip() if match else ""
    return (mark, plain_line[match.end() :].strip()) if match and mark else ("", line)
