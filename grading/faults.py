"""Answers that ended before they were whole, and why.

Such an answer states nothing, even where its words do: a list that was cut off may have
gone on to another rating, and a server's refusal is no word of the model. The reason
is stored in front of the words, so that every reader of a stored response sees it.
"""

from __future__ import annotations

MARK = "␄"  # "end of transmission"; no model or server writes this picture of it


def with_fault(text: str, fault: str) -> str:
    """``text`` as it is stored, with the reason why it is no whole answer.

    ``fault`` is one line; without one the text is stored as it is.
    """
    return f"{MARK}{fault}{MARK}{text}" if fault else text


def split_fault(stored: str) -> tuple[str, str]:
    """(reason, text) of a stored response; the reason of a whole answer is ""."""
    if not stored.startswith(MARK):
        return "", stored
    fault, _, text = stored[1:].partition(MARK)
    return fault, text
