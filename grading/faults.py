"""Faults of incomplete answers, stored in front of their text.

An answer with a fault has no grade: a list that was cut off might have continued with
another rating, and a server's refusal is not an answer of the model. The fault is part
of the stored response, so that every parser sees it.
"""

from __future__ import annotations

MARK = "␄"  # symbol for "end of transmission", which no model or server writes


def with_fault(text: str, fault: str) -> str:
    """Return ``text`` as it is stored, with its fault of one line, or "" for none."""
    return f"{MARK}{fault}{MARK}{text}" if fault else text


def split_fault(stored: str) -> tuple[str, str]:
    """Return (fault, text) of a stored response; "" for a complete answer."""
    if not stored.startswith(MARK):
        return "", stored
    fault, _, text = stored[1:].partition(MARK)
    return fault, text
