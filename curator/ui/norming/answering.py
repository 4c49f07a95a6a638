"""What is pressed and written on Norming: answers, and what is said of an item."""

from __future__ import annotations

from curator.errors import NormingError
from curator.ui.shared import session
from curator.ui.shared.channel import Answer, Component, Event, handles
from curator.verbs.norming.rounds import NormedItem, Norming

COMMENT = Component(
    *("norming_comment", "shared/drafts", "shared/edits", "shared/conflict"),
    "shared/remark",
)
NONE = "-"  # no answer, in what a button sends


def opened() -> tuple[int | None, int | None]:
    """The round and the item that the URL names, None where it names none."""
    round_id, _, place = (session.view().answer or "").partition("/")
    return _number(round_id), _number(place)


def item_opened(found: Norming) -> NormedItem | None:
    """The item that was opened, else my first without an answer, else the first."""
    number, wanted = opened()
    here = (one for one in found.items if one.item.place == wanted)
    named = next(here, None) if number == found.round.round_id else None
    left = (one for one in found.items if one.mine is None)
    return named or next(left, None) or next(iter(found.items), None)


@handles("normed")
def open_item(*, name: str) -> None:
    """Look at another round, ``ROUND``, or at an item, ``ROUND/PLACE``."""
    session.look(answer=name)


@handles("norm")
def answer(event: Event, *, name: str) -> Answer:
    """Say something of an item: ``ROUND/PLACE/BEFORE/ANSWER``, ``-`` for nothing.

    ``BEFORE`` is what I had said as far as the page showed.
    """
    parts = name.split("/")
    if len(parts) != 4:
        raise NormingError("That is no answer to an item.")
    round_id, place = _number(parts[0]), _number(parts[1])
    if round_id is None or place is None:
        raise NormingError("That is no answer to an item.")
    before, said = (None if one == NONE else one for one in parts[2:])
    with session.workspace() as workspace:
        workspace.answer_norming(
            round_id, place, said, before=before, nonce=event.nonce
        )
        found = workspace.norming(round_id)
    if not found.shown:
        left = [one.item.place for one in found.items if one.mine is None]
        after = [one for one in left if one > place] or left
        following = after[0] if after and said else place
        session.look(answer=f"{round_id}/{following}")
    return Answer(event.nonce, True)


@handles("norming-comment")
def comment(event: Event, *, about: int, place: int, text: str) -> Answer:
    """Say something about an item, for everybody to read."""
    with session.workspace() as workspace:
        workspace.comment_norming(about, place, text, nonce=event.nonce)
    return Answer(event.nonce, True)


def _number(text: str) -> int | None:
    """The number in what a button or a URL says, None where there is none."""
    short = text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if short else None
