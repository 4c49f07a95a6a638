"""Who wrote and who decided what, as rows with a bar each."""

from __future__ import annotations

from dataclasses import dataclass

from curator.ui.shared import words
from curator.verbs.proposals.decisions import Decisions, Share

BANK = "All judges"


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """A judge's decisions in words, each with what it rests on as a note.

    ``bar`` are the shares, between 0 and 1, of what was written, kept reworded, kept
    as proposed and dropped; () where there is nothing yet.
    """

    who: str
    written: tuple[str, str]
    reworded: tuple[str, str]
    unedited: tuple[str, str]
    dropped: tuple[str, str]
    seconds: tuple[str, str]
    bar: tuple[float, ...]


def decision_rows(found: Decisions) -> tuple[DecisionRow, ...]:
    """The bank's row, then one for each judge."""
    return tuple(_row(one) for one in (found.bank, *found.judges))


def _row(one: Share) -> DecisionRow:
    parts = (one.written, one.reworded, one.unedited, one.dropped)
    total = sum(parts)
    written = one.share_written
    distance = one.edit_distance
    return DecisionRow(
        who=BANK if one.judge is None else one.judge,
        written=(
            f"{one.written:,}",
            ""
            if written is None
            else f"{words.percent(written)} of {one.written + one.standing:,}",
        ),
        reworded=(
            f"{one.reworded:,}",
            "" if distance is None else f"by {distance:.0f} characters",
        ),
        unedited=(f"{one.unedited:,}", ""),
        dropped=(f"{one.dropped:,}", ""),
        seconds=(
            ("–", "") if one.seconds is None else (f"{one.seconds:.1f} s", _timed(one))
        ),
        bar=tuple(part / total for part in parts) if total else (),
    )


def _timed(one: Share) -> str:
    """``of 3 timed``, ``of 9 timed, 6 at once``: those decided in one step."""
    at_once = f", {one.at_once:,} at once" if one.at_once else ""
    return f"of {one.timed:,} timed{at_once}"


def left_words(found: Decisions) -> str:
    """``430 proposals undecided · 430 questions imported``."""
    bank = found.bank
    parts = []
    if bank.undecided:
        parts.append(f"{words.count(bank.undecided, 'proposal')} undecided")
    if bank.imported:
        parts.append(f"{words.count(bank.imported, 'question')} imported")
    return " · ".join(parts)


def nothing_yet(found: Decisions) -> str:
    """What to do where nobody has written or decided anything, or ""."""
    if found.judges:
        return ""
    if found.bank.undecided:
        return "Nobody has decided or written anything yet: Curate is where."
    return (
        "Nobody has written a question yet, and nothing was proposed: ask a model "
        "above, or write on Curate."
    )
